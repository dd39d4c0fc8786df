import type { Clock } from "../base/clock.ts";
import { inParallel } from "../base/in-parallel.ts";
import type { HistoryPoint } from "../history/history.ts";
import type { HistoryStore } from "../history/history-store.ts";
import { historyStart } from "../history/kept-history.ts";
import { comparedWith, isReturn, lastNumberIn } from "../history/last-known.ts";
import { itemIdOf, pointOf } from "../history/point-lines.ts";
import { presentDifference } from "../history/present-history.ts";
import { presentKnownDetails } from "../watchlists/item-details.ts";
import { isChange } from "./compared-items.ts";
import type { ItemOutcome } from "./item-outcome.ts";
import { presentStoredRun } from "./present-run.ts";
import type { Run } from "./run.ts";
import { type RunResults, runResults } from "./run-results.ts";
import type { StepStore } from "./step-store.ts";

interface DetailDependencies {
  readonly steps: StepStore;
  readonly history: Pick<HistoryStore, "item">;
  readonly clock: Clock;
}

/** A change that the brake of a held run counts. */
interface HeldChange {
  /** ID of the step that read the change. */
  readonly step: string;
  readonly outcome: ItemOutcome;
}

/** Number of items whose history is read at the same time. */
const readsAtOnce = 10;

/**
 * Converts a run to the response of `GET /v1/watchlists/{id}/runs/{run_number}`. A held run also
 * has the first `limit` changes that its brake counts, in run order, so that a person can decide
 * whether to release the run.
 */
export async function presentRunDetail(
  run: Run,
  limit: number,
  dependencies: DetailDependencies,
): Promise<Record<string, unknown>> {
  const isHeld = run.phase === "held" && run.hold?.status === "held";
  return {
    ...presentStoredRun(run),
    held_changes: isHeld ? await heldChanges(run, limit, dependencies) : null,
  };
}

/** Returns the first `limit` changes of a held run in their form in API responses. */
async function heldChanges(run: Run, limit: number, dependencies: DetailDependencies) {
  const results = runResults(await dependencies.steps.list(run.id), dependencies.steps);
  const listed = await firstChanges(results, limit);
  const pointsOf = await heldPoints(results, new Set(listed.filter(hasReturn).map(idOf)));
  return inParallel(listed, readsAtOnce, async (held) => {
    const points = hasReturn(held)
      ? await pointsBefore(held, { run, own: pointsOf.get(idOf(held)) ?? [] }, dependencies)
      : [];
    return presentHeldChange(held, run, points);
  });
}

/** Reads the results of a run until `limit` changes are found. Returns these changes. */
async function firstChanges(results: RunResults, limit: number): Promise<readonly HeldChange[]> {
  const changes: HeldChange[] = [];
  for (const record of results.steps) {
    const { step } = record;
    for await (const { outcomes } of results.of(record)) {
      changes.push(...outcomes.filter(isChange).map((outcome) => ({ step, outcome })));
      if (changes.length >= limit) return changes.slice(0, limit);
    }
  }
  return changes;
}

const idOf = ({ outcome }: HeldChange): string => outcome.id;

/** Returns true if a field has a number again after null, so that its last number must be found. */
const hasReturn = ({ outcome }: HeldChange): boolean =>
  Object.values(outcome.changes ?? {}).some(isReturn);

/**
 * Returns the history points of the items `ids` in a held run, by item ID. The history does not
 * have these points yet.
 */
async function heldPoints(
  results: RunResults,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly HistoryPoint[]>> {
  const held: HistoryPoint[] = [];
  if (ids.size === 0) return new Map();
  for (const step of results.steps) {
    for await (const { points } of results.of(step)) {
      held.push(...points.filter((line) => ids.has(itemIdOf(line))).map(pointOf));
    }
  }
  return Map.groupBy(held, ({ id }) => id);
}

/**
 * Returns the points of an item before a held change: from the history, and then from earlier steps
 * of the run.
 */
async function pointsBefore(
  { step, outcome: { id, at } }: HeldChange,
  { run, own }: { readonly run: Run; readonly own: readonly HistoryPoint[] },
  { history, clock }: Pick<DetailDependencies, "clock" | "history">,
): Promise<readonly Pick<HistoryPoint, "status" | "values">[]> {
  const { watchlistId, runNumber } = run;
  const since = historyStart(clock.now());
  const earlier = await history.item({ watchlistId, itemId: id, since, until: at });
  const current = own.findIndex((point) => point.step === step);
  return [
    // If a client has released the run since the caller read it, the history may contain the points
    // of the run.
    ...earlier.filter((point) => point.runNumber < runNumber),
    ...own.slice(0, current === -1 ? own.length : current),
  ];
}

/** Converts a held change to its form in API responses. `points` precede the change. */
function presentHeldChange(
  { step, outcome }: HeldChange,
  { watchlistId, runNumber }: Run,
  points: Awaited<ReturnType<typeof pointsBefore>>,
): Record<string, unknown> {
  const { id: itemId, at, details, lastSnapshot, changes } = outcome;
  const compared = Object.entries(changes ?? {}).map(([field, { before, after }]) => {
    const change = { watchlistId, itemId, field, before, after, at, runNumber, step };
    const lastKnown = isReturn(change) ? lastNumberIn(points, field) : before;
    const comparedChange = comparedWith(change, lastKnown);
    return [
      field,
      { kind: comparedChange.kind, before, after, ...presentDifference(comparedChange) },
    ] as const;
  });
  return {
    item_id: itemId,
    ...presentKnownDetails(details ?? {}),
    changed_at: at,
    step,
    is_delisted: lastSnapshot !== undefined && lastSnapshot !== null,
    changes: Object.fromEntries(compared),
  };
}
