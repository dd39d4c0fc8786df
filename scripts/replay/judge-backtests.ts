import { createHash } from "node:crypto";
import type { TestedRun } from "../../shared/backtest/backtest.ts";
import { entriesOf } from "../../shared/played-runs/event-entries.ts";
import { assert } from "../../shared/base/assert.ts";
import type { OpenWatchlist } from "./due-runs.ts";
import type { Comparison } from "./judge.ts";
import type { Service } from "./service.ts";
import { isWithoutRouteState, type WatchlistName } from "./watchlists.ts";

/**
 * Compares back-tests with the events of the runs. Each shop has two watchlists with the same items
 * and prices. Each watchlist is back-tested with its own pipeline, and with that of the other.
 */
export interface BacktestJudge {
  /** Keeps the entries of the events of a run until they are compared. */
  addRun(name: WatchlistName, list: OpenWatchlist, played: TestedRun): void;
  /**
   * Back-tests the runs of a shop since the last comparison. Compares the entries of the back-tests
   * with the entries of the events that the runs sent. The runs and their history must still be
   * stored.
   */
  compare(lists: ReadonlyMap<WatchlistName, OpenWatchlist>): Promise<void>;
  /**
   * The results for all shops: `backtest` for back-tests with the watchlist's own pipeline,
   * `backtest other` for back-tests with the pipeline of the other watchlist.
   */
  comparisons(): readonly Comparison[];
}

const examplesMax = 5;

/** The runs of a watchlist since the last comparison. */
interface Span {
  /** The start of the first run of the span, or null before the first run. */
  readonly since: string | null;
  /** True if the first run of the span is the first run of the watchlist. */
  readonly isFirst: boolean;
  /** The number of entries, by their content. */
  readonly entries: Map<string, number>;
}

const noRuns = (isFirst: boolean): Span => ({ since: null, isFirst, entries: new Map() });

interface Sums {
  equal: number;
  missing: number;
  unexpected: number;
  readonly examples: string[];
}

/**
 * Creates a judge that back-tests the watchlists of a service, and compares the results of each
 * back-test with the events of the repeated runs.
 */
export function backtestJudge(service: Pick<Service, "backtest">): BacktestJudge {
  const spans = new Map<string, Span>();
  const own = noSums();
  const other = noSums();
  const spanOf = ({ watchlistId }: OpenWatchlist): Span => spans.get(watchlistId) ?? noRuns(true);
  return {
    addRun(name, watchlist, playedRun) {
      const span = spanOf(watchlist);
      spans.set(watchlist.watchlistId, { ...span, since: span.since ?? playedRun.run.startedAt });
      countEntries(span.entries, playedRun, { name, isFirst: span.isFirst });
    },
    async compare(lists) {
      const open = [...lists].map(([name, watchlist]) => ({
        name,
        watchlist,
        span: spanOf(watchlist),
      }));
      for (const { watchlist } of open) {
        for (const { name, watchlist: watchlistOfName, span } of open) {
          const { since, isFirst, entries } = span;
          assert(since !== null, "each watchlist must run on each day of its shop");
          const testedEntries = new Map<string, number>();
          await service.backtest(watchlist, { pipelineOf: name, since }, (tested) => {
            countEntries(testedEntries, tested, { name, isFirst });
          });
          addDifference(watchlist === watchlistOfName ? own : other, entries, testedEntries);
        }
      }
      for (const { watchlist } of open) spans.set(watchlist.watchlistId, noRuns(false));
    },
    comparisons: () => [
      { name: "backtest", ...own },
      { name: "backtest other", ...other },
    ],
  };
}

const noSums = (): Sums => ({ equal: 0, missing: 0, unexpected: 0, examples: [] });

/**
 * Adds the entries of the events of a run to the counts. In a back-test, a route with a state, such
 * as a cooldown, begins without this state. Entries of such a route are therefore added only if the
 * span begins with the first run of the watchlist.
 */
function countEntries(
  entries: Map<string, number>,
  { run, events }: TestedRun,
  { name, isFirst }: { readonly name: WatchlistName; readonly isFirst: boolean },
): void {
  const comparable = events.filter(({ type }) => isFirst || isWithoutRouteState(name, type));
  for (const { type, entry } of entriesOf({ run, events: comparable })) {
    const digest = createHash("sha256").update(JSON.stringify(entry)).digest("base64url");
    const key = `run ${run.runNumber}: ${type} of ${String(entry["id"])}, ${digest.slice(0, 16)}`;
    entries.set(key, (entries.get(key) ?? 0) + 1);
  }
}

function addDifference(
  sums: Sums,
  expected: ReadonlyMap<string, number>,
  testedEntries: ReadonlyMap<string, number>,
): void {
  for (const key of new Set([...expected.keys(), ...testedEntries.keys()])) {
    const [wanted, had] = [expected.get(key) ?? 0, testedEntries.get(key) ?? 0];
    sums.equal += Math.min(wanted, had);
    sums.missing += Math.max(0, wanted - had);
    sums.unexpected += Math.max(0, had - wanted);
    if (wanted !== had && sums.examples.length < examplesMax) {
      sums.examples.push(`${key}: ${wanted} stored, ${had} in the back-test`);
    }
  }
}
