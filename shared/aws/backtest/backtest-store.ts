import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { BacktestJob, BacktestRef } from "../../backtest/backtest-job.ts";
import type { BacktestEnd, BacktestStore } from "../../backtest/backtest-store.ts";
import type { BacktestResponse } from "../../backtest/present-backtest.ts";
import {
  conditionalWrite,
  retryOnConflict,
  type Row,
  type TableOptions,
  type TransactItem,
  transactWrites,
} from "../table/dynamo.ts";
import { epochSeconds, watchlistKeys } from "../table/table.ts";

/**
 * Creates a store of back-test jobs in the watchlists table. A row of each account names the
 * account's job in progress. The purge of a watchlist deletes the rows of the watchlist's jobs.
 */
export function dynamoBacktestStore(
  client: DynamoDBDocumentClient,
  options: TableOptions,
): BacktestStore {
  const { table, clock } = options;
  const create: BacktestStore["create"] = async (job) => {
    const isCreated = await transactWrites(client, creation(table, job), options);
    if (isCreated) return { outcome: "created" };
    const inProgress = await get(client, table, watchlistKeys.backtestInProgress(job.accountId));
    // The job that made the condition fail may have ended since, so the read may find none.
    if (inProgress === undefined) return create(job);
    // An earlier attempt of this call may have created the job without a response.
    if (inProgress["id"] === job.id) return { outcome: "created" };
    return { outcome: "busy", id: String(inProgress["id"]) };
  };
  return {
    create,
    async get({ watchlistId, id }) {
      const row = await get(client, table, watchlistKeys.backtest(watchlistId, id));
      if (row === undefined) return undefined;
      const job = jobOf(row);
      return job.expiresAt <= clock.now().toISOString() ? undefined : job;
    },
    recordProgress: (ref, { runsDone, runs }) =>
      write(options, () =>
        client.send(
          new UpdateCommand({
            ...inProgressOnly(table, ref),
            UpdateExpression: "SET #status = :running, runs_done = :done, runs = :runs",
            ExpressionAttributeNames: { "#status": "status" },
            ExpressionAttributeValues: { ":running": "running", ":done": runsDone, ":runs": runs },
          }),
        ),
      ),
    async end(ref, end) {
      const { name, value } = outcomeOf(end);
      const ending = {
        ...inProgressOnly(table, ref),
        UpdateExpression: "SET #status = :status, ended_at = :now, #outcome = :outcome",
        ExpressionAttributeNames: { "#status": "status", "#outcome": name },
        ExpressionAttributeValues: {
          ":status": end.status,
          ":now": clock.now().toISOString(),
          ":outcome": value,
        },
      };
      const release = {
        TableName: table,
        Key: watchlistKeys.backtestInProgress(ref.accountId),
        ConditionExpression: "id = :id",
        ExpressionAttributeValues: { ":id": ref.id },
      };
      // One transaction, because a crash between the writes would keep the account busy.
      const both = [{ Update: ending }, { Delete: release }];
      if (await transactWrites(client, both, options)) return;
      // The job has ended, the watchlist was purged, or a later job has replaced an overdue one in
      // the row of the account. At most one of the two writes is then possible.
      await write(options, () => client.send(new UpdateCommand(ending)));
      await write(options, () => client.send(new DeleteCommand(release)));
    },
  };
}

async function get(
  client: DynamoDBDocumentClient,
  table: string,
  key: ReturnType<typeof watchlistKeys.backtest>,
): Promise<Row | undefined> {
  const { Item } = await client.send(
    new GetCommand({ TableName: table, Key: key, ConsistentRead: true }),
  );
  return Item;
}

/** Builds the transaction that creates a job if the account has no other job in progress. */
const creation = (table: string, job: BacktestJob): readonly TransactItem[] => [
  {
    Put: {
      TableName: table,
      Item: {
        ...watchlistKeys.backtestInProgress(job.accountId),
        id: job.id,
        end_by: job.endBy,
        ttl: epochSeconds(new Date(job.endBy)),
      },
      ConditionExpression: "attribute_not_exists(pk) OR end_by <= :now",
      ExpressionAttributeValues: { ":now": job.createdAt },
    },
  },
  { Put: { TableName: table, Item: jobRow(job) } },
];

const inProgressOnly = (table: string, { watchlistId, id }: BacktestRef) => ({
  TableName: table,
  Key: watchlistKeys.backtest(watchlistId, id),
  ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(ended_at)",
});

/** Sends a conditional write. Returns false if the condition failed. */
const write = (options: TableOptions, send: () => Promise<unknown>): Promise<boolean> =>
  retryOnConflict(options, () => conditionalWrite(send));

/** Returns the name and value of the attribute that a job gets when it ends. */
const outcomeOf = (end: BacktestEnd): { readonly name: string; readonly value: unknown } =>
  end.status === "done"
    ? { name: "result", value: zstdCompressSync(JSON.stringify(end.result)) }
    : { name: "failure", value: end.error };

const jobRow = (job: BacktestJob): Row => ({
  ...watchlistKeys.backtest(job.watchlistId, job.id),
  id: job.id,
  account_id: job.accountId,
  watchlist_id: job.watchlistId,
  pipeline: job.pipeline,
  since: job.span.since,
  until: job.span.until,
  status: job.status,
  created_at: job.createdAt,
  end_by: job.endBy,
  expires_at: job.expiresAt,
  ttl: epochSeconds(new Date(job.expiresAt)),
});

/**
 * Converts the row of a job. Does not validate the row, because only this file writes such rows.
 */
const jobOf = (row: Row): BacktestJob => ({
  id: String(row["id"]),
  accountId: String(row["account_id"]),
  watchlistId: String(row["watchlist_id"]),
  pipeline: row["pipeline"] as BacktestJob["pipeline"],
  span: { since: String(row["since"]), until: String(row["until"]) },
  status: row["status"] as BacktestJob["status"],
  progress:
    row["runs"] === undefined
      ? null
      : { runsDone: Number(row["runs_done"]), runs: Number(row["runs"]) },
  createdAt: String(row["created_at"]),
  endBy: String(row["end_by"]),
  endedAt: (row["ended_at"] as string | undefined) ?? null,
  expiresAt: String(row["expires_at"]),
  error: (row["failure"] as string | undefined) ?? null,
  result: row["result"] === undefined ? null : resultOf(row["result"] as Uint8Array),
});

const resultOf = (bytes: Uint8Array): BacktestResponse =>
  JSON.parse(zstdDecompressSync(bytes).toString("utf8")) as BacktestResponse;
