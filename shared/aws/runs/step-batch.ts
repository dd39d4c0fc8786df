import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type {
  BatchCounts,
  BatchRef,
  BatchResult,
  BatchShape,
  CarriedOutcomes,
  EffectiveResult,
  PlannedBatch,
} from "../../runs/batch.ts";
import type { ItemOutcome } from "../../runs/item-outcome.ts";
import type { OpenedBatch } from "../../runs/step-store.ts";
import { compareIds } from "../../watchlists/id-order.ts";
import { unpack, unpackLines } from "./compressed.ts";
import type { Row, TableOptions } from "../table/dynamo.ts";
import { rowsByKey } from "../table/rows-by-key.ts";
import { runOf, stepRecordOf } from "./run-row.ts";
import { type RowKey, watchlistKeys } from "../table/table.ts";

/**
 * Returns the key of the row with the item IDs of a batch. If `starts` is null, the row belongs to
 * the plan `plan` of the step. Otherwise all items of the batch start at the step, and the row
 * belongs to the plan `starts` of the run.
 */
export const plannedKey = ({ runId, step, plan, starts, batch }: BatchRef): RowKey =>
  starts === null
    ? watchlistKeys.batch(runId, { step, plan, number: batch })
    : watchlistKeys.starts(runId, { plan: starts, step, chunk: batch });

/** Returns the key of the row with a batch's result. */
export const resultKey = ({ runId, step, plan, batch }: BatchRef): RowKey =>
  watchlistKeys.result(runId, { step, plan, number: batch });

/** Parses the row of a planned batch: its item IDs, and the outcomes carried from earlier steps. */
export const plannedOf = (row: Row): PlannedBatch => ({
  ids: unpack(row["ids"]) as string[],
  carried: listIn<CarriedOutcomes>(row["carried"]),
});

/**
 * Parses the row with a batch's result. Sorts the outcomes by ID. The result lacks outcomes that
 * are stored in attributes which the caller did not read.
 */
export const resultOf = (row: Row): BatchResult => ({
  counts: row["counts"] as BatchCounts,
  outcomes: ["routed", "outcomes", "silent"]
    .flatMap((name) => listIn<ItemOutcome>(row[name]))
    .toSorted((a, b) => compareIds(a.id, b.id)),
  ...(row["shape"] !== undefined && { shape: row["shape"] as BatchShape }),
});

/** Parses the row with a batch's result and its history points. */
export const effectiveResultOf = (row: Row): EffectiveResult => ({
  ...resultOf(row),
  points: row["points"] === undefined ? [] : unpackLines(row["points"]),
  isRestorable: row["before"] !== undefined,
});

/** Decompresses a list in an attribute of a row. Returns an empty list for an absent attribute. */
export const listIn = <T>(packed: unknown): T[] =>
  packed === undefined ? [] : (unpack(packed) as T[]);

/**
 * Reads a batch with its run, its step and its recorded result, in one request. The parts whose
 * rows do not exist are undefined.
 * @throws 503 UNAVAILABLE if the table is overloaded and does not return all rows
 */
export async function openBatch(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  ref: BatchRef,
): Promise<OpenedBatch> {
  const keys = [
    watchlistKeys.run(ref.watchlistId, ref.runNumber),
    watchlistKeys.step(ref.runId, ref.step),
    plannedKey(ref),
    resultKey(ref),
  ];
  const rows = new Map((await rowsByKey(client, options, keys)).map((row) => [nameOf(row), row]));
  const [run, step, planned, result] = keys.map((key) => rows.get(nameOf(key)));
  return {
    run: run && runOf(run),
    step: step && stepRecordOf(step),
    planned: planned && plannedOf(planned),
    result: result && resultOf(result),
  };
}

const nameOf = (key: Row | RowKey): string => JSON.stringify([key.pk, key.sk]);
