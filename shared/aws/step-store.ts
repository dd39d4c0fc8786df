import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { assert } from "../base/assert.ts";
import type { Chance, Clock } from "../base/clock.ts";
import type { BatchRef, BatchResult, StepRecord } from "../runs/run.ts";
import type { Plan, StepStore } from "../runs/step-store.ts";
import { type Row, unlessRefused, writeRows } from "./dynamo.ts";
import { stepOf, stepRow } from "./run-row.ts";
import { epochSeconds, type RowKey, watchlistKeys } from "./table.ts";

interface Options {
  readonly table: string;
  readonly clock: Clock;
  readonly chance: Chance;
}

/** What the steps of a run found is needed until its events are out; kept longer to look at. */
const stepRowDays = 14;

const pack = (value: unknown): Uint8Array => zstdCompressSync(JSON.stringify(value));
const unpack = (bytes: unknown): unknown =>
  JSON.parse(zstdDecompressSync(bytes as Uint8Array).toString("utf8"));

/** Steps and batches in DynamoDB; ids and results are compressed. */
export function dynamoStepStore(client: DynamoDBDocumentClient, options: Options): StepStore {
  const { table } = options;
  const read = async (key: RowKey): Promise<Row | undefined> => {
    const { Item } = await client.send(
      new GetCommand({ TableName: table, Key: key, ConsistentRead: true }),
    );
    return Item;
  };
  const result = async (ref: BatchRef): Promise<BatchResult | undefined> => {
    const row = await read(batchKey(ref));
    return row?.["result"] === undefined ? undefined : (unpack(row["result"]) as BatchResult);
  };
  return {
    plan: (plan) => savePlan(client, options, plan),
    async get(runId, step) {
      const row = await read(watchlistKeys.step(runId, step));
      return row === undefined ? undefined : stepOf(row);
    },
    async batchIds(ref) {
      const row = await read(batchKey(ref));
      assert(row !== undefined, "a planned batch has its ids stored");
      return unpack(row["ids"]) as string[];
    },
    result,
    async recordResult(ref, found) {
      if (await putResult(client, table, { ref, found })) return found;
      const recorded = await result(ref);
      assert(recorded !== undefined, "a batch that refuses a result has one");
      return recorded;
    },
    markDone: (ref) => markDone(client, table, ref),
    results: (step) => readResults(client, table, step),
    async recordStats(step, stats) {
      await unlessRefused(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: watchlistKeys.step(step.runId, step.step),
            UpdateExpression: "SET stats = :stats",
            ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(stats)",
            ExpressionAttributeValues: { ":stats": stats },
          }),
        ),
      );
    },
  };
}

const batchKey = (ref: BatchRef): RowKey =>
  watchlistKeys.batch(ref.runId, { step: ref.step, plan: ref.plan, number: ref.batch });

function putResult(
  client: DynamoDBDocumentClient,
  table: string,
  { ref, found }: { readonly ref: BatchRef; readonly found: BatchResult },
): Promise<boolean> {
  return unlessRefused(() =>
    client.send(
      new UpdateCommand({
        TableName: table,
        Key: batchKey(ref),
        UpdateExpression: "SET #result = :result",
        ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(#result)",
        ExpressionAttributeNames: { "#result": "result" },
        ExpressionAttributeValues: { ":result": pack(found) },
      }),
    ),
  );
}

/** A set of numbers, so that a batch marked twice counts once. */
async function markDone(
  client: DynamoDBDocumentClient,
  table: string,
  ref: BatchRef,
): Promise<StepRecord> {
  const { Attributes } = await client.send(
    new UpdateCommand({
      TableName: table,
      Key: watchlistKeys.step(ref.runId, ref.step),
      UpdateExpression: "ADD done :batch",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeValues: { ":batch": new Set([ref.batch]) },
      ReturnValues: "ALL_NEW",
    }),
  );
  return stepOf(Attributes ?? {});
}

/** Batches first, then the step row that makes them the plan: the first step row wins. */
async function savePlan(
  client: DynamoDBDocumentClient,
  options: Options,
  { run, step, batches }: Plan,
): Promise<StepRecord> {
  const { table, clock } = options;
  const ttl = epochSeconds(clock.now()) + stepRowDays * 86_400;
  const rows = batches.map((ids, number) => ({
    ...watchlistKeys.batch(run.id, { step: step.step, plan: step.plan, number }),
    ids: pack(ids),
    ttl,
  }));
  await writeRows(client, options, rows);
  const saved = await unlessRefused(async () => {
    await client.send(
      new PutCommand({
        TableName: table,
        Item: { ...watchlistKeys.step(run.id, step.step), ...stepRow(step), ttl },
        ConditionExpression: "attribute_not_exists(pk)",
      }),
    );
  });
  if (saved) return step;
  const { Item } = await client.send(
    new GetCommand({
      TableName: table,
      Key: watchlistKeys.step(run.id, step.step),
      ConsistentRead: true,
    }),
  );
  assert(Item !== undefined, "a step row that blocks a plan exists");
  return stepOf(Item);
}

async function* readResults(
  client: DynamoDBDocumentClient,
  table: string,
  step: StepRecord,
): AsyncGenerator<BatchResult> {
  const first = watchlistKeys.batch(step.runId, { step: step.step, plan: step.plan, number: 0 });
  let start: Row | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :plan)",
        ProjectionExpression: "#result",
        ExpressionAttributeNames: { "#result": "result" },
        ExpressionAttributeValues: { ":pk": first.pk, ":plan": first.sk.slice(0, -"00000".length) },
        ConsistentRead: true,
        ExclusiveStartKey: start,
      }),
    );
    for (const row of Items) yield unpack(row["result"]) as BatchResult;
    start = LastEvaluatedKey;
  } while (start !== undefined);
}
