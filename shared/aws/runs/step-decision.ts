import {
  type DynamoDBDocumentClient,
  GetCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Run } from "../../runs/run.ts";
import type { Shortfall, StepDecision, StepRecord } from "../../runs/step.ts";
import {
  cancellationReasons,
  isContention,
  retryContended,
  type TableOptions,
} from "../table/dynamo.ts";
import { stepRecordOf } from "./run-row.ts";
import { watchlistKeys } from "../table/table.ts";

interface Decision {
  readonly run: Run;
  readonly step: StepRecord;
  readonly shortfall: Shortfall | null;
}

/**
 * Records whether a step is read or deferred, in a transaction that checks the run's phase. Returns
 * the decision that was recorded first. If there is no decision, and the run is no longer in phase
 * `reading` or was abandoned, records none and returns `over`.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export function decideStep(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { run, step, shortfall }: Decision,
): Promise<StepDecision | "over"> {
  const { table } = options;
  const decision = shortfall === null ? "read" : "defer";
  const Key = watchlistKeys.step(step.runId, step.step);
  return retryContended(options, async () => {
    try {
      await client.send(
        new TransactWriteCommand({
          TransactItems: [
            {
              Update: {
                TableName: table,
                Key,
                UpdateExpression: "SET decision = :decision, shortfall = :shortfall",
                ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(decision)",
                ExpressionAttributeValues: { ":decision": decision, ":shortfall": shortfall },
              },
            },
            {
              ConditionCheck: {
                TableName: table,
                Key: watchlistKeys.run(run.watchlistId, run.runNumber),
                ConditionExpression: "phase = :reading AND #error = :none",
                ExpressionAttributeNames: { "#error": "error" },
                ExpressionAttributeValues: { ":reading": "reading", ":none": null },
              },
            },
          ],
        }),
      );
      return decision;
    } catch (error) {
      const reasons = cancellationReasons(error);
      if (reasons === undefined) throw error;
      if (isContention(reasons)) return "again";
      const { Item } = await client.send(
        new GetCommand({ TableName: table, Key, ConsistentRead: true }),
      );
      return (Item === undefined ? null : stepRecordOf(Item).decision) ?? "over";
    }
  });
}
