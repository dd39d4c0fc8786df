/**
 * Tests the specification's sections on the default pipeline of retailer_a and on the billing of runs.
 */
import { describe, expect, it } from "vitest";
import type { Pipeline, Step } from "../../../shared/pipelines/definition.ts";
import type { Offer } from "../../../shared/scrapers/offer.ts";
import { newItem } from "../../../shared/watchlists/item.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();

const first = "B000000001";
const second = "B000000002";
const third = "B000000003";

interface Listing {
  readonly price: number;
  readonly lowest: number;
  readonly offer?: string | null;
}
const product = ({ price, lowest, offer = "o1" }: Listing): Record<string, unknown> => ({
  price: { amount: price, currency: "USD" },
  availability: { inStock: true, message: "" },
  retailer_a: {
    newCount: 2,
    newMinPrice: lowest,
    buybox: offer === null ? null : { offerListingId: offer, isFba: true },
  },
});
const offer = (id: string, price: number, isBuybox = false): Offer => ({
  offerListingId: id,
  price,
  currency: "USD",
  priceDisplay: `$${price}`,
  condition: isBuybox ? "new" : "used_good",
  seller: { id: `S${id}`, name: id },
  fulfillment: { isFba: false, fulfillerName: id },
  isBuybox,
});

/**
 * Opens a bench with a watchlist whose items were read once. Each call of `next` plays a run, one
 * hour after the run before.
 */
async function watched(
  ids: readonly string[],
  overrides: Partial<Watchlist> = {},
): Promise<{ bench: RunBench; list: Watchlist; next: () => Promise<void> }> {
  const bench = await startRunBench({ tables });
  const list = await bench.createList(ids, { platform: "retailer_a", ...overrides });
  bench.answers.product = () => ({ status: "ok", fields: product({ price: 10, lowest: 10 }) });
  bench.answers.offers = () => ({
    status: "ok",
    totalOffers: 1,
    offers: [offer("o1", 10, true)],
  });
  await bench.run(list);
  let hour = 0;
  const next = async (): Promise<void> => {
    hour += 1;
    bench.clock.set(new Date(Date.UTC(2026, 2, 1, hour)).toISOString());
    await bench.run(list);
  };
  return { bench, list, next };
}

const steps = async (bench: RunBench, list: Watchlist) => {
  const { stats } = await bench.lastRun(list);
  return Object.fromEntries(
    Object.entries(stats.steps).map(([id, { requested, credits }]) => [id, { requested, credits }]),
  );
};
const entries = (bench: RunBench, type: string, key: string): Record<string, unknown>[] =>
  [...bench.published.values()]
    .filter((event) => event.type === type)
    .flatMap(({ body }) => (JSON.parse(body) as { data: Record<string, never[]> }).data[key] ?? []);

describe("the default pipeline of retailer_a", () => {
  it("reads each new item once, at the tier full", async () => {
    const { bench, list } = await watched([first, second]);
    expect(await steps(bench, list)).toEqual({ full: { requested: 2, credits: 10 } });
  });

  it("reads every item at the tier pulse, and makes no other read if nothing changed", async () => {
    const { bench, list, next } = await watched([first, second, third]);
    await next();
    expect(await steps(bench, list)).toEqual({ pulse: { requested: 3, credits: 1 } });
    expect(await bench.lastRun(list)).toMatchObject({ kind: "sweep", credits: 1 });
  });

  it("reads items at the tier lite if the pulse read finds another lowest new price, and reports their changes", async () => {
    const { bench, list, next } = await watched([first, second, third]);
    bench.answers.product = (id) => ({
      status: "ok",
      fields: product(id === second ? { price: 9, lowest: 9 } : { price: 10, lowest: 10 }),
    });
    await next();
    expect(await steps(bench, list)).toEqual({
      pulse: { requested: 3, credits: 1 },
      lite: { requested: 1, credits: 1 },
    });
    expect(entries(bench, "watchlist.product.changed", "changes")).toEqual([
      expect.objectContaining({
        id: second,
        asin: second,
        step: "lite",
        tier: "lite",
        scraper: "retailer_a.lite",
        changes: {
          price: { before: 10, after: 9 },
          newMinPrice: { before: 10, after: 9 },
        },
        snapshot: expect.objectContaining({ price: 9, newMinPrice: 9, newCount: 2 }),
      }),
    ]);
  });

  it("reads items at the tier lite in every run while their last buy box price is above the lowest offer", async () => {
    const { bench, list, next } = await watched([first, second]);
    bench.answers.product = (id) => ({
      status: "ok",
      fields: product({ price: 10, lowest: id === first ? 8 : 10 }),
    });
    for (const times of [1, 2]) {
      await next();
      expect(await steps(bench, list), `run ${times}`).toMatchObject({ lite: { requested: 1 } });
    }
    expect(entries(bench, "watchlist.product.changed", "changes")).toHaveLength(1);
  });

  it("reads an item at the tier lite if the item has an owed retry there, even if the pulse read finds no change", async () => {
    const { bench, list, next } = await watched([first]);
    bench.answers.product = (_, scraper) =>
      scraper === "retailer_a.lite"
        ? { status: "unavailable" }
        : { status: "ok", fields: product({ price: 9, lowest: 9 }) };
    await next();
    expect(await bench.lastRun(list)).toMatchObject({ stats: { retryNextRun: 1 }, credits: 1 });
    bench.answers.product = () => ({ status: "ok", fields: product({ price: 9, lowest: 9 }) });
    await next();
    expect(await steps(bench, list)).toMatchObject({ lite: { requested: 1, credits: 1 } });
    expect(entries(bench, "watchlist.product.changed", "changes")).toHaveLength(1);
    await next();
    expect(await steps(bench, list)).toEqual({ pulse: { requested: 1, credits: 1 } });
  });

  it("reads every item at the tier lite instead of pulse in each run whose number is a multiple of 'refresh_every_runs'", async () => {
    const { bench, list, next } = await watched([first, second], { refreshEveryRuns: 3 });
    const seen: unknown[] = [];
    for (let run = 2; run <= 6; run += 1) {
      await next();
      const { kind, stats } = await bench.lastRun(list);
      seen.push([kind, stats.entry, Object.keys(stats.steps)]);
    }
    expect(seen).toEqual([
      ["sweep", "pulse", ["pulse"]],
      ["refresh", "lite", ["lite"]],
      ["sweep", "pulse", ["pulse"]],
      ["sweep", "pulse", ["pulse"]],
      ["refresh", "lite", ["lite"]],
    ]);
  });

  it("makes no refresh if 'refresh_every_runs' is 0", async () => {
    const { bench, list, next } = await watched([first], { refreshEveryRuns: 0 });
    for (let run = 2; run <= 9; run += 1) await next();
    const { runs } = await bench.runs.list(list.id, 10);
    expect(new Set(runs.map(({ kind }) => kind))).toEqual(new Set(["baseline", "sweep"]));
  });

  it("reads an item that was added later exactly once, at the tier full, and reports no change of this item", async () => {
    const { bench, list, next } = await watched([first]);
    const [page] = await Array.fromAsync(bench.pages.pages(list.id));
    if (page === undefined) throw new Error("The watchlist has no page");
    const added = newItem(second, bench.clock.now().toISOString());
    await bench.pages.replace({ ...list, watchlistId: list.id }, [page], [...page.items, added]);
    await next();
    expect(await steps(bench, list)).toEqual({
      pulse: { requested: 1, credits: 1 },
      full: { requested: 1, credits: 5 },
    });
    expect(await bench.lastRun(list)).toMatchObject({
      kind: "sweep",
      stats: { newItems: 1, tracked: 2, changed: 0 },
    });
  });
});

/** Returns a pipeline that starts with this step in every run. */
const only = (step: Omit<Step, "id">, ...more: Step[]): Pipeline => ({
  entry: "s",
  baseline: null,
  refresh: null,
  steps: [{ id: "s", ...step }, ...more],
});

describe("a step of a pipeline for offers", () => {
  const pipeline = only({
    scraper: "retailer_a.offers",
    routes: [{ when: "changed", field: "lowestPrice", op: "decreased", notify: true }],
  });

  it("charges 1 credit for a listing without offers or with one offer, and 3 credits for any other listing", async () => {
    const { bench, list, next } = await watched([first, second, third], { pipeline });
    bench.answers.offers = (id) => {
      if (id === first) return { status: "not_found" };
      const offers = [offer("o1", 10, true), offer("o2", 9)];
      return {
        status: "ok",
        totalOffers: id === second ? 1 : 2,
        offers: offers.slice(0, id === second ? 1 : 2),
      };
    };
    await next();
    expect(await steps(bench, list)).toEqual({ s: { requested: 3, credits: 5 } });
  });

  it("refunds the credits of listings without an answer", async () => {
    const { bench, list, next } = await watched([first], { pipeline });
    bench.answers.offers = () => ({ status: "unavailable" });
    await next();
    expect(await steps(bench, list)).toEqual({ s: { requested: 1, credits: 0 } });
    expect(await bench.account()).toMatchObject({ held: 0 });
  });

  it("reports changes of offer fields, for example 'lowestPrice'", async () => {
    const { bench, next } = await watched([first], { pipeline });
    const offers = [offer("o1", 10, true), offer("o2", 9)];
    bench.answers.offers = () => ({ status: "ok", totalOffers: 2, offers });
    await next();
    expect(entries(bench, "watchlist.product.changed", "changes")).toEqual([
      expect.objectContaining({
        changes: {
          offerCount: { before: 1, after: 2 },
          lowestPrice: { before: 10, after: 9 },
        },
        snapshot: { offerCount: 2, buyboxSeller: "So1", buyboxPrice: 10, lowestPrice: 9 },
      }),
    ]);
  });
});

describe("an offer check step", () => {
  const pipeline = only(
    { scraper: "retailer_a.lite", routes: [{ when: "always", run: "check" }] },
    {
      id: "check",
      scraper: "retailer_a.offer_check",
      routes: [{ when: "ok", field: "buyable", op: "is", value: false, notify: true }],
    },
  );

  it("checks the offer that the previous step found, and charges half a credit per item, with the sum rounded up", async () => {
    const { bench, list, next } = await watched([first, second, third], { pipeline });
    const asked: string[] = [];
    bench.answers.check = ({ offerListingId }) => {
      asked.push(offerListingId);
      return { status: "ok", buyable: false };
    };
    bench.answers.product = (id) => ({
      status: "ok",
      fields: product({ price: 10, lowest: 10, offer: `${id}-now` }),
    });
    await next();
    expect(asked).toEqual([`${first}-now`, `${second}-now`, `${third}-now`]);
    expect(await steps(bench, list)).toMatchObject({ check: { requested: 3, credits: 2 } });
    expect(entries(bench, "watchlist.product.matched", "products")).toMatchObject(
      [first, second, third].map((id) => ({
        id,
        step: "check",
        branch: "ok",
        status: "ok",
        values: { buyable: false },
      })),
    );
  });

  it("counts items without a known offer as skipped, and neither reads nor charges these items", async () => {
    const { bench, list, next } = await watched([first, second], { pipeline });
    bench.answers.check = () => ({ status: "ok", buyable: true });
    bench.answers.product = (id) => ({
      status: "ok",
      fields: product({ price: 10, lowest: 10, offer: id === first ? null : "o1" }),
    });
    await next();
    const { stats } = await bench.lastRun(list);
    expect(stats.steps["check"]).toMatchObject({ requested: 1, ok: 1, skipped: 1, credits: 1 });
  });
});

describe("an offer check step for an item with a malformed stored offer ID", () => {
  it.each([
    ["an ID of 5,000 characters", "x".repeat(5_000)],
    ["an ID with a control character", "a\u0000b"],
    ["an empty ID", ""],
  ])("skips the item (the offer ID: %s)", async (_case, impossible) => {
    const { bench, list, next } = await watched([first, second], {
      pipeline: only(
        { scraper: "retailer_a.lite", routes: [{ when: "always", run: "check" }] },
        { id: "check", scraper: "retailer_a.offer_check", routes: [] },
      ),
    });
    bench.answers.check = () => ({ status: "ok", buyable: true });
    bench.answers.product = (id) => ({
      status: "ok",
      fields: product({ price: 10, lowest: 10, offer: id === first ? impossible : "o1" }),
    });
    await next();
    const { stats } = await bench.lastRun(list);
    expect(stats.steps["check"]).toMatchObject({ requested: 1, ok: 1, skipped: 1, credits: 1 });
  });
});

describe("an owed retry of an offer check step", () => {
  it("is cleared if the item has no offer to check", async () => {
    const { bench, list, next } = await watched([first], {
      pipeline: only(
        {
          scraper: "retailer_a.lite",
          routes: [{ when: "ok", field: "inStock", op: "is", value: true, run: "check" }],
        },
        { id: "check", scraper: "retailer_a.offer_check", routes: [] },
      ),
    });
    await next();
    expect((await bench.items(list))[0]?.owes).toEqual([
      { step: "check", scraper: "retailer_a.offer_check" },
    ]);
    bench.answers.product = () => ({
      status: "ok",
      fields: product({ price: 10, lowest: 10, offer: null }),
    });
    await next();
    expect((await bench.items(list))[0]?.owes).toEqual([]);
  });
});

describe("the charge of a run's step", () => {
  it("is rounded up once per step, regardless of the number of batches", async () => {
    const bench = await startRunBench({ tables, batchIdsMax: 1 });
    const list = await bench.createList([first, second, third], {
      platform: "retailer_a",
      pipeline: only({ scraper: "retailer_a.pulse", routes: [] }),
    });
    bench.answers.product = () => ({ status: "ok", fields: product({ price: 1, lowest: 1 }) });
    await bench.run(list);
    expect(await bench.lastRun(list)).toMatchObject({ credits: 1 });
    expect(await bench.account()).toMatchObject({ balance: 4_999, held: 0, spent: 1 });
  });

  it('includes items with the status "not_found", but not items with the status "partial" or "unavailable"', async () => {
    const { bench, list, next } = await watched([first, second, third], {
      pipeline: only({ scraper: "retailer_a.full", routes: [] }),
    });
    bench.answers.product = (id) => {
      if (id === first) return { status: "not_found" };
      return id === second ? { status: "partial", fields: {} } : { status: "unavailable" };
    };
    await next();
    const { stats, credits } = await bench.lastRun(list);
    expect(credits).toBe(5);
    expect(stats.steps["s"]).toMatchObject({ notFound: 1, partial: 1, unavailable: 1, credits: 5 });
  });

  it("is reserved without a slot of the account", async () => {
    const { bench, list } = await watched([first]);
    await bench.runSome(list, 1);
    expect((await bench.account()).inFlight).toBe(0);
  });
});

describe("a step to which several routes lead", () => {
  it("reads each item once per run", async () => {
    const { bench, list, next } = await watched([first], {
      pipeline: only(
        {
          scraper: "retailer_a.pulse",
          routes: [
            { when: "always", run: "lite" },
            { when: "ok", field: "newCount", op: "above", value: 0, run: "lite" },
          ],
        },
        { id: "lite", scraper: "retailer_a.lite", routes: [] },
      ),
    });
    await next();
    expect(await steps(bench, list)).toEqual({
      s: { requested: 1, credits: 1 },
      lite: { requested: 1, credits: 1 },
    });
  });
});

describe("a run in progress", () => {
  it("reads and charges an item once even if its page merges with another page during the planning of a step", async () => {
    const bench = await startRunBench({
      tables,
      pagesThrough: (pages) => ({
        ...pages,
        // Returns each page twice, as if it had merged with the next page in between.
        async *pages(...wanted) {
          for await (const page of pages.pages(...wanted)) {
            yield page;
            yield page;
          }
        },
      }),
    });
    const list = await bench.createList([first, second], { platform: "retailer_a" });
    bench.answers.product = () => ({ status: "ok", fields: product({ price: 10, lowest: 10 }) });
    await bench.run(list);
    expect(await steps(bench, list)).toEqual({ full: { requested: 2, credits: 10 } });
    expect(await bench.lastRun(list)).toMatchObject({ stats: { tracked: 2, newItems: 2 } });
  });

  it("keeps the pipeline from its start even if the watchlist's pipeline changes", async () => {
    const { bench, list } = await watched([first]);
    bench.clock.set("2026-03-01T01:00:00Z");
    await bench.runSome(list, 1);
    const before = (await bench.list(list)) ?? list;
    const pipeline = only({ scraper: "retailer_a.full", routes: [] });
    await bench.watchlists.update({
      before,
      after: { ...before, pipeline, revision: before.revision + 1 },
    });
    await bench.work([]);
    expect(await steps(bench, list)).toEqual({ pulse: { requested: 1, credits: 1 } });
  });
});
