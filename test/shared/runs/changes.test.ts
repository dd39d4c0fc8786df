/** Tests which changes runs count, report and record when several scrapers read the same field. */
import { describe, expect, it } from "vitest";
import type { Pipeline, Route } from "../../../shared/pipelines/definition.ts";
import { listItems } from "../../../shared/watchlists/list-items.ts";
import { presentItem } from "../../../shared/watchlists/present-item.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { startRunBench, type RunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();

const id = "B000000001";
const notify: Route = { when: "changed", notify: true };
const toLite: Route = { when: "changed", run: "lite" };

const pipelineOf = (pulse: readonly Route[], lite: readonly Route[]): Pipeline => ({
  entry: "pulse",
  baseline: "lite",
  refresh: { everyRuns: 3, entry: "lite" },
  steps: [
    { id: "pulse", scraper: "retailer_a.pulse", routes: pulse },
    { id: "lite", scraper: "retailer_a.lite", routes: lite },
  ],
});

interface Seen {
  /** The lowest new price that the pulse step reads; 10 by default. */
  readonly pulse?: number;
  /**
   * The lowest new price that the lite step reads; 10 by default, undefined if lite gets no answer.
   */
  readonly lite?: number | undefined;
  readonly price?: number;
}
interface ReportedChange {
  readonly step: string;
  readonly changes: Record<string, unknown>;
}

/** Creates a watchlist with one item that was read once, with every price at 10. */
async function watched(pipeline: Pipeline | null) {
  const bench = await startRunBench({ tables });
  const list = await bench.createList([id], { platform: "retailer_a", pipeline });
  let hour = 0;
  const next = async ({ pulse = 10, price = 10, ...seen }: Seen) => {
    const lite = "lite" in seen ? seen.lite : 10;
    bench.answers.product = (_, scraper) => {
      const lowest = scraper === "retailer_a.pulse" ? pulse : lite;
      if (lowest === undefined) return { status: "unavailable" };
      const object = { newCount: 2, newMinPrice: lowest };
      return {
        status: "ok",
        fields: { price: { amount: price, currency: "USD" }, retailer_a: object },
      };
    };
    const published = bench.published.size;
    bench.clock.set(new Date(Date.UTC(2026, 2, 1, hour)).toISOString());
    await bench.run(list);
    hour += 1;
    return reportOf(bench, list, published);
  };
  await next({});
  return { bench, list, next };
}

/**
 * Returns the steps and counts of the last run, the changes in its events, and the last change that
 * it recorded with the item. `published` is the number of events before the run.
 */
async function reportOf(bench: RunBench, list: Watchlist, published: number) {
  const { stats, runNumber } = await bench.lastRun(list);
  const events = [...bench.published.values()].slice(published);
  const entries = events
    .filter(({ type }) => type === "watchlist.product.changed")
    .flatMap(
      ({ body }) => (JSON.parse(body) as { data: { changes: ReportedChange[] } }).data.changes,
    );
  const [item] = await bench.items(list);
  const { lastChange = null } = item ?? {};
  return {
    steps: Object.keys(stats.steps),
    changed: stats.changed,
    notified: stats.notified,
    reported: entries.map(({ step, changes }) => [step, changes]),
    recorded: lastChange?.runNumber === runNumber ? lastChange.changes : null,
  };
}

const newMinPrice = (before: number, after: number) => ({ newMinPrice: { before, after } });

describe("a change of a field that two scrapers read", () => {
  it("in different runs is counted in the first run and reported in the second", async () => {
    const { next } = await watched(null);
    const scanned = await next({ pulse: 9, lite: undefined });
    expect(scanned).toMatchObject({ steps: ["pulse", "lite"], changed: 1, notified: 0 });
    expect(scanned.recorded).toEqual(newMinPrice(10, 9));

    const reported = await next({ pulse: 9, lite: 9 });
    expect(reported).toMatchObject({ changed: 0, notified: 1 });
    expect(reported.reported).toEqual([["lite", newMinPrice(10, 9)]]);
    expect(reported.recorded).toEqual(newMinPrice(10, 9));

    const quiet = { changed: 0, notified: 0, reported: [], recorded: null };
    expect(await next({ pulse: 9, lite: 9 })).toMatchObject(quiet);
  });

  it("in the same run is reported by the step whose route notifies, even if the other step read the change first", async () => {
    const { next } = await watched(pipelineOf([toLite], [notify]));
    const run = await next({ pulse: 9, lite: 9 });
    expect(run).toMatchObject({ steps: ["pulse", "lite"], changed: 1, notified: 1 });
    expect(run.reported).toEqual([["lite", newMinPrice(10, 9)]]);
  });

  it("in the same run is reported only by the first step if the routes of both steps notify", async () => {
    const { next } = await watched(pipelineOf([{ ...toLite, notify: true }], [notify]));
    const run = await next({ pulse: 9, lite: 9, price: 11 });
    expect(run).toMatchObject({ changed: 1, notified: 1 });
    expect(run.reported).toEqual([
      ["pulse", newMinPrice(10, 9)],
      ["lite", { price: { before: 10, after: 11 } }],
    ]);
    const refresh = await next({ pulse: 8, lite: 8, price: 11 });
    expect(refresh.reported).toEqual([["lite", newMinPrice(9, 8)]]);
    const sweep = await next({ pulse: 8, lite: 8, price: 11 });
    expect(sweep).toMatchObject({ steps: ["pulse"], changed: 0, notified: 0 });
  });

  it("is reported by a later run whose route notifies if an earlier refresh did not report the change", async () => {
    const { next } = await watched(pipelineOf([notify], []));
    await next({});
    const refresh = await next({ lite: 9 });
    expect(refresh).toMatchObject({ steps: ["lite"], changed: 1, notified: 0, reported: [] });
    const sweep = await next({ pulse: 9 });
    expect(sweep).toMatchObject({ steps: ["pulse"], changed: 0, notified: 1 });
    expect(sweep.reported).toEqual([["pulse", newMinPrice(10, 9)]]);
  });

  it("routes its item from the pulse step to the next step, even if an earlier refresh read the same change", async () => {
    const pipeline: Pipeline = {
      entry: "pulse",
      baseline: "full",
      refresh: { everyRuns: 3, entry: "full" },
      steps: [
        { id: "pulse", scraper: "retailer_a.pulse", routes: [toLite] },
        { id: "lite", scraper: "retailer_a.lite", routes: [{ when: "ok", notify: true }] },
        { id: "full", scraper: "retailer_a.full", routes: [] },
      ],
    };
    const { next } = await watched(pipeline);
    await next({});
    expect(await next({ lite: 9 })).toMatchObject({ steps: ["full"], changed: 1 });
    expect(await next({ pulse: 9, lite: 9 })).toMatchObject({
      steps: ["pulse", "lite"],
      changed: 0,
    });
    expect(await next({ pulse: 9, lite: 9 })).toMatchObject({ steps: ["pulse"] });
  });

  it("does not route its item to the step at lite again after a refresh at the tier lite has reported the change", async () => {
    const { next } = await watched(pipelineOf([toLite], [notify]));
    await next({});
    const refresh = await next({ lite: 9 });
    expect(refresh).toMatchObject({ steps: ["lite"], changed: 1, notified: 1 });
    expect(await next({ pulse: 9, lite: 9 })).toMatchObject({ steps: ["pulse"], changed: 0 });
  });

  it("is counted and reported again if the field had returned to the old value between the two reads", async () => {
    const { next } = await watched(pipelineOf([notify], [notify]));
    expect(await next({ pulse: 9 })).toMatchObject({ changed: 1, notified: 1 });
    // For lite, which last read 10, the price is unchanged, so no route matches.
    const back = await next({ lite: 10 });
    expect(back).toMatchObject({ steps: ["lite"], changed: 1, notified: 0 });
    expect(back.recorded).toEqual(newMinPrice(9, 10));
    const reported = await next({ pulse: 10 });
    expect(reported).toMatchObject({ changed: 0, notified: 1 });
    expect(reported.reported).toEqual([["pulse", newMinPrice(9, 10)]]);
    expect((await next({ pulse: 9 })).reported).toEqual([["pulse", newMinPrice(10, 9)]]);
  });

  it("is counted once if several offers steps with different condition filters read the change", async () => {
    const routes = [notify];
    const bench = await startRunBench({ tables });
    const list = await bench.createList([id], {
      platform: "retailer_a",
      pipeline: {
        entry: "new",
        baseline: null,
        refresh: null,
        steps: [
          {
            id: "new",
            scraper: "retailer_a.offers",
            condition: "new",
            routes: [...routes, { when: "always", run: "used" }],
          },
          { id: "used", scraper: "retailer_a.offers", condition: "used", routes },
        ],
      },
    });
    const run = async (price: number) => {
      bench.answers.offers = () => ({
        status: "ok",
        totalOffers: 1,
        offers: [
          {
            offerListingId: "o1",
            price,
            currency: "USD",
            priceDisplay: `$${price}`,
            condition: "new",
            seller: { id: "s1", name: "s1" },
            fulfillment: { isFba: false, fulfillerName: "s1" },
            isBuybox: true,
          },
        ],
      });
      const published = bench.published.size;
      await bench.run(list);
      bench.clock.advance(3_600_000);
      return reportOf(bench, list, published);
    };
    await run(10);
    const prices = { before: 10, after: 9 };
    expect(await run(9)).toMatchObject({
      steps: ["new", "used"],
      changed: 1,
      notified: 1,
      reported: [["new", { buyboxPrice: prices, lowestPrice: prices }]],
    });
  });
});

describe("the 'last_change' of an item", () => {
  it("contains each field that changed in any step of the run, with the field's first 'before' and last 'after'", async () => {
    const { bench, list, next } = await watched(
      pipelineOf([{ ...toLite, notify: true }], [notify]),
    );
    const run = await next({ pulse: 9, lite: 8, price: 11 });
    expect(run.reported).toEqual([
      ["pulse", newMinPrice(10, 9)],
      ["lite", { price: { before: 10, after: 11 }, ...newMinPrice(10, 8) }],
    ]);
    expect(run.recorded).toEqual({ price: { before: 10, after: 11 }, ...newMinPrice(10, 8) });
    const [item] = await bench.items(list);
    expect(item?.lastChange).toMatchObject({ step: "lite", scraper: "retailer_a.lite" });
  });

  it("keeps a change that an earlier step of the run reported if a later step reports another field", async () => {
    const { next } = await watched(pipelineOf([{ ...toLite, notify: true }], [notify]));
    const run = await next({ pulse: 9, lite: 9, price: 11 });
    expect(run.recorded).toEqual({ price: { before: 10, after: 11 }, ...newMinPrice(10, 9) });
  });

  it("contains a field that returned to its old value within the run, with equal 'before' and 'after'", async () => {
    const { next } = await watched(pipelineOf([{ ...toLite, notify: true }], [notify]));
    const run = await next({ pulse: 9, lite: 10 });
    expect(run.reported).toEqual([["pulse", newMinPrice(10, 9)]]);
    expect(run.recorded).toEqual(newMinPrice(10, 10));
  });

  it("contains no changes of earlier runs", async () => {
    const { next } = await watched(pipelineOf([{ ...toLite, notify: true }], [notify]));
    await next({ pulse: 9, lite: 9, price: 11 });
    expect((await next({ pulse: 9, lite: 9, price: 11 })).recorded).toBeNull();
    expect((await next({ pulse: 8, lite: 8, price: 11 })).recorded).toEqual(newMinPrice(9, 8));
  });

  it("contains each change once if every message is delivered three times", async () => {
    const pipeline = pipelineOf([{ ...toLite, notify: true }], [notify]);
    const bench = await startRunBench({ tables, deliveries: 3 });
    const list = await bench.createList([id], { platform: "retailer_a", pipeline });
    for (const [pulse, lite, price] of [
      [10, 10, 10],
      [9, 8, 11],
    ] as const) {
      bench.answers.product = (_, scraper) => ({
        status: "ok",
        fields: {
          price: { amount: price, currency: "USD" },
          retailer_a: { newMinPrice: scraper === "retailer_a.pulse" ? pulse : lite },
        },
      });
      await bench.run(list);
      bench.clock.advance(3_600_000);
    }
    const [item] = await bench.items(list);
    expect(item?.lastChange?.changes).toEqual({
      price: { before: 10, after: 11 },
      ...newMinPrice(10, 8),
    });
  });

  it("shows every change in the run's events to a client that polls with 'changed_since'", async () => {
    const { bench, list, next } = await watched(
      pipelineOf([{ ...toLite, notify: true }], [notify]),
    );
    const since = bench.clock.now();
    bench.clock.advance(1_000);
    const run = await next({ pulse: 9, lite: 9, price: 11 });
    const query = { limit: 10, startingAfter: undefined, state: undefined, changedSince: since };
    const { items } = await listItems(list.id, query, bench.pages);
    const pulled = items.map(
      ({ item }) =>
        presentItem(item, "retailer_a", { details: undefined, lastReadAt: null })["last_change"],
    );
    const reported = Object.assign({}, ...run.reported.map(([, changes]) => changes)) as object;
    expect(pulled).toMatchObject([{ run_number: 2, changes: reported }]);
    expect(Object.keys(reported).toSorted()).toEqual(["newMinPrice", "price"]);
  });
});
