import { assert } from "../../shared/base/assert.ts";
import { inParallel } from "../../shared/base/in-parallel.ts";
import { limits } from "../../shared/base/limits.ts";
import type { Progress } from "../../tools/command-line/progress.ts";
import type { DailyPrices } from "./daily-prices.ts";
import type { OpenList, PlayedRun } from "./due-runs.ts";
import type { Records } from "./records.ts";
import type { Service } from "./service.ts";
import { dayAfter, type ShopDays } from "./shop-days.ts";
import { decisionsIn, listBody, type ListName, listNames, stepId } from "./watchlists.ts";

/** Time of day at which the watchlists run, UTC. */
const runTime = "T06:00:00.000Z";
/**
 * Days between two reads of the history of all items. This is less than the 400 days that the
 * service shows, so no point expires unread. It is a multiple of the size of a window, so the read
 * of an item needs few rows.
 */
const readEveryDays = 6 * limits.historyWindowRuns;
/** Number of items whose history is read at the same time. */
const readersMax = 8;

interface Replay {
  readonly service: Service;
  readonly source: DailyPrices;
  readonly records: Records;
  readonly progress: Progress;
}

/** Totals of a replay. */
export interface Played {
  readonly days: number;
  readonly runs: number;
  readonly reads: number;
}

/** A shop during the replay. */
interface OpenShop {
  readonly days: ShopDays;
  /** The watchlists of the shop. Empty before its first day. */
  readonly lists: Map<ListName, OpenList>;
  /** IDs of the items that were added. */
  readonly items: string[];
  /** First day whose history has not been read, YYYY-MM-DD. */
  unread: string;
}

/**
 * Replays the prices of shops. On each day, the source has the prices of that day, the new products
 * are added to the watchlists of their shop, and each watchlist runs. Records the decisions that
 * the events report, and the history. Returns the totals.
 * @param days the days of all shops, YYYY-MM-DD, ascending
 * @throws Error if a run does not read all items of its watchlist
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
  const totals = { days: days.length, runs: 0, reads: 0 };
  for (const day of days) {
    replay.progress.begin(`playing ${day}`);
    const at = `${day}${runTime}`;
    replay.service.setTime(new Date(at));
    replay.source.setTime(at);
    const open = all.filter(({ days: { first, last } }) => first <= day && day <= last);
    for (const shop of open) await beginDay(shop, day, replay);
    const due = open.flatMap((shop) =>
      Array.from(shop.lists, ([name, list]) => ({ shop, name, list, day })),
    );
    const runs = await replay.service.run(due.map(({ list }) => list));
    for (const [n, run] of runs.entries()) {
      const list = due[n];
      assert(list !== undefined, "each list has a run");
      recordRun(list, run, replay.records);
      totals.runs += 1;
      totals.reads += list.shop.items.length;
    }
    for (const shop of open) await readHistory(shop, day, replay);
  }
  return totals;
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
  for (const name of listNames) {
    const list = lists.get(name);
    if (list === undefined) {
      lists.set(name, await service.createList(listBody(name, days.shop, added)));
    } else if (added.length > 0) {
      await service.addItems(list, added);
    }
  }
}

interface ListOfDay {
  readonly shop: OpenShop;
  readonly name: ListName;
  readonly day: string;
}

/** Records the decisions of a run. @throws Error if the run did not read all items */
function recordRun(
  { shop: { days, items }, name, day }: ListOfDay,
  { run, events }: PlayedRun,
  records: Records,
): void {
  const ok = run.stats.steps[stepId]?.ok ?? 0;
  if (run.status !== "completed" || ok !== items.length) {
    const read = `read ${ok} of ${items.length} items of ${days.shop}`;
    throw new Error(`The run of ${day} is ${run.status} and ${read}.`);
  }
  for (const event of events) {
    for (const { itemId, ...decision } of decisionsIn(name, event)) {
      const product = days.productOf(itemId);
      records.addDecision({ shop: days.shop, product, day, ...decision });
    }
  }
}

/**
 * Reads the history points since the previous read, and records them. Does so every `readEveryDays`
 * days, before points expire, and on the last day of the shop's prices. On other days, does
 * nothing.
 */
async function readHistory(
  shop: OpenShop,
  day: string,
  { service, records }: Replay,
): Promise<void> {
  const { days, lists, items, unread } = shop;
  const list = lists.get("changes");
  if (list === undefined || (day !== days.last && day < dayAfter(unread, readEveryDays - 1)))
    return;
  const span = { since: `${unread}T00:00:00.000Z`, until: `${day}${runTime}` };
  await inParallel(items, readersMax, async (itemId) => {
    const product = days.productOf(itemId);
    for (const { at, values } of await service.history(list, itemId, span)) {
      records.addPoint({ shop: days.shop, product, at, price: values["price"] ?? null });
    }
  });
  shop.unread = dayAfter(day, 1);
}
