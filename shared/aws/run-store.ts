import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { assert } from "../base/assert.ts";
import type { Chance, Clock } from "../base/clock.ts";
import type { BatchRef, BatchResult, Run, RunRef, StepRecord } from "../runs/run.ts";
import type { ListOutcome, Plan, RunStore } from "../runs/run-store.ts";
import {
  cancellationReasons,
  isConditionFailure,
  isContention,
  type Row,
  untilSettled,
  writeRows,
} from "./dynamo.ts";
import { dueKeys } from "./due-keys.ts";
import { runOf, runRow, stepOf, stepRow } from "./run-row.ts";
import { dueAt, epochSeconds, watchlistKeys } from "./table.ts";

interface Options {
  readonly table: string;
  readonly clock: Clock;
  readonly chance: Chance;
}

/** What the steps of a run found is needed until its events are out; kept longer to look at. */
const stepRowDays = 14;
/** A claimed or finishing run that nobody takes on within this time is picked up by the sweeper. */
const pickUpMs = 60_000;

const pack = (value: unknown): Uint8Array => zstdCompressSync(JSON.stringify(value));
const unpack = <T>(bytes: unknown): T =>
  JSON.parse(zstdDecompressSync(bytes as Uint8Array).toString("utf8")) as T;

/** Runs, steps and batches in DynamoDB. */
export function dynamoRunStore(client: DynamoDBDocumentClient, options: Options): RunStore {
  const { table, clock } = options;
  const get = async (key: { pk: string; sk: string }): Promise<Row | undefined> => {
    const { Item } = await client.send(
      new GetCommand({ TableName: table, Key: key, ConsistentRead: true }),
    );
    return Item;
  };
  const run = async (ref: RunRef): Promise<Run | undefined> => {
    const row = await get(watchlistKeys.run(ref.watchlistId, ref.runNumber));
    return row === undefined ? undefined : runOf(row);
  };
  const step = async (runId: string, stepId: string): Promise<StepRecord | undefined> => {
    const row = await get(watchlistKeys.step(runId, stepId));
    return row === undefined ? undefined : stepOf(row);
  };
  const batchRow = (ref: BatchRef): Promise<Row | undefined> => get(batchKey(ref));
  const result = async (ref: BatchRef): Promise<BatchResult | undefined> => {
    const row = await batchRow(ref);
    return row?.["result"] === undefined ? undefined : unpack<BatchResult>(row["result"]);
  };

  return {
    claim: (claim) => claimRun(client, options, claim),
    get: run,
    async list(watchlistId, limit) {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: "pk = :pk AND begins_with(sk, :run)",
          ExpressionAttributeValues: {
            ":pk": watchlistKeys.run(watchlistId, 0).pk,
            ":run": "run#",
          },
          ScanIndexForward: false,
          ConsistentRead: true,
          Limit: limit + 1,
        }),
      );
      return { runs: Items.slice(0, limit).map(runOf), hasMore: Items.length > limit };
    },
    plan: (plan) => savePlan(client, options, plan),
    step,
    async startReading(current, progressBy) {
      await ignoreCondition(async () => {
        await client.send(
          new UpdateCommand({
            TableName: table,
            Key: watchlistKeys.run(current.watchlistId, current.runNumber),
            UpdateExpression: "SET phase = :reading, due_at = :due",
            ConditionExpression: "phase = :claimed",
            ExpressionAttributeValues: {
              ":reading": "reading",
              ":claimed": "claimed",
              ":due": progressBy.toISOString(),
            },
          }),
        );
      });
    },
    async batchIds(ref) {
      const row = await batchRow(ref);
      assert(row !== undefined, "a planned batch has its ids stored");
      return unpack<string[]>(row["ids"]);
    },
    result,
    async recordResult(ref, found) {
      const first = await ignoreCondition(async () => {
        await client.send(
          new UpdateCommand({
            TableName: table,
            Key: batchKey(ref),
            UpdateExpression: "SET #result = :result",
            ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(#result)",
            ExpressionAttributeNames: { "#result": "result" },
            ExpressionAttributeValues: { ":result": pack(found) },
          }),
        );
      });
      if (first) return found;
      const recorded = await result(ref);
      assert(recorded !== undefined, "a batch that refuses a result has one");
      return recorded;
    },
    markDone: (ref, progressBy) => markDone(client, table, { ref, progressBy }),
    results: (planned) => readResults(client, table, planned),
    async recordStep(planned, stats) {
      await ignoreCondition(async () => {
        await client.send(
          new UpdateCommand({
            TableName: table,
            Key: watchlistKeys.step(planned.runId, planned.step),
            UpdateExpression: "SET stats = :stats",
            ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(stats)",
            ExpressionAttributeValues: { ":stats": stats },
          }),
        );
      });
    },
    async startFinishing(current, change) {
      await ignoreCondition(async () => {
        await client.send(
          new UpdateCommand({
            TableName: table,
            Key: watchlistKeys.run(current.watchlistId, current.runNumber),
            UpdateExpression:
              "SET phase = :finishing, #status = :status, credits = :credits, stats = :stats, due_at = :due",
            ConditionExpression: "phase IN (:claimed, :reading)",
            ExpressionAttributeNames: { "#status": "status" },
            ExpressionAttributeValues: {
              ":finishing": "finishing",
              ":claimed": "claimed",
              ":reading": "reading",
              ":status": change.status,
              ":credits": change.credits,
              ":stats": change.stats,
              ":due": new Date(clock.now().getTime() + pickUpMs).toISOString(),
            },
          }),
        );
      });
    },
    finish: (ended, list) => finishRun(client, options, { run: ended, list }),
    async markEmitted(current) {
      await ignoreCondition(async () => {
        await client.send(
          new UpdateCommand({
            TableName: table,
            Key: watchlistKeys.run(current.watchlistId, current.runNumber),
            UpdateExpression: "SET phase = :done REMOVE due_kind, due_at",
            ConditionExpression: "phase = :emitting",
            ExpressionAttributeValues: { ":done": "done", ":emitting": "emitting" },
          }),
        );
      });
    },
    takeStalled: (look) => takeStalled(client, table, look),
  };
}

async function takeStalled(
  client: DynamoDBDocumentClient,
  table: string,
  { now, nextLook, limit }: Parameters<RunStore["takeStalled"]>[0],
): Promise<readonly RunRef[]> {
  const taken: RunRef[] = [];
  for (const { pk, sk, dueAt: seen } of await dueKeys(client, table, {
    kind: "run",
    by: now,
    limit,
  })) {
    await ignoreCondition(async () => {
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName: table,
          Key: { pk, sk },
          UpdateExpression: "SET due_at = :next",
          ConditionExpression: "due_at = :seen",
          ExpressionAttributeValues: { ":next": nextLook.toISOString(), ":seen": seen },
          ReturnValues: "ALL_NEW",
        }),
      );
      taken.push(runOf(Attributes ?? {}));
    });
  }
  return taken;
}

const batchKey = (ref: BatchRef): { pk: string; sk: string } =>
  watchlistKeys.batch(ref.runId, { step: ref.step, plan: ref.plan, number: ref.batch });

/** True when the write took effect, false when its condition no longer held: somebody was first. */
async function ignoreCondition(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isConditionFailure(error)) return false;
    throw error;
  }
}

function claimRun(
  client: DynamoDBDocumentClient,
  options: Options,
  { run, watchlist, nextRunAt }: Parameters<RunStore["claim"]>[0],
): Promise<"claimed" | "conflict"> {
  const { table } = options;
  const due = new Date(new Date(run.startedAt).getTime() + pickUpMs);
  return untilSettled(options, async () => {
    try {
      await client.send(
        new TransactWriteCommand({
          TransactItems: [
            {
              Update: {
                TableName: table,
                Key: watchlistKeys.list(run.accountId, run.watchlistId),
                UpdateExpression:
                  "SET running_run = :number, run_count = :number, last_run_at = :started, last_run_status = :running, next_run_at = :next" +
                  (nextRunAt === null ? "" : ", due_at = :next"),
                ConditionExpression:
                  "running_run = :none AND run_count = :count AND next_run_at = :seen",
                ExpressionAttributeValues: {
                  ":number": run.runNumber,
                  ":started": run.startedAt,
                  ":running": "running",
                  ":next": nextRunAt,
                  ":none": null,
                  ":count": watchlist.runCount,
                  ":seen": watchlist.nextRunAt,
                },
              },
            },
            {
              Put: {
                TableName: table,
                Item: {
                  ...watchlistKeys.run(run.watchlistId, run.runNumber),
                  ...runRow(run),
                  ...dueAt("run", due),
                },
                ConditionExpression: "attribute_not_exists(pk)",
              },
            },
          ],
        }),
      );
      return "claimed";
    } catch (error) {
      const reasons = cancellationReasons(error);
      if (reasons === undefined) throw error;
      return isContention(reasons) ? "again" : "conflict";
    }
  });
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
  const saved = await ignoreCondition(async () => {
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

async function markDone(
  client: DynamoDBDocumentClient,
  table: string,
  { ref, progressBy }: { ref: BatchRef; progressBy: Date },
): Promise<StepRecord> {
  // A set, so that a batch marked twice counts once.
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
  await ignoreCondition(async () => {
    await client.send(
      new UpdateCommand({
        TableName: table,
        Key: watchlistKeys.run(ref.watchlistId, ref.runNumber),
        UpdateExpression: "SET due_at = :due",
        ConditionExpression: "phase = :reading",
        ExpressionAttributeValues: { ":due": progressBy.toISOString(), ":reading": "reading" },
      }),
    );
  });
  return stepOf(Attributes ?? {});
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
    for (const row of Items) yield unpack<BatchResult>(row["result"]);
    start = LastEvaluatedKey;
  } while (start !== undefined);
}

type Ending = { readonly run: Run; readonly list: ListOutcome | null };
const runPosition = 0;

function finishRun(
  client: DynamoDBDocumentClient,
  options: Options,
  ending: Ending,
): Promise<"finished" | "finished_before" | "list_gone"> {
  return untilSettled(options, async () => {
    try {
      await client.send(
        new TransactWriteCommand({ TransactItems: finishWrites(options.table, ending) }),
      );
      return "finished";
    } catch (error) {
      const reasons = cancellationReasons(error);
      if (reasons === undefined) throw error;
      if (isContention(reasons)) return "again";
      const ended = reasons[runPosition]?.code === "ConditionalCheckFailed";
      return ended ? "finished_before" : "list_gone";
    }
  });
}

function finishWrites(
  table: string,
  { run, list }: Ending,
): ConstructorParameters<typeof TransactWriteCommand>[0]["TransactItems"] {
  const runUpdate = {
    Update: {
      TableName: table,
      Key: watchlistKeys.run(run.watchlistId, run.runNumber),
      UpdateExpression: "SET phase = :emitting, finished_at = :at, watchlist = :watchlist",
      ConditionExpression: "phase = :finishing",
      ExpressionAttributeValues: {
        ":emitting": "emitting",
        ":finishing": "finishing",
        ":at": run.finishedAt,
        ":watchlist": run.watchlist,
      },
    },
  };
  return list === null ? [runUpdate] : [runUpdate, listUpdate(table, run, list)];
}

function listUpdate(
  table: string,
  run: Run,
  list: ListOutcome,
): NonNullable<ConstructorParameters<typeof TransactWriteCommand>[0]["TransactItems"]>[number] {
  const pausing = list.pause
    ? ", #status = :paused, paused_reason = :reason, next_run_at = :none REMOVE due_kind, due_at"
    : "";
  return {
    Update: {
      TableName: table,
      Key: watchlistKeys.list(run.accountId, run.watchlistId),
      UpdateExpression:
        "SET running_run = :none, last_run_status = :run, consecutive_skips = :skips, item_counts = :counts" +
        pausing,
      ConditionExpression: "running_run = :number",
      ...(list.pause ? { ExpressionAttributeNames: { "#status": "status" } } : {}),
      ExpressionAttributeValues: {
        ":none": null,
        ":number": run.runNumber,
        ":run": run.status,
        ":skips": list.consecutiveSkips,
        ":counts": list.itemCounts,
        ...(list.pause ? { ":paused": "paused", ":reason": "insufficient_credits" } : {}),
      },
    },
  };
}
