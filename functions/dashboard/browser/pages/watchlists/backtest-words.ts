import type { Backtest, WatchlistRun } from "../../api/resources.ts";
import { formatCount, formatCredits, formatPercentChange } from "../../format/numbers.ts";
import type { LimitsDraft } from "./watchlist-settings.ts";

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/**
 * Returns the result of a back-test as a sentence: `These 96 runs would have reported 14 items and
 * cost 1,240 credits.`
 */
export function backtestSentence(backtest: Backtest): string {
  const { runs, credits } = backtest.total;
  const items = reportedItems(backtest);
  const begin = runs === 1 ? "This run" : `These ${formatCount(runs)} runs`;
  return `${begin} would have reported ${counted(items, "item")} in events and cost ${formatCredits(credits)}.`;
}

/**
 * Returns the credits that the repeated runs charged when they ran, with the pipeline of that time.
 * @param runs the past runs of the watchlist; only those that the back-test repeated count
 */
export function chargedCredits(backtest: Backtest, runs: readonly WatchlistRun[]): number {
  const tested = new Set(backtest.runs.map((run) => run.run_number));
  return runs
    .filter((run) => tested.has(run.run_number))
    .reduce((sum, { credits }) => sum + credits, 0);
}

/**
 * Returns a sentence that compares the credits of a pipeline in a back-test with the credits that
 * the past runs charged: `The past runs charged 2,000 credits: the pipeline above costs 760 credits
 * less (−38%).`
 * @param candidate the credits in the back-test
 * @param charged the credits that the runs charged
 */
export function comparisonSentence(candidate: number, charged: number): string {
  const difference = candidate - charged;
  const begin = `The past runs charged ${formatCredits(charged)}`;
  if (difference === 0) return `${begin}: the pipeline above costs the same.`;
  const share = charged === 0 ? "" : ` (${formatPercentChange((difference / charged) * 100)})`;
  const much = formatCredits(Math.abs(difference));
  return `${begin}: the pipeline above costs ${much} ${difference < 0 ? "less" : "more"}${share}.`;
}

/** Returns the number of items that the events of a back-test would have reported. */
export const reportedItems = ({ total }: Backtest): number =>
  Object.values(total.events).reduce((sum, count) => sum + count, 0);

/**
 * Returns sentences about what the limits of the form would have stopped in the runs of a
 * back-test.
 * @param runs the past runs of the watchlist; only those that the back-test repeated count
 * @param limits the limits of the form; a string that is not a number counts as no limit
 */
export function limitSentences(
  backtest: Backtest,
  runs: readonly WatchlistRun[],
  limits: LimitsDraft,
): readonly string[] {
  const { daily_credit_budget: daily } = limits.credits;
  const budget = Number(daily);
  const perDay = Object.values(creditsByDay(backtest));
  const over = perDay.filter((credits) => credits > budget).length;
  const tested = new Set(backtest.runs.map((run) => run.run_number));
  const held = runs.filter((run) => tested.has(run.run_number) && isHeld(run, limits)).length;
  return [
    daily.trim() === ""
      ? "No daily budget limits the runs."
      : `The daily budget of ${formatCredits(budget)} would have been reached on ${over} of ${counted(perDay.length, "day")}.`,
    limits.isBraked
      ? `The brake would have held ${held} of ${counted(tested.size, "run")}.`
      : "The brake is off.",
  ];
}

/** Returns the credits of the runs by UTC day. */
function creditsByDay({ runs }: Backtest): Readonly<Record<string, number>> {
  const days: Record<string, number> = {};
  for (const { started_at: at, credits } of runs) {
    const day = at.slice(0, "2026-11-28".length);
    days[day] = (days[day] ?? 0) + credits;
  }
  return days;
}

const wholeShare = 100;

/**
 * Returns true if the brake in the form would hold a past run, by the run's counts of read and
 * changed items.
 */
function isHeld({ stats }: WatchlistRun, { brake }: LimitsDraft): boolean {
  const entry = stats.steps[stats.entry];
  const read = (entry?.ok ?? 0) + (entry?.not_found ?? 0) - stats.new_items;
  const changed = stats.changed + stats.delisted;
  return (
    read >= Number(brake.min_items) &&
    changed * wholeShare > Number(brake.max_changed_percent) * read
  );
}

/** Returns sentences about what the back-test could not take into account. */
export function unknownSentences({
  unknown_fields: fields,
  unknown_reads: reads,
  removed_items: removed,
  left_out_runs: leftOut,
}: Backtest): readonly string[] {
  return [
    ...fields.map(
      ({ step, field }) =>
        `The history has no ${field} of step ${step} for some items. Rules that test this field did not match these items.`,
    ),
    ...reads.map(
      ({ step, reads: count }) =>
        `The past runs did not make ${counted(count, "read")} of step ${step}. The back-test uses the last known values.`,
    ),
    ...(removed > 0
      ? [
          `${counted(removed, "item was", "items were")} removed from the watchlist after the past runs, and left out.`,
        ]
      : []),
    ...(leftOut.length > 0
      ? [
          `${counted(leftOut.length, "run was", "runs were")} left out: ` +
            (leftOut.length === 1
              ? "it is held, was discarded or has not ended."
              : "they are held, were discarded or have not ended."),
        ]
      : []),
  ];
}
