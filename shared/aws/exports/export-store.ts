import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { nullable, nullish, number, object, parse, picklist, string } from "valibot";
import { limits } from "../../base/limits.ts";
import { compressions } from "../../exports/destination.ts";
import { type ExportRecord, exportStates } from "../../exports/export-record.ts";
import type { ExportPage, ExportStore, ExportQuery } from "../../exports/export-store.ts";
import type { Row } from "../table/dynamo.ts";
import type { Write } from "../deliveries/outbox-writes.ts";
import { queryRows } from "../table/query-rows.ts";
import { readRow } from "../table/row-reads.ts";
import { deliveryKeys, epochSeconds } from "../table/table.ts";

/**
 * Maximum number of rows that are read for one filtered page. The page then ends, even if it is not
 * full, so that a filter with few matches does not make the call slow.
 */
const rowsReadMax = 1_000;
/** Number of rows that one query reads for a filtered page. */
const rowsAtOnce = 200;
/**
 * Retention of a row of the export log, in seconds. A late attempt needs the row for as long as the
 * run's event bodies exist, because the row contains the format of the exported objects. S3 deletes
 * event bodies up to two days after they expire.
 */
const retentionSeconds = (limits.eventBodyDays + 2) * 24 * 60 * 60;

/**
 * Creates the export log in DynamoDB. An export ID begins with the time at which the run ended, so
 * rows sort by time.
 */
export function dynamoExportStore(client: DynamoDBDocumentClient, TableName: string): ExportStore {
  return {
    async get(accountId, id) {
      const row = await readRow(client, TableName, deliveryKeys.export(accountId, id));
      return row === undefined ? null : exportOf(row);
    },
    list: (accountId, query) => list({ client, TableName }, accountId, query),
  };
}

/**
 * Lists the exports that match a query, newest first. `lastId` is the position for the next page;
 * null on the last page.
 */
async function list(
  { client, TableName }: { readonly client: DynamoDBDocumentClient; readonly TableName: string },
  accountId: string,
  query: ExportQuery,
): Promise<ExportPage> {
  const { limit, before, state, watchlistId = null, since } = query;
  const { pk } = deliveryKeys.export(accountId, "");
  const rows = queryRows(client, {
    TableName,
    KeyConditionExpression: before === null ? "pk = :pk" : "pk = :pk AND sk < :before",
    ExpressionAttributeValues: { ":pk": pk, ...(before === null ? {} : { ":before": before }) },
    ScanIndexForward: false,
    ConsistentRead: true,
    // Without a filter, reads one row more than the page contains, to find out whether there is a
    // next page.
    Limit: state === null && watchlistId === null ? limit + 1 : rowsAtOnce,
  });
  const records: ExportRecord[] = [];
  let lastId = before;
  let rowsRead = 0;
  for await (const row of rows) {
    const record = exportOf(row);
    if (record.createdAt < (since ?? "")) break;
    if (records.length === limit) return { exports: records, lastId };
    if (matches(record, query)) records.push(record);
    lastId = record.id;
    rowsRead += 1;
    if (rowsRead === rowsReadMax) return { exports: records, lastId };
  }
  return { exports: records, lastId: null };
}

const matches = (record: ExportRecord, { state, watchlistId }: ExportQuery): boolean =>
  (state ?? record.state) === record.state &&
  (watchlistId ?? record.watchlistId) === record.watchlistId;

/**
 * Builds the write that stores the record of an export in the export log. It belongs to the
 * transaction that also changes the outbox.
 */
export const exportWrite = (TableName: string, accountId: string, record: ExportRecord): Write => ({
  Put: {
    TableName,
    Item: {
      ...deliveryKeys.export(accountId, record.id),
      id: record.id,
      run_id: record.runId,
      watchlist_id: record.watchlistId,
      run_number: record.runNumber,
      state: record.state,
      objects: record.objects,
      bytes: record.bytes,
      destination_revision: record.destinationRevision,
      compression: record.compression,
      manifest_key: record.manifestKey,
      attempt_count: record.attemptCount,
      tries: record.tries,
      last_error: record.lastError,
      next_attempt_at: record.nextAttemptAt,
      created_at: record.createdAt,
      finished_at: record.finishedAt,
      ttl: epochSeconds(new Date(record.createdAt)) + retentionSeconds,
    },
  },
});

const exportRow = object({
  id: string(),
  run_id: string(),
  watchlist_id: string(),
  run_number: nullable(number()),
  state: picklist(exportStates),
  objects: number(),
  bytes: number(),
  destination_revision: nullable(string()),
  // Absent in rows that the previous release wrote.
  compression: nullish(picklist(compressions), null),
  manifest_key: nullable(string()),
  attempt_count: number(),
  tries: number(),
  last_error: nullable(string()),
  next_attempt_at: nullable(string()),
  created_at: string(),
  finished_at: nullable(string()),
});

function exportOf(stored: Row): ExportRecord {
  const row = parse(exportRow, stored);
  return {
    id: row.id,
    runId: row.run_id,
    watchlistId: row.watchlist_id,
    runNumber: row.run_number,
    state: row.state,
    objects: row.objects,
    bytes: row.bytes,
    destinationRevision: row.destination_revision,
    compression: row.compression,
    manifestKey: row.manifest_key,
    attemptCount: row.attempt_count,
    tries: row.tries,
    lastError: row.last_error,
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}
