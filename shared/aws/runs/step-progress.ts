/**
 * Writes the progress of a step: which batches are done, whether all batches were sent, and the
 * stats of the settled step.
 */
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { BatchRef } from "../../runs/batch.ts";
import type { StepRecord } from "../../runs/step.ts";
import { conditionalWrite, ifConditionHolds } from "../table/dynamo.ts";
import { watchlistKeys } from "../table/table.ts";
import { stepRecordOf } from "./run-row.ts";

/**
 * Marks a batch as done: adds it to its step's set of done batches, so that a repeated batch counts
 * once. Returns the changed step; undefined, without a change, if the step does not exist.
 */
export async function markDone(
  client: DynamoDBDocumentClient,
  table: string,
  ref: BatchRef,
): Promise<StepRecord | undefined> {
  const written = await ifConditionHolds(() =>
    client.send(
      new UpdateCommand({
        TableName: table,
        Key: watchlistKeys.step(ref.runId, ref.step),
        UpdateExpression: "ADD done :batch",
        ConditionExpression: "attribute_exists(pk)",
        ExpressionAttributeValues: { ":batch": new Set([ref.batch]) },
        ReturnValues: "ALL_NEW",
      }),
    ),
  );
  return written.outcome === "done" ? stepRecordOf(written.value.Attributes ?? {}) : undefined;
}

/**
 * Records that the messages of all batches of a step were sent. Does nothing if the step does not
 * exist.
 */
export async function recordSent(
  client: DynamoDBDocumentClient,
  table: string,
  { runId, step }: StepRecord,
): Promise<void> {
  await conditionalWrite(() =>
    client.send(
      new UpdateCommand({
        TableName: table,
        Key: watchlistKeys.step(runId, step),
        UpdateExpression: "SET is_sent = :true",
        ConditionExpression: "attribute_exists(pk)",
        ExpressionAttributeValues: { ":true": true },
      }),
    ),
  );
}

/**
 * Stores the stats of a settled step. Does nothing if the step already has stats or does not exist.
 */
export async function recordStats(
  client: DynamoDBDocumentClient,
  table: string,
  step: StepRecord,
): Promise<void> {
  await conditionalWrite(() =>
    client.send(
      new UpdateCommand({
        TableName: table,
        Key: watchlistKeys.step(step.runId, step.step),
        UpdateExpression: "SET stats = :stats",
        ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(stats)",
        ExpressionAttributeValues: { ":stats": step.stats },
      }),
    ),
  );
}
