import { type DynamoDBDocumentClient, GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { nullable, number, object, parse, picklist, string } from "valibot";
import { limits } from "../base/limits.ts";
import { type ExportRecord, exportStates } from "../exports/export-record.ts";
import type { ExportPage, ExportStore } from "../exports/export-store.ts";
import type { Row } from "./dynamo.ts";
import type { Write } from "./outbox-writes.ts";
import { deliveryKeys, epochSeconds } from "./table.ts";

/** Rows that one page of a filtered log looks at, in queries of so many. */
const rowsLookedAtMax = 1_000;
const rowsAtOnce = 200;
const retentionSeconds = limits.eventRetentionDays * 24 * 60 * 60;

/** The export log in DynamoDB. Ids begin with the time the run ended, so rows sort by it. */
export function dynamoExportStore(client: DynamoDBDocumentClient, TableName: string): ExportStore {
  const query = async (
    accountId: string,
    { before, limit }: { readonly before: string | null; readonly limit: number },
  ): Promise<readonly ExportRecord[]> => {
    const { pk } = deliveryKeys.export(accountId, "");
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName,
        ...(before === null
          ? {
              KeyConditionExpression: "pk = :pk",
              ExpressionAttributeValues: { ":pk": pk },
            }
          : {
              KeyConditionExpression: "pk = :pk AND sk < :before",
              ExpressionAttributeValues: { ":pk": pk, ":before": before },
            }),
        ScanIndexForward: false,
        ConsistentRead: true,
        Limit: limit,
      }),
    );
    return Items.map(exportOf);
  };
  return {
    async get(accountId, id) {
      const Key = deliveryKeys.export(accountId, id);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item === undefined ? null : exportOf(Item);
    },
    async list(accountId, { limit, before, state }): Promise<ExportPage> {
      const found: ExportRecord[] = [];
      const atOnce = state === null ? limit + 1 : rowsAtOnce;
      let from = before;
      for (let looked = 0; looked < rowsLookedAtMax; looked += atOnce) {
        const records = await query(accountId, { before: from, limit: atOnce });
        for (const record of records) {
          // One more than asked for: there is a next page.
          if (found.length === limit) return { exports: found, lastId: from };
          if (state === null || record.state === state) found.push(record);
          from = record.id;
        }
        if (records.length < atOnce) return { exports: found, lastId: null };
      }
      return { exports: found, lastId: from };
    },
  };
}

/** The write of an export into the log, for the transaction that also keeps what led to it. */
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
    manifestKey: row.manifest_key,
    attemptCount: row.attempt_count,
    tries: row.tries,
    lastError: row.last_error,
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}
