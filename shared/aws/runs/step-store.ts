import { type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { assert } from "../../base/assert.ts";
import {
  addBatchCounts,
  type BatchCounts,
  type BatchRef,
  type BatchResult,
  noCounts,
} from "../../runs/batch.ts";
import { isReported, type ItemOutcome } from "../../runs/item-outcome.ts";
import type { Run } from "../../runs/run.ts";
import type { StepRecord } from "../../runs/step.ts";
import { pointLinesOf } from "../../runs/run-history.ts";
import type { Starts, StepPlan, StepStore } from "../../runs/step-store.ts";
import { pack, packIds, packLines, unpack } from "./compressed.ts";
import { type Row, conditionalWrite, writeRows, type TableOptions } from "../table/dynamo.ts";
import { queryRows } from "../table/query-rows.ts";
import { beforeAttributes, itemsBeforeOf, storeItemsBefore } from "./items-before.ts";
import { stepRecordOf, stepRow } from "./run-row.ts";
import {
  effectiveResultOf,
  listIn,
  openBatch,
  plannedKey,
  plannedOf,
  resultKey,
  resultOf,
} from "./step-batch.ts";
import { storeDetails, withStoredDetails } from "./result-details.ts";
import { decideStep, whileReading } from "./step-decision.ts";
import { markDone, recordSent, recordStats } from "./step-progress.ts";
import { epochSeconds, type RowKey, watchlistKeys } from "../table/table.ts";

/**
 * Days until a row of a step expires. The run needs these rows until its events are published, and
 * operators may need them longer.
 */
const stepRowDays = 14;

/**
 * The attributes of a result that `effectiveResults` reads: all except the outcomes that affect
 * only items.
 */
const effectiveAttributes: readonly string[] = [
  "sk",
  "counts",
  "routed",
  "outcomes",
  "points",
  "details",
  "details_in",
  "before",
  "shape",
];

/**
 * Creates a store of steps and batches in DynamoDB. The store compresses IDs and results. Methods
 * that read or write several rows throw 503 UNAVAILABLE if the table stays overloaded or contended.
 */
export function dynamoStepStore(client: DynamoDBDocumentClient, options: TableOptions): StepStore {
  const { table, clock } = options;
  const ttl = (): number => epochSeconds(clock.now()) + stepRowDays * 86_400;
  const read = async (key: RowKey): Promise<Row | undefined> => {
    const { Item } = await client.send(
      new GetCommand({ TableName: table, Key: key, ConsistentRead: true }),
    );
    return Item;
  };
  const query = (key: RowKey, attributes?: readonly string[]): AsyncGenerator<Row> =>
    rowsBelow(client, table, { key, attributes });
  return {
    async saveStarts(runId, plan, starts) {
      await writeRows(client, options, startRows({ runId, plan, ttl: ttl() }, starts));
    },
    async starts(run, step) {
      assert(run.plan !== null, "a run in phase 'reading' must have a plan");
      const key = watchlistKeys.starts(run.id, { plan: run.plan, step, chunk: 0 });
      return Array.fromAsync(query(key), (row) => unpack(row["ids"]) as string[]);
    },
    plan: (run, plan) => savePlan(client, options, { ...plan, run, ttl: ttl() }),
    async get(runId, step) {
      const row = await read(watchlistKeys.step(runId, step));
      return row === undefined ? undefined : stepRecordOf(row);
    },
    async list(runId) {
      const records = await Array.fromAsync(query(watchlistKeys.step(runId, "")), stepRecordOf);
      return records.toSorted((a, b) => a.position - b.position);
    },
    decide: (run, step, shortfall) => decideStep(client, options, { run, step, shortfall }),
    recordSent: (step) => recordSent(client, table, step),
    open: (ref) => openBatch(client, options, ref),
    async planned(ref) {
      const row = await read(plannedKey(ref));
      return row === undefined ? undefined : plannedOf(row);
    },
    async recordResult(ref, found, items) {
      const before = items && (await storeItemsBefore(client, options, { ref, items, ttl: ttl() }));
      const result = { ref, found, before, ttl: ttl() };
      if (await putResult(client, options, result)) return { isFirst: true };
      const recorded = await read(resultKey(ref));
      assert(recorded !== undefined, "a batch without a new result must have a recorded result");
      return { isFirst: false, first: resultOf(recorded) };
    },
    async *itemsBefore(step) {
      const rows = query(firstResult(step), beforeAttributes);
      for await (const row of rows) yield itemsBeforeOf(client, table, { step, row });
    },
    markDone: (ref) => markDone(client, table, ref),
    async counts(step) {
      let sum = noCounts;
      for await (const row of query(firstResult(step), ["counts"])) {
        sum = addBatchCounts(sum, row["counts"] as BatchCounts);
      }
      return sum;
    },
    async *routed(step) {
      for await (const row of query(firstResult(step), ["routed"])) yield listIn(row["routed"]);
    },
    async *effectiveResults(step) {
      for await (const row of query(firstResult(step), effectiveAttributes)) {
        yield withStoredDetails(client, options, { step, row, result: effectiveResultOf(row) });
      }
    },
    async *delisted(step) {
      for await (const row of query(firstResult(step), ["delisted"])) yield listIn(row["delisted"]);
    },
    recordStats: (step) => recordStats(client, table, step),
  };
}

/** Returns true for an outcome that affects neither an event nor a stat. */
const isSilent = (outcome: ItemOutcome): boolean =>
  outcome.status === "ok" && outcome.changes === undefined && !isReported(outcome);

/** Returns the key of the result of a step's first batch. */
const firstResult = (step: StepRecord): RowKey =>
  watchlistKeys.result(step.runId, { step: step.step, plan: step.plan, number: 0 });

/**
 * Yields the rows of the partition `key.pk` whose sort key has the same prefix as `key.sk`, up to
 * and including its last `#`. Reads only `attributes`; if `attributes` is undefined, reads all
 * attributes.
 */
function rowsBelow(
  client: DynamoDBDocumentClient,
  table: string,
  {
    key,
    attributes,
  }: { readonly key: RowKey; readonly attributes?: readonly string[] | undefined },
): AsyncGenerator<Row> {
  const names = attributes?.map((name, n) => [`#a${n}`, name] as const);
  return queryRows(client, {
    TableName: table,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
    ...(names !== undefined && {
      ProjectionExpression: names.map(([name]) => name).join(", "),
      ExpressionAttributeNames: Object.fromEntries(names),
    }),
    ExpressionAttributeValues: {
      ":pk": key.pk,
      ":prefix": key.sk.slice(0, key.sk.lastIndexOf("#") + 1),
    },
    ConsistentRead: true,
  });
}

/** Builds the rows with the IDs of the items that start at each step, one for each batch. */
const startRows = (
  { runId, plan, ttl }: { readonly runId: string; readonly plan: string; readonly ttl: number },
  starts: Starts,
): Row[] =>
  [...starts].flatMap(([step, batches]) =>
    batches.map((ids, chunk) => ({
      ...watchlistKeys.starts(runId, { plan, step, chunk }),
      ids: packIds(ids),
      ttl,
    })),
  );

/**
 * Stores the result of a batch. Returns false, without a change, if the batch already has a result.
 * The outcomes are in three attributes, because their readers differ. Plans of later steps need
 * `routed`. Events need `routed` and `outcomes`. Items need all three, including `silent`. The
 * history needs only `points`.
 */
async function putResult(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  {
    ref,
    found,
    before,
    ttl,
  }: {
    readonly ref: BatchRef;
    readonly found: BatchResult;
    /** The attributes with the items before the batch; undefined if they are not recorded. */
    readonly before: Row | undefined;
    readonly ttl: number;
  },
): Promise<boolean> {
  const points = pointLinesOf(ref.step, found.outcomes);
  const details = await storeDetails(client, options, { ref, outcomes: found.outcomes, ttl });
  const { routed, outcomes, silent } = Object.groupBy(found.outcomes, (outcome) => {
    if (outcome.next !== undefined) return "routed";
    return isSilent(outcome) ? "silent" : "outcomes";
  });
  const delisted = found.outcomes
    .filter(({ lastSnapshot }) => lastSnapshot !== undefined)
    .map(({ id }) => id);
  return conditionalWrite(() =>
    client.send(
      new PutCommand({
        TableName: options.table,
        Item: {
          ...resultKey(ref),
          ...details,
          counts: found.counts,
          ...(routed !== undefined && { routed: pack(routed.map(storedPart)) }),
          ...(outcomes !== undefined && { outcomes: pack(outcomes.map(storedPart)) }),
          ...(silent !== undefined && { silent: pack(silent.map(storedPart)) }),
          ...(points.length > 0 && { points: packLines(points) }),
          ...(delisted.length > 0 && { delisted: pack(delisted) }),
          ...before,
          ...(found.shape !== undefined && { shape: found.shape }),
          ttl,
        },
        ConditionExpression: "attribute_not_exists(pk)",
      }),
    ),
  );
}

/**
 * Returns an outcome without its observed changes, which are in its history point, and without its
 * details, which are stored separately.
 */
const storedPart = ({ observed: _o, details: _d, ...outcome }: ItemOutcome): ItemOutcome => outcome;

/**
 * Stores a plan of a step: first its batches, and then the row of the step, which makes the plan
 * effective. The second write is a transaction that checks the run's phase. Returns the step of the
 * plan that was stored first. If no plan is stored, and the run was abandoned or is no longer in
 * phase `reading`, returns `over`.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
async function savePlan(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { run, step, batches, ttl }: StepPlan & { readonly run: Run; readonly ttl: number },
): Promise<StepRecord | "over"> {
  const { table } = options;
  const { runId, plan } = step;
  if (step.starts === null) {
    const rows = batches.map(({ ids, carried }, number) => ({
      ...watchlistKeys.batch(runId, { step: step.step, plan, number }),
      ids: packIds(ids),
      ...(carried.length > 0 && { carried: pack(carried) }),
      ttl,
    }));
    await writeRows(client, options, rows);
  }
  const Key = watchlistKeys.step(runId, step.step);
  const put = {
    TableName: table,
    Item: { ...Key, ...stepRow(step), ttl },
    ConditionExpression: "attribute_not_exists(pk)",
  };
  const found = await whileReading(client, options, { run, Key, change: { Put: put } });
  return found === "changed" ? step : found === undefined ? "over" : stepRecordOf(found);
}
