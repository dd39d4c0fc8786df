import type { Run, RunStats } from "../../runs/run.ts";
import type { StepRecord, StepStats } from "../../runs/step.ts";
import type { RunLimits } from "../../watchlists/settings.ts";
import type { Row } from "../table/dynamo.ts";

/** Returns the attributes of a run's row, without its key. */
export function runRow(run: Run): Row {
  return {
    id: run.id,
    account_id: run.accountId,
    watchlist_id: run.watchlistId,
    run_number: run.runNumber,
    trigger: run.trigger,
    kind: run.kind,
    phase: run.phase,
    status: run.status,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    progress_at: run.progressAt,
    credits: run.credits,
    stats: statsRow(run.stats),
    error: run.error,
    pipeline: run.pipeline,
    ...limitsRow(run.limits),
    missing_fields: run.missingFields,
    plan: run.plan,
    watchlist: run.watchlist,
  };
}

const limitsRow = ({ maxCreditsPerRun, dailyCreditBudget, brake }: RunLimits): Row => ({
  max_credits: maxCreditsPerRun,
  daily_credit_budget: dailyCreditBudget,
  brake,
});

/** Parses the limits of a run. A limit is absent in rows that earlier releases wrote. */
function limitsIn(row: Row): RunLimits {
  const limits: Readonly<Record<keyof RunLimits, unknown>> = {
    maxCreditsPerRun: row["max_credits"] ?? null,
    dailyCreditBudget: row["daily_credit_budget"] ?? null,
    brake: row["brake"] ?? null,
  };
  return limits as RunLimits;
}

/**
 * Returns the stored form of the stats of a run. Steps are a list, because customers choose step
 * IDs and DynamoDB restricts names in maps.
 */
export const statsRow = (stats: RunStats): Row => ({
  ...stats,
  steps: Object.entries(stats.steps),
});

function statsOf(stored: unknown): RunStats {
  const stats = stored as RunStats & { readonly steps: readonly (readonly [string, StepStats])[] };
  return { ...stats, steps: Object.fromEntries(stats.steps) };
}

/**
 * Parses the row of a run. Does not validate the row, because only this folder writes these rows.
 */
export function runOf(row: Row): Run {
  return {
    id: row["id"],
    accountId: row["account_id"],
    watchlistId: row["watchlist_id"],
    runNumber: row["run_number"],
    trigger: row["trigger"],
    kind: row["kind"],
    phase: row["phase"],
    status: row["status"],
    startedAt: row["started_at"],
    finishedAt: row["finished_at"],
    progressAt: row["progress_at"],
    credits: row["credits"],
    stats: statsOf(row["stats"]),
    error: row["error"],
    pipeline: row["pipeline"],
    limits: limitsIn(row),
    ...(row["missing_fields"] !== undefined && { missingFields: row["missing_fields"] }),
    ...(row["shape"] !== undefined && { shape: row["shape"] }),
    ...(row["hold"] !== undefined && { hold: row["hold"] }),
    ...(row["snapshot_file"] !== undefined && { snapshot: row["snapshot_file"] }),
    plan: row["plan"],
    watchlist: row["watchlist"],
  } as Run;
}

/**
 * Returns the row of a planned step, without its key. Later writes add `decision`, `shortfall`,
 * `is_sent`, `done` and `stats`.
 */
export function stepRow(step: StepRecord): Row {
  return {
    run_id: step.runId,
    step: step.step,
    position: step.position,
    scraper: step.scraper,
    plan: step.plan,
    batches: step.batches,
    items: step.items,
    starts: step.starts,
  };
}

/**
 * Parses the row of a step. Does not validate the row, because only this folder writes these rows.
 */
export function stepRecordOf(row: Row): StepRecord {
  return {
    runId: row["run_id"],
    step: row["step"],
    position: row["position"],
    scraper: row["scraper"],
    plan: row["plan"],
    batches: row["batches"],
    items: row["items"],
    starts: row["starts"],
    decision: row["decision"] ?? null,
    shortfall: row["shortfall"] ?? null,
    isSent: row["is_sent"] ?? false,
    done: (row["done"] as ReadonlySet<number> | undefined) ?? new Set<number>(),
    stats: row["stats"] ?? null,
  } as StepRecord;
}
