import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { nullable, number, object, parse, picklist, string } from "valibot";
import type { ExportJob, ExportJobStore } from "../exports/export-job.ts";
import type { Row } from "./dynamo.ts";
import { leasedRows, workEntries, workOf } from "./leased-row.ts";

/** Exports of runs in DynamoDB. Their ids begin with the run's time, so rows sort by it. */
export function dynamoExportJobStore(
  client: DynamoDBDocumentClient,
  tableName: string,
): ExportJobStore {
  const rows = leasedRows(client, { tableName, kind: "export" });
  return {
    async open(accountId, job) {
      const { createdAt, dueAt } = job;
      const attributes = attributesOf(job);
      await rows.open(accountId, job.id, { attributes, createdAt, dueAt, lease: null });
    },
    async get(accountId, id) {
      const row = await rows.get(accountId, id);
      return row === undefined ? null : exportJobOf(row);
    },
    claim: (accountId, id, claim) => rows.claim(accountId, id, claim),
    advance: (accountId, id, { lease, next, destinationAt }) =>
      rows.change(accountId, id, {
        token: lease.token,
        // The attempt that makes progress is the first of those that follow.
        set: { next, destination_at: destinationAt, attempt: 1 },
        dueAt: lease.until,
        keepLease: true,
      }),
    settle: (accountId, id, { token, state, dueAt, lastError }) =>
      rows.change(accountId, id, {
        token,
        set: { state, last_error: lastError },
        dueAt,
        keepLease: false,
      }),
  };
}

const attributesOf = (job: ExportJob): Row => ({
  run_id: job.runId,
  watchlist_id: job.watchlistId,
  state: job.state,
  next: job.next,
  destination_at: job.destinationAt,
  attempt: job.attempt,
  last_error: job.lastError,
});

const exportJobRow = object({
  ...workEntries,
  run_id: string(),
  watchlist_id: string(),
  state: picklist(["pending", "done", "failed"]),
  next: number(),
  destination_at: nullable(string()),
  last_error: nullable(string()),
});

function exportJobOf(stored: Row): ExportJob {
  const row = parse(exportJobRow, stored);
  return {
    ...workOf(row),
    runId: row.run_id,
    watchlistId: row.watchlist_id,
    state: row.state,
    next: row.next,
    destinationAt: row.destination_at,
    lastError: row.last_error,
  };
}
