import { assert } from "../../shared/base/assert.ts";
import { inParallel } from "../../shared/base/in-parallel.ts";
import { limits } from "../../shared/base/limits.ts";
import type { Progress } from "../../tools/command-line/progress.ts";
import type { DailyPrices } from "./daily-prices.ts";
import type { BacktestJudge } from "./judge-backtests.ts";
import type { OpenWatchlist, PlayedRun } from "./due-runs.ts";
import type { Records } from "./records.ts";
import type { Service } from "./service.ts";
import { settings } from "./settings.ts";
import { dayAfter, type ShopDays } from "./shop-days.ts";
import {
  decisionsIn,
  watchlistBody,
  type WatchlistName,
  watchlistNames,
  stepId,
} from "./watchlists.ts";

/** Time of day at which the watchlists run, UTC. */
const runTime = "T06:00:00.000Z";
/** Time of day at which the source returns wrong prices, on some days. */
const wrongTime = "T05:00:00.000Z";
/**
 * Days between two reads of the history of all items. The service keeps points for 400 days, so no
 * point expires before it is read. The number is a multiple of the window size, because then a read
 * needs few rows.
 */
const readEveryDays = 6 * limits.historyWindowRuns;
/** Number of items whose history is read at the same time. */
const readersMax = 8;

interface Replay {
  readonly service: Service;
  readonly source: DailyPrices;
  readonly records: Records;
  readonly backtests: Pick<BacktestJudge, "addRun" | "compare">;
  readonly progress: Progress;
}

/** Totals of a replay. */
export interface Played {
  readonly days: number;
  /** The number of runs with the recorded prices. */
  readonly runs: number;
  /** The number of items that these runs read. */
  readonly reads: number;
  /** The number of runs that the brakes did not hold. */
  readonly passed: number;
  /** The number of runs with wrong prices only, which the brakes held. Not part of `runs`. */
  readonly held: number;
  /**
   * The number of runs with some wrong prices, which the brakes held because of the shape of the
   * answers. Not part of `runs`.
   */
  readonly heldForShape: number;
}

/** A shop during the replay. */
interface OpenShop {
  readonly days: ShopDays;
  /** The watchlists of the shop, by name. Empty before the first day of the shop. */
  readonly lists: Map<WatchlistName, OpenWatchlist>;
  /** IDs of the items that were added. */
  readonly items: string[];
  /** First day whose history has not been read, YYYY-MM-DD. */
  unread: string;
}

/**
 * Replays the recorded prices of shops, day by day. On each day, sets the prices of the source,
 * adds new products to the watchlists of their shop, and runs each watchlist. Records the decisions
 * in the events, the decisions of the brakes, and the history. Two days of each month begin with an
 * additional run with wrong prices: all prices on the first day, some prices on the 15th. The
 * replay discards these runs, so they must not affect the other records. The judge of the
 * back-tests receives all other runs.
 * @param days The days of all shops in ascending order, as `YYYY-MM-DD`.
 * @returns The totals.
 * @throws Error if a run does not read all items of its watchlist.
 * @throws Error if a brake holds a run with the recorded prices, or does not hold a run with wrong
 * prices.
 */
export async function playDays(
  shops: readonly ShopDays[],
  days: readonly string[],
  replay: Replay,
): Promise<Played> {
  const all: readonly OpenShop[] = shops.map((shop) => ({
    days: shop,
    lists: new Map(),
    items: [],
    unread: shop.first,
  }));
  const totals = { days: days.length, runs: 0, reads: 0, passed: 0, held: 0, heldForShape: 0 };
  for (const day of days) {
    replay.progress.begin(`playing ${day}`);
    setTime(`${day}${isWrongDay(day) || isPartlyWrongDay(day) ? wrongTime : runTime}`, replay);
    const open = all.filter(({ days: { first, last } }) => first <= day && day <= last);
    for (const shop of open) await beginDay(shop, day, replay);
    const due = open.flatMap((shop) =>
      Array.from(shop.lists, ([name, watchlist]) => ({ shop, name, watchlist, day })),
    );
    const allWrong = isWrongDay(day) ? due.filter(canBeHeld) : [];
    const partlyWrong = isPartlyWrongDay(day) ? due.filter(canBeHeldForShape) : [];
    totals.held += await playWrongRuns(allWrong, replay);
    totals.heldForShape += await playPartlyWrongRuns(partlyWrong, replay);
    const wrong = [...allWrong, ...partlyWrong];
    setTime(`${day}${runTime}`, replay);
    await playRuns(
      due.filter((watchlist) => !wrong.includes(watchlist)),
      "run",
      replay,
    );
    // The additional run has postponed the due run, so the regular run is started manually.
    await playRuns(wrong, "runNow", replay);
    totals.runs += due.length;
    totals.passed += due.length;
    totals.reads += due.reduce((sum, { shop }) => sum + shop.items.length, 0);
    for (const shop of open.filter((one) => isDue(one, day))) {
      await readHistory(shop, day, replay);
      await replay.backtests.compare(shop.lists);
    }
  }
  return totals;
}

function setTime(at: string, { service, source }: Replay): void {
  service.setTime(new Date(at));
  source.setTime(at);
}

/** Sets the prices of a day and adds the new items. Creates the watchlists on the first day. */
async function beginDay(
  { days, lists, items }: OpenShop,
  day: string,
  { service, source }: Replay,
): Promise<void> {
  const { added, prices } = days.planOf(day);
  for (const { itemId, price } of prices) source.setPrice(itemId, price);
  items.push(...added);
  for (const name of watchlistNames) {
    const watchlist = lists.get(name);
    if (watchlist === undefined) {
      lists.set(name, await service.createWatchlist(watchlistBody(name, days.shop, added)));
    } else if (added.length > 0) {
      await service.addItems(watchlist, added);
    }
  }
}

/** Plays runs with the prices of the day. @throws Error if a run is held or not complete */
async function playRuns(
  due: readonly WatchlistOfDay[],
  start: "run" | "runNow",
  { service, records, backtests }: Replay,
): Promise<void> {
  const runs = await service[start](due.map(({ watchlist }) => watchlist));
  for (const [watchlist, playedRun] of inPairs(due, runs)) {
    recordRun(watchlist, playedRun, records);
    backtests.addRun(watchlist.name, watchlist.watchlist, playedRun);
    const { changed, steps } = playedRun.run.stats;
    const read = steps[stepId]?.ok ?? 0;
    records.addRun({ ...runOf(watchlist), factor: 1, changed, read, isHeld: false });
  }
}

const isWrongDay = (day: string): boolean => day.endsWith("-01");
const isPartlyWrongDay = (day: string): boolean => day.endsWith("-15");

/**
 * Returns true if wrong prices of some items are a clear change of the shape: enough items have an
 * earlier price, and the recorded price changes for few of them. If most recorded prices change on
 * the same day, wrong prices differ from the earlier prices by many factors.
 */
function canBeHeldForShape({ shop: { days, items }, day }: WatchlistOfDay): boolean {
  const { added, prices } = days.planOf(day);
  const earlier = items.length - added.length;
  const changed = prices.length - added.length;
  return (
    day > days.first &&
    earlier >= settings.partlyWrongItemsMin &&
    changed * 100 <= settings.partlyWrongChangedPercentMax * earlier
  );
}

/**
 * Returns true if the brake can hold a run. It never holds the first run of a watchlist, or a run in
 * which few items have earlier prices.
 */
const canBeHeld = ({ shop: { days, items }, day }: WatchlistOfDay): boolean =>
  day > days.first && items.length - days.planOf(day).added.length >= settings.brake.minItems;

/**
 * Plays runs with all prices multiplied by 100, and discards them. Returns their number.
 * @throws Error if a run is not held
 */
async function playWrongRuns(
  due: readonly WatchlistOfDay[],
  { service, source, records }: Replay,
): Promise<number> {
  if (due.length === 0) return 0;
  const factor = settings.wrongTimes;
  source.setFactor(factor);
  const runs = await service.runNow(due.map(({ watchlist }) => watchlist));
  source.setFactor(1);
  for (const [watchlist, { run, events }] of inPairs(due, runs)) {
    if (run.phase !== "held" || run.hold === undefined) {
      const { day, shop } = watchlist;
      throw new Error(
        `The brake of the watchlist did not hold the run of the shop ${shop.days.shop} on ${day}, although all its prices are wrong (phase: ${run.phase}). Correct the brake, or the factor in scripts/replay/settings.ts.`,
      );
    }
    recordDecisions(watchlist, events, records);
    const { changedItems: changed, readItems: read } = run.hold;
    records.addRun({ ...runOf(watchlist), factor, changed, read, isHeld: true });
  }
  await service.discard(
    runs.map(({ run }) => run),
    `The source sent prices multiplied by ${factor}.`,
  );
  return runs.length;
}

/**
 * Runs watchlists while one of `settings.wrongEvery` prices is multiplied by 100, and discards
 * these runs. Returns the number of runs. The changes are too few for the limit of the brake, so
 * the brake must hold each run because of the shape of the answers.
 * @throws Error if the brake does not hold a run, or holds it for another reason.
 */
async function playPartlyWrongRuns(
  due: readonly WatchlistOfDay[],
  { service, source }: Replay,
): Promise<number> {
  if (due.length === 0) return 0;
  const { wrongTimes: factor, wrongEvery } = settings;
  source.setFactor(factor, wrongEvery);
  const runs = await service.runNow(due.map(({ watchlist }) => watchlist));
  source.setFactor(1);
  for (const [{ day, shop }, { run }] of inPairs(due, runs)) {
    const foundFactor = run.shape?.priceJump?.factor ?? 1;
    if (run.phase !== "held" || Math.abs(foundFactor / factor - 1) > 0.01) {
      throw new Error(
        `The brake of the watchlist must hold the run of the shop ${shop.days.shop} on ${day}, because some of its prices are multiplied by ` +
          `${factor} (got the phase ${run.phase} and the factor ${foundFactor}). Correct the brake, or the settings in scripts/replay/settings.ts.`,
      );
    }
  }
  await service.discard(
    runs.map(({ run }) => run),
    `The source sent some prices multiplied by ${factor}.`,
  );
  return runs.length;
}

const runOf = ({ shop, name, day }: WatchlistOfDay) => ({ shop: shop.days.shop, list: name, day });

function inPairs<One, Other>(
  ones: readonly One[],
  others: readonly Other[],
): readonly (readonly [One, Other])[] {
  return ones.map((one, n) => {
    const other = others[n];
    assert(other !== undefined, "each watchlist must have a run");
    return [one, other];
  });
}

interface WatchlistOfDay {
  readonly shop: OpenShop;
  readonly name: WatchlistName;
  readonly watchlist: OpenWatchlist;
  readonly day: string;
}

/**
 * Records the decisions of a run.
 * @throws Error if the run is held or did not read all items
 */
function recordRun(watchlist: WatchlistOfDay, { run, events }: PlayedRun, records: Records): void {
  const { shop, day } = watchlist;
  const { days, items } = shop;
  const ok = run.stats.steps[stepId]?.ok ?? 0;
  if (run.status !== "completed" || ok !== items.length) {
    throw new Error(
      `The run of the shop ${days.shop} on ${day} did not read all ${items.length} items ` +
        `(status: ${run.status}, items read: ${ok}). Look for the cause in the run engine or in the source of the replay.`,
    );
  }
  if (run.hold !== undefined) {
    throw new Error(
      `The brake of the watchlist held the run of the shop ${days.shop} on ${day}, although the run read the recorded prices. Correct the brake, or its limits in scripts/replay/settings.ts.`,
    );
  }
  recordDecisions(watchlist, events, records);
}

function recordDecisions(
  { shop: { days }, name, day }: WatchlistOfDay,
  events: PlayedRun["events"],
  records: Records,
): void {
  for (const event of events) {
    for (const { itemId, ...decision } of decisionsIn(name, event)) {
      const product = days.productOf(itemId);
      records.addDecision({ shop: days.shop, product, day, ...decision });
    }
  }
}

/**
 * Returns true if the history of a shop must be read on this day: on its last day, and every
 * `readEveryDays` days, so that it is read before its points expire.
 */
const isDue = ({ days, unread }: OpenShop, day: string): boolean =>
  day === days.last || day >= dayAfter(unread, readEveryDays - 1);

/** Reads the history points since the previous read, and records them. */
async function readHistory(
  shop: OpenShop,
  day: string,
  { service, records }: Replay,
): Promise<void> {
  const { days, lists, items, unread } = shop;
  const watchlist = lists.get("changes");
  assert(watchlist !== undefined, "the watchlists of a shop must exist from its first day on");
  const span = { since: `${unread}T00:00:00.000Z`, until: `${day}${runTime}` };
  await inParallel(items, readersMax, async (itemId) => {
    const product = days.productOf(itemId);
    for (const { at, values } of await service.history(watchlist, itemId, span)) {
      records.addPoint({ shop: days.shop, product, at, price: values["price"] ?? null });
    }
  });
  shop.unread = dayAfter(day, 1);
}
