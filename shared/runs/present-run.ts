import { type Pipeline, runOrder } from "../pipelines/definition.ts";
import { holdExpiresAt } from "./hold.ts";
import type { Hold, Run, RunStats, RunStatus, RunWatchlist, ShapeChange } from "./run.ts";
import type { StepStats } from "./step.ts";
import { isAlarming, holdsEvents } from "./source-shape.ts";

/**
 * Converts a run to the run object of API responses and of the `watchlist.run.completed` event
 * (specification, section "Events"). The `status` of the run object is `running` until the run has
 * an end time, and `held` while a held run waits for the decision of a client.
 */
export function presentRun(run: Run): Record<string, unknown> {
  return {
    id: run.id,
    object: "watchlist_run",
    watchlist_id: run.watchlistId,
    run_number: run.runNumber,
    trigger: run.trigger,
    kind: run.kind,
    status: shownStatus(run),
    credits: run.credits,
    stats: presentStats(isUnsent(run) ? unsentStats(run.stats) : run.stats, run.pipeline),
    error: run.error,
    ...(run.hold !== undefined && { brake: presentHold(run, run.hold) }),
    ...(run.shape !== undefined &&
      isAlarming(run.shape) && { source_shape: presentShape(run.shape) }),
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    watchlist: run.watchlist === null ? null : presentRunWatchlist(run.watchlist),
  };
}

/**
 * Converts a run to the run object of API responses. A run in phase `holding` has the status
 * `running`, because clients cannot release or discard it yet.
 */
export function presentStoredRun(run: Run): Record<string, unknown> {
  if (run.phase !== "holding") return presentRun(run);
  const { hold: _, ...ending } = run;
  return presentRun({ ...ending, finishedAt: null });
}

/** Returns true for a run whose item events are held or were discarded. */
const isUnsent = ({ hold }: Run): boolean => hold !== undefined && hold.status !== "released";

const unsentStats = (stats: RunStats): RunStats => ({
  ...stats,
  matched: 0,
  ...(stats.notified !== undefined && { notified: 0 }),
});

function shownStatus({ finishedAt, hold, status }: Run): RunStatus | "held" {
  // The final status is stored before the stats and credits are final. Until `finishedAt` is set,
  // clients therefore see the status `running`.
  if (finishedAt === null) return "running";
  return hold?.status === "held" ? "held" : status;
}

const presentHold = (run: Run, hold: Hold): Record<string, unknown> => ({
  status: hold.status,
  cause: run.shape !== undefined && holdsEvents(run.shape) ? "source_shape" : "changed_items",
  changed_items: hold.changedItems,
  read_items: hold.readItems,
  max_changed_percent: run.limits.brake?.maxChangedPercent ?? null,
  min_items: run.limits.brake?.minItems ?? null,
  notified: run.stats.notified ?? 0,
  matched: run.stats.matched,
  expires_at: hold.status === "held" ? holdExpiresAt(run).toISOString() : null,
  decided_at: hold.decidedAt,
  reason: hold.reason,
});

const presentShape = ({
  priceJump,
  lostFields,
  incompleteItems,
}: ShapeChange): Record<string, unknown> => ({
  price_factor: priceJump?.factor ?? null,
  price_items: priceJump?.items ?? null,
  lost_fields: [...new Set(lostFields?.map((field) => field.slice(field.indexOf(".") + 1)))],
  incomplete_items: incompleteItems ?? null,
});

/**
 * Returns the stats with steps in run order. A stored map has no order, but the same event must
 * always have the same bytes.
 */
function presentStats(stats: RunStats, pipeline: Pipeline): Record<string, unknown> {
  return {
    tracked: stats.tracked,
    entry: stats.entry,
    new_items: stats.newItems,
    steps: Object.fromEntries(
      runOrder(pipeline).flatMap(({ id }) => {
        const step = Object.hasOwn(stats.steps, id) ? stats.steps[id] : undefined;
        return step === undefined ? [] : [[id, presentStep(step)]];
      }),
    ),
    matched: stats.matched,
    deferred: stats.deferred,
    changed: stats.changed,
    // Runs of an earlier release lack this field. Their events must keep their bytes.
    ...(stats.notified !== undefined && { notified: stats.notified }),
    delisted: stats.delisted,
    retry_next_run: stats.retryNextRun,
  };
}

const presentStep = (step: StepStats): Record<string, unknown> => ({
  scraper: step.scraper,
  requested: step.requested,
  ok: step.ok,
  partial: step.partial,
  not_found: step.notFound,
  unavailable: step.unavailable,
  credits: step.credits,
  skipped: step.skipped,
});

const presentRunWatchlist = (watchlist: RunWatchlist): Record<string, unknown> => ({
  id: watchlist.id,
  name: watchlist.name,
  platform: watchlist.platform,
  marketplace: watchlist.marketplace,
  status: watchlist.status,
  paused_reason: watchlist.pausedReason,
  next_run_at: watchlist.nextRunAt,
});
