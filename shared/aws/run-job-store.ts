import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { array, nullable, number, object, parse, picklist, string } from "valibot";
import { eventTypes } from "../events/event.ts";
import type { RunJob, RunJobStore } from "../webhooks/run-job.ts";
import type { Row } from "./dynamo.ts";
import { leasedRows, workEntries, workOf } from "./leased-row.ts";

/** What endpoints are owed of runs, in DynamoDB. */
export function dynamoRunJobStore(client: DynamoDBDocumentClient, tableName: string): RunJobStore {
  const rows = leasedRows(client, { tableName, kind: "run" });
  return {
    async open(accountId, job) {
      const { createdAt, dueAt } = job;
      const attributes = attributesOf(job);
      await rows.open(accountId, job.id, { attributes, createdAt, dueAt, lease: null });
    },
    async get(accountId, id) {
      const row = await rows.get(accountId, id);
      return row === undefined ? null : runJobOf(row);
    },
    claim: (accountId, id, claim) => rows.claim(accountId, id, claim),
    advance: (accountId, id, { lease, progress: { next, failuresInRow } }) =>
      rows.change(accountId, id, {
        token: lease.token,
        set: { next, failures_in_row: failuresInRow },
        dueAt: lease.until,
        keepLease: true,
      }),
    async release(accountId, id, { token, dueAt }) {
      await rows.change(accountId, id, {
        token,
        set: { state: "pending" },
        dueAt,
        keepLease: false,
      });
    },
    async close(accountId, id, { token, state }) {
      await rows.change(accountId, id, { token, set: { state }, dueAt: null, keepLease: false });
    },
  };
}

const attributesOf = (job: RunJob): Row => ({
  run_id: job.runId,
  watchlist_id: job.watchlistId,
  endpoint_id: job.endpointId,
  types: job.types,
  state: job.state,
  next: job.next,
  failures_in_row: job.failuresInRow,
  attempt: job.attempt,
});

const runJobRow = object({
  ...workEntries,
  run_id: string(),
  watchlist_id: string(),
  endpoint_id: string(),
  types: nullable(array(picklist(eventTypes))),
  state: picklist(["pending", "done", "failed"]),
  next: number(),
  failures_in_row: number(),
});

function runJobOf(stored: Row): RunJob {
  const row = parse(runJobRow, stored);
  return {
    ...workOf(row),
    runId: row.run_id,
    watchlistId: row.watchlist_id,
    endpointId: row.endpoint_id,
    types: row.types,
    state: row.state,
    next: row.next,
    failuresInRow: row.failures_in_row,
  };
}
