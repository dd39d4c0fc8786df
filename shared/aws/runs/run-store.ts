import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { holdExpiresAt } from "../../runs/hold.ts";
import { progressTimeoutMs, type Run, type RunRef } from "../../runs/run.ts";
import type { Claim, WatchlistOutcome, RunStore } from "../../runs/run-store.ts";
import { dueKeys } from "../table/due-keys.ts";
import { dueAt } from "../table/due-partitions.ts";
import {
  ifConditionHolds,
  isRefused,
  retryWhileContended,
  type TableOptions,
  transact,
  type TransactItem,
} from "../table/dynamo.ts";
import { firstRows } from "../table/query-rows.ts";
import { decideHold, endHold } from "./run-hold.ts";
import { abandon, movePhase, type PhaseChange } from "./run-phase.ts";
import { runOf, runRow, statsRow } from "./run-row.ts";
import { watchlistKeys } from "../table/table.ts";

/**
 * Milliseconds after which the sweeper restarts a claimed or finishing run, if no worker has
 * continued it.
 */
const pickUpMs = 60_000;
/**
 * Milliseconds from the write of a run's plan until the sweeper restarts the run, if no worker has
 * recorded progress. The messages of the run's first batches may not have been sent.
 */
const sendingMs = 30_000;

/**
 * Creates a store of runs in DynamoDB. `claim`, `finish`, `decideHold` and `endHold` throw 503
 * UNAVAILABLE if the rows stay contended or the retry budget is exhausted.
 */
export function dynamoRunStore(client: DynamoDBDocumentClient, options: TableOptions): RunStore {
  const { table } = options;
  const isoIn = (milliseconds: number): string =>
    new Date(options.clock.now().getTime() + milliseconds).toISOString();
  const move = (run: RunRef, change: PhaseChange): Promise<boolean> =>
    movePhase(client, table, { run, change });
  return {
    claim: (claim) => writeClaim(client, options, claim),
    async get(ref) {
      const { Item } = await client.send(
        new GetCommand({
          TableName: table,
          Key: watchlistKeys.run(ref.watchlistId, ref.runNumber),
          ConsistentRead: true,
        }),
      );
      return Item === undefined ? undefined : runOf(Item);
    },
    list: (watchlistId, limit, before) => listRuns(client, table, { watchlistId, limit, before }),
    async startReading(run, { plan, stats }) {
      const set = {
        phase: "reading",
        plan,
        stats: statsRow(stats),
        progress_at: isoIn(0),
        due_at: isoIn(sendingMs),
      };
      await move(run, { from: ["claimed"], set });
    },
    async recordProgress(run) {
      const set = { progress_at: isoIn(0), due_at: isoIn(progressTimeoutMs) };
      await move(run, { from: ["reading"], set });
    },
    abandon: (run, error) => abandon(client, table, { run, error, dueAt: isoIn(pickUpMs) }),
    async startFinishing(run, status, from) {
      const set = { phase: "finishing", status, due_at: isoIn(pickUpMs) };
      await move(run, { from, set, unlessAbandoned: status !== "failed" });
    },
    finish: (run, outcome) => writeFinish(client, options, { run, outcome }),
    async markEmitted(run) {
      await move(run, { from: ["emitting"], set: { phase: "done" }, settle: true });
    },
    async markHeld(run) {
      const set = { phase: "held", due_at: holdExpiresAt(run).toISOString() };
      await move(run, { from: ["holding"], set });
    },
    decideHold: (run, hold) => decideHold(client, options, { run, hold, dueAt: isoIn(pickUpMs) }),
    endHold: (run) => endHold(client, options, run),
    async forget(watchlistId, runNumber) {
      if (runNumber < 1) return;
      const Key = watchlistKeys.run(watchlistId, runNumber);
      await client.send(new DeleteCommand({ TableName: table, Key }));
    },
    takeStalled: (check) => takeStalled(client, table, check),
  };
}

/** Lists runs as `RunStore.list` describes. */
async function listRuns(
  client: DynamoDBDocumentClient,
  table: string,
  {
    watchlistId,
    limit,
    before,
  }: { watchlistId: string; limit: number; before: number | undefined },
): Promise<{ readonly runs: readonly Run[]; readonly hasMore: boolean }> {
  if (before !== undefined && before <= 1) return { runs: [], hasMore: false };
  const { pk } = watchlistKeys.run(watchlistId, 0);
  const query = {
    TableName: table,
    ...(before === undefined
      ? {
          KeyConditionExpression: "pk = :pk AND begins_with(sk, :run)",
          ExpressionAttributeValues: { ":pk": pk, ":run": "run#" },
        }
      : {
          KeyConditionExpression: "pk = :pk AND sk BETWEEN :run AND :last",
          ExpressionAttributeValues: {
            ":pk": pk,
            ":run": "run#",
            ":last": watchlistKeys.run(watchlistId, before - 1).sk,
          },
        }),
    ScanIndexForward: false,
    ConsistentRead: true,
  };
  const rows = await firstRows(client, query, limit + 1);
  return { runs: rows.slice(0, limit).map(runOf), hasMore: rows.length > limit };
}

/**
 * Creates the run and changes its watchlist, in one transaction. Returns `conflict`, without a
 * change, if the watchlist has no items, has a run in progress or has changed since it was read.
 */
function writeClaim(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { run, watchlist, nextRunAt }: Claim,
): Promise<"claimed" | "conflict"> {
  const { table } = options;
  const due = new Date(new Date(run.startedAt).getTime() + pickUpMs);
  const runKey = watchlistKeys.run(run.watchlistId, run.runNumber);
  const writes: readonly TransactItem[] = [
    {
      Update: {
        TableName: table,
        Key: watchlistKeys.watchlist(run.accountId, run.watchlistId),
        UpdateExpression:
          "SET running_run = :number, run_count = :number, last_run_at = :started, last_run_status = :running, next_run_at = :next" +
          (nextRunAt === null ? "" : ", due_at = :next"),
        ConditionExpression:
          "running_run = :none AND run_count = :count AND next_run_at = :seen AND revision = :revision AND item_total > :empty",
        ExpressionAttributeValues: {
          ":number": run.runNumber,
          ":started": run.startedAt,
          ":running": "running",
          ":next": nextRunAt,
          ":none": null,
          ":count": watchlist.runCount,
          ":seen": watchlist.nextRunAt,
          ":revision": watchlist.revision,
          ":empty": 0,
        },
      },
    },
    {
      Put: {
        TableName: table,
        Item: {
          ...runKey,
          ...runRow(run),
          ...dueAt("run", runKey, due),
        },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
  ];
  return retryWhileContended(options, async () => {
    const { outcome } = await transact(client, writes);
    if (outcome === "contended") return "again";
    return outcome === "done" ? "claimed" : "conflict";
  });
}

/** Claims due runs as `RunStore.takeStalled` describes. */
async function takeStalled(
  client: DynamoDBDocumentClient,
  table: string,
  { now, nextCheck, limit }: Parameters<RunStore["takeStalled"]>[0],
): Promise<readonly RunRef[]> {
  const taken: RunRef[] = [];
  for (const { pk, sk, dueAt: seen } of await dueKeys(client, table, {
    kind: "run",
    by: now,
    limit,
  })) {
    const written = await ifConditionHolds(() =>
      client.send(
        new UpdateCommand({
          TableName: table,
          Key: { pk, sk },
          UpdateExpression: "SET due_at = :next",
          ConditionExpression: "due_at = :seen",
          ExpressionAttributeValues: { ":next": nextCheck.toISOString(), ":seen": seen },
          ReturnValues: "ALL_NEW",
        }),
      ),
    );
    if (written.outcome === "done") taken.push(runOf(written.value.Attributes ?? {}));
  }
  return taken;
}

type FinishedRun = { readonly run: Run; readonly outcome: WatchlistOutcome | null };
/** Index of the run's write in the transaction of `writeFinish`. */
const runPosition = 0;

/**
 * Ends a run and changes its watchlist, in one transaction. If `outcome` is null, changes only the
 * run. Returns `finished_before` if the run has already ended, and `conflict` if the watchlist has
 * changed since it was read.
 */
function writeFinish(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  finished: FinishedRun,
): Promise<"finished" | "finished_before" | "conflict"> {
  const writes = finishWrites(options.table, finished);
  return retryWhileContended(options, async () => {
    const result = await transact(client, writes);
    if (result.outcome === "done") return "finished";
    if (result.outcome === "contended") return "again";
    return isRefused(result.reasons[runPosition]) ? "finished_before" : "conflict";
  });
}

/** Builds the writes of the run and, if `outcome` is not null, of its watchlist. */
function finishWrites(table: string, { run, outcome }: FinishedRun): readonly TransactItem[] {
  const runUpdate = {
    Update: {
      TableName: table,
      Key: watchlistKeys.run(run.watchlistId, run.runNumber),
      UpdateExpression:
        "SET phase = :phase, #status = :status, #error = :error, finished_at = :at, watchlist = :watchlist, stats = :stats, credits = :credits" +
        (run.hold === undefined ? "" : ", #hold = :hold") +
        (run.shape === undefined ? "" : ", shape = :shape") +
        (run.snapshot === undefined ? "" : ", snapshot_file = :snapshot"),
      ExpressionAttributeNames: {
        "#status": "status",
        "#error": "error",
        ...(run.hold !== undefined && { "#hold": "hold" }),
      },
      ConditionExpression: "phase = :finishing",
      ExpressionAttributeValues: {
        ":phase": run.hold === undefined ? "emitting" : "holding",
        ":finishing": "finishing",
        ":at": run.finishedAt,
        ":watchlist": run.watchlist,
        ":status": run.status,
        ":error": run.error,
        ":stats": statsRow(run.stats),
        ":credits": run.credits,
        ...(run.hold !== undefined && { ":hold": run.hold }),
        ...(run.shape !== undefined && { ":shape": run.shape }),
        ...(run.snapshot !== undefined && { ":snapshot": run.snapshot }),
      },
    },
  };
  return outcome === null ? [runUpdate] : [runUpdate, watchlistUpdate(table, run, outcome)];
}

/** Builds the write of the watchlist. It fails if the watchlist has changed since it was read. */
function watchlistUpdate(table: string, run: Run, outcome: WatchlistOutcome): TransactItem {
  const pausing = outcome.pause
    ? ", #status = :paused, paused_reason = :reason, next_run_at = :none REMOVE due_kind, due_at"
    : "";
  return {
    Update: {
      TableName: table,
      Key: watchlistKeys.watchlist(run.accountId, run.watchlistId),
      UpdateExpression:
        "SET running_run = :running, last_run_status = :run, consecutive_skips = :skips, refresh_due = :refresh" +
        (outcome.endpoint === undefined
          ? ""
          : ", webhook_endpoint_id = :endpoint, webhook_url = :url") +
        (outcome.missingFields === undefined ? "" : ", missing_fields = :missing") +
        pausing,
      ConditionExpression: "running_run = :number AND revision = :revision",
      ...(outcome.pause ? { ExpressionAttributeNames: { "#status": "status" } } : {}),
      ExpressionAttributeValues: {
        // A held run stays the run in progress, so that neither this nor an earlier release of the
        // service starts another run until the hold ends.
        ":running": run.hold === undefined ? null : run.runNumber,
        ":number": run.runNumber,
        ":run": run.hold === undefined ? run.status : "held",
        ":skips": outcome.consecutiveSkips,
        ":refresh": outcome.refreshDue,
        ":revision": outcome.revision,
        ...(outcome.endpoint === undefined
          ? {}
          : { ":endpoint": outcome.endpoint.endpointId, ":url": outcome.endpoint.url }),
        ...(outcome.missingFields === undefined ? {} : { ":missing": outcome.missingFields }),
        ...(outcome.pause
          ? { ":paused": "paused", ":reason": "insufficient_credits", ":none": null }
          : {}),
      },
    },
  };
}
