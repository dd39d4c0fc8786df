import { describe, expect, it } from "vitest";
import { defaultPipeline } from "../../../shared/pipelines/default.ts";
import type { Pipeline, Step } from "../../../shared/pipelines/definition.ts";
import {
  retriesAfterAnswer,
  retriesAfterFailure,
  stepOfRetry,
} from "../../../shared/runs/owed-retries.ts";
import type { Item, OwedRetry } from "../../../shared/watchlists/item.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();

const pulse: Step = {
  id: "scan",
  scraper: "retailer_a.pulse",
  routes: [{ when: "changed", run: "look" }],
};
const look: Step = {
  id: "look",
  scraper: "retailer_a.lite",
  routes: [{ when: "changed", notify: true }],
};
const pipelineOf = (...steps: readonly Step[]): Pipeline => ({
  entry: steps[0]?.id ?? "",
  baseline: null,
  refresh: null,
  steps,
});
const active = { state: "active" } as const;

describe("the step that makes an owed retry", () => {
  const lite: OwedRetry = { step: "look", scraper: "retailer_a.lite" };
  const renamed = { ...look, id: "read" };
  const full: Step = { id: "full", scraper: "retailer_a.full", routes: [] };
  const offers = (id: string, condition?: "new" | "used"): Step => ({
    id,
    scraper: "retailer_a.offers",
    ...(condition !== undefined && { condition }),
    routes: [],
  });
  const owedOffers: OwedRetry = { step: "offers", scraper: "retailer_a.offers", condition: "new" };
  const withFull = { ...pipelineOf(pulse, full), baseline: "full" };
  it.each<[string, string, OwedRetry, Pipeline]>([
    [
      "look",
      "the step that failed, not an earlier step with its scraper",
      lite,
      pipelineOf(renamed, look),
    ],
    [
      "read",
      "the step with the scraper of the retry under a new ID",
      lite,
      pipelineOf(pulse, renamed),
    ],
    [
      "read",
      "the step with the scraper of the retry, if the step with the old ID has another scraper",
      lite,
      pipelineOf({ ...full, id: "look" }, renamed),
    ],
    ["full", "the baseline step, if no step has the scraper of the retry", lite, withFull],
    [
      "scan",
      "the entry step, if no step has the scraper and no baseline step exists",
      lite,
      pipelineOf(pulse, full),
    ],
    [
      "new",
      "the step with the scraper and the condition filter of the retry",
      owedOffers,
      pipelineOf(offers("all"), offers("new", "new")),
    ],
    [
      "used",
      "a step with the scraper of the retry, if no step has its condition filter",
      owedOffers,
      pipelineOf(full, offers("used", "used")),
    ],
    [
      "look",
      "the step with the stored ID, if no scraper is stored",
      { step: "look" },
      pipelineOf(pulse, look),
    ],
    [
      "full",
      "the baseline step, if no scraper is stored and no step has the stored ID",
      { step: "look" },
      withFull,
    ],
  ])("has the ID '%s': it is %s", (...row) => {
    const [expected, , owed, pipeline] = row;
    expect(stepOfRetry(pipeline, active, owed).id).toBe(expected);
  });

  it("is the baseline step if the item has not had a first read", () => {
    const pipeline = { ...pipelineOf(pulse, look, full), baseline: "full" };
    expect(stepOfRetry(pipeline, { state: "new" }, lite).id).toBe("full");
  });

  it("is a step with routes and the same kind of read as the baseline step if the baseline step has no routes", () => {
    const owedFull: OwedRetry = { step: "full", scraper: "retailer_a.full" };
    const base = { ...full, id: "base" };
    const withBase = (...steps: readonly Step[]): Pipeline => ({
      ...pipelineOf(...steps, base),
      baseline: "base",
    });
    expect(stepOfRetry(withBase(pulse, look), active, owedFull).id).toBe("look");
    expect(stepOfRetry(withBase(pulse, look), active, owedOffers).id).toBe("look");
    expect(stepOfRetry(withBase(pulse), active, owedFull).id).toBe("base");
    expect(stepOfRetry(withBase(pulse, { ...look, routes: [] }), active, owedFull).id).toBe("base");
    expect(stepOfRetry(withBase(pulse, look), { state: "new" }, owedFull).id).toBe("base");
  });

  it("in a default pipeline is pulse for a pulse read, lite for other reads of retailer_a, and check for retailer_c", () => {
    const ofDefault = (owed: OwedRetry): string =>
      stepOfRetry(defaultPipeline("retailer_a", 8), active, owed).id;
    for (const scraper of ["lite", "full", "pulse", "offers", "offer_check"] as const) {
      const owed: OwedRetry = { step: "full", scraper: `retailer_a.${scraper}` };
      expect(ofDefault(owed)).toBe(scraper === "pulse" ? "pulse" : "lite");
    }
    const standard: OwedRetry = { step: "mine", scraper: "retailer_c.standard" };
    expect(stepOfRetry(defaultPipeline("retailer_c", 8), active, standard).id).toBe("check");
  });
});

describe("the owed retries of an item", () => {
  it("contain only one retry per kind of read, even if the step fails and is renamed several times", () => {
    let owes: Item["owes"] = [];
    for (const id of ["a", "b", "b", "c"]) {
      owes = retriesAfterFailure(pipelineOf({ ...look, id }), { ...active, owes }, id);
    }
    expect(owes).toEqual([{ step: "c", scraper: "retailer_a.lite" }]);
  });

  it("contain only one retry per step, even if the step fails several times before the item's first read", () => {
    let owes: Item["owes"] = [];
    for (const id of ["scan", "look", "scan", "look", "scan", "look"]) {
      owes = retriesAfterFailure(pipelineOf(pulse, look), { state: "new", owes }, id);
    }
    expect(owes.map(({ step }) => step)).toEqual(["scan", "look"]);
  });

  it("are cleared only by an answer at the step that makes the retry", () => {
    const item = { ...active, owes: [{ step: "old", scraper: look.scraper }] };
    expect(retriesAfterAnswer(pipelineOf(pulse, look), item, "scan")).toEqual(item.owes);
    expect(retriesAfterAnswer(pipelineOf(pulse, look), item, "look")).toEqual([]);
  });
});

const asins = ["B000000001", "B000000002", "B000000003", "B000000004"];
const product = (amount: number): Record<string, unknown> => ({
  price: { amount, currency: "USD" },
  // The pulse finds a changed number of offers. The buy-box price stays below the lowest new price,
  // so the route of the default pipeline that compares these two prices never matches.
  retailer_a: { newCount: amount, newMinPrice: 20, buybox: { offerListingId: "o1" } },
});

interface Watched {
  readonly bench: RunBench;
  readonly list: Watchlist;
  /**
   * Runs the watchlist an hour later. The run may spend only `credits`, by default the whole
   * balance. Returns the number of items of each step.
   */
  readonly next: (credits?: number) => Promise<Readonly<Record<string, number>>>;
  readonly patch: (pipeline: Pipeline | null) => Promise<void>;
}

/**
 * Creates a watchlist with four items. A run has read each item once with `pipeline`, and then
 * their prices changed.
 */
async function watched(pipeline: Pipeline | null): Promise<Watched> {
  const bench = await startRunBench({ tables });
  const list = await bench.createList(asins, { platform: "retailer_a", pipeline });
  bench.answers.product = () => ({ status: "ok", fields: product(10) });
  await bench.run(list);
  bench.answers.product = () => ({ status: "ok", fields: product(8) });
  return {
    bench,
    list,
    async next(credits) {
      bench.clock.advance(3_600_000);
      const { balance, id: accountId } = await bench.account();
      const now = bench.clock.now();
      const hold = { accountId, holdId: `elsewhere-${now.toISOString()}`, now };
      const expiresAt = new Date(now.getTime() + 86_400_000);
      const held = balance - (credits ?? balance);
      const source = { requestId: hold.holdId };
      await bench.ledger.reserve({ ...hold, credits: held, slot: false, source, expiresAt });
      await bench.run(list);
      await bench.ledger.settle({ ...hold, credits: 0, succeeded: true });
      const { stats } = await bench.lastRun(list);
      return Object.fromEntries(
        Object.entries(stats.steps).map(([id, { requested }]) => [id, requested]),
      );
    },
    async patch(wanted) {
      const before = (await bench.list(list)) ?? list;
      const after = { ...before, pipeline: wanted, revision: before.revision + 1 };
      await bench.watchlists.update({ before, after });
    },
  };
}

const reported = ({ bench }: Watched): readonly string[] =>
  [...bench.published.values()]
    .filter(({ type }) => type === "watchlist.product.changed")
    .flatMap(
      ({ body }) => (JSON.parse(body) as { data: { changes: { step: string }[] } }).data.changes,
    )
    .map(({ step }) => step);

const scanned = (...steps: readonly Step[]): Pipeline => ({
  ...pipelineOf(pulse, look, ...steps),
  baseline: "look",
});

describe("the items that a step deferred or failed to read", () => {
  it("are read and reported by a renamed step with the scraper of the deferred step", async () => {
    const world = await watched(scanned());
    expect(await world.next(3)).toEqual({ scan: 4, look: 0 });
    await world.patch({
      ...pipelineOf(
        { ...pulse, routes: [{ when: "changed", run: "read" }] },
        { ...look, id: "read" },
      ),
      baseline: "read",
    });
    expect(await world.next()).toEqual({ scan: 4, read: 4 });
    expect(reported(world)).toEqual(["read", "read", "read", "read"]);
    expect(await world.next(), "each retry is done once").toEqual({ scan: 4 });
  });

  it("are read at the tier lite after the pipeline is reset to the platform's default", async () => {
    const world = await watched(scanned());
    await world.next(3);
    await world.patch(null);
    expect(await world.next()).toEqual({ pulse: 4, lite: 4 });
    expect(reported(world)).toEqual(["lite", "lite", "lite", "lite"]);
    expect(await world.next(), "each retry is done once").toEqual({ pulse: 4 });
  });

  it("are read and reported once at the tier lite if a full step deferred them before the reset to the default pipeline", async () => {
    const full: Step = { ...look, id: "full", scraper: "retailer_a.full" };
    const route = { when: "changed", run: "full" } as const;
    const own = pipelineOf({ ...pulse, routes: [route] }, full);
    const world = await watched({ ...own, baseline: "full" });
    expect(await world.next(3)).toEqual({ scan: 4, full: 0 });
    await world.patch(null);
    expect(await world.next()).toEqual({ pulse: 4, lite: 4 });
    expect(reported(world)).toEqual(["lite", "lite", "lite", "lite"]);
    expect(await world.next(), "each retry is done once").toEqual({ pulse: 4 });
  });

  it("are read and charged once at the baseline step if no step has the scraper of the deferred step", async () => {
    const world = await watched(scanned());
    await world.next(3);
    const full: Step = { ...look, id: "full", scraper: "retailer_a.full" };
    await world.patch({ ...pipelineOf({ ...pulse, routes: [] }, full), baseline: "full" });
    expect(await world.next()).toEqual({ scan: 4, full: 4 });
    expect(await world.bench.lastRun(world.list)).toMatchObject({ credits: 1 + 20 });
    expect(reported(world)).toEqual(["full", "full", "full", "full"]);
    expect(await world.next(), "each retry is done once").toEqual({ scan: 4 });
  });

  it("are read by the run after a skipped run, even if the pipeline was changed before the skip", async () => {
    const world = await watched(scanned());
    await world.next(3);
    await world.patch(null);
    expect(await world.next(0)).toEqual({});
    expect(await world.next()).toEqual({ pulse: 4, lite: 4 });
  });

  it("are read only once by a step to which a route also leads these items", async () => {
    const world = await watched(scanned());
    await world.next(3);
    world.bench.answers.product = () => ({ status: "ok", fields: product(7) });
    await world.patch(null);
    expect(await world.next()).toEqual({ pulse: 4, lite: 4 });
    expect(reported(world)).toHaveLength(4);
  });

  it("are read by the next run even if the pipeline was changed during the run that failed to read them", async () => {
    const world = await watched(scanned());
    const { bench, list } = world;
    bench.clock.advance(3_600_000);
    await bench.runSome(list, 1);
    await world.patch(null);
    bench.answers.product = (_, scraper) =>
      scraper === "retailer_a.lite" ? { status: "partial" } : { status: "ok", fields: product(8) };
    await bench.work([]);
    expect((await bench.lastRun(list)).stats).toMatchObject({ retryNextRun: 4 });
    bench.answers.product = () => ({ status: "ok", fields: product(8) });
    expect(await world.next()).toEqual({ pulse: 4, lite: 4 });
  });
});

describe("the owed retry of an item that a source did not answer", () => {
  it.each(["partial", "unavailable"] as const)(
    'is made, after the answer "%s", by the step of the new pipeline with the same scraper',
    async (status) => {
      const world = await watched(scanned());
      world.bench.answers.product = (_, scraper) =>
        scraper === "retailer_a.lite" ? { status } : { status: "ok", fields: product(8) };
      await world.next();
      await world.patch(null);
      world.bench.answers.product = () => ({ status: "ok", fields: product(8) });
      expect(await world.next()).toEqual({ pulse: 4, lite: 4 });
      expect(reported(world)).toHaveLength(4);
    },
  );

  it("is replaced by a read of the new baseline step if the pipeline changes before the item's first successful read", async () => {
    const world = await watched(null);
    const { bench, list } = world;
    await bench.work([]);
    const [page] = await Array.fromAsync(bench.pages.pages(list.id));
    if (page === undefined) throw new Error("The watchlist has no page");
    const fresh = page.items.map((item): Item => ({
      ...item,
      state: "new",
      firstReadAt: null,
      owes: [{ step: "full", scraper: "retailer_a.full" }],
    }));
    await bench.pages.replaceItems({ ...list, watchlistId: list.id }, page, fresh);
    const full: Step = { id: "full", scraper: "retailer_a.full", routes: [] };
    await world.patch({
      ...pipelineOf({ ...look, routes: [{ when: "not_found", run: "full" }] }, full),
    });
    expect(await world.next()).toEqual({ look: 4 });
    expect((await bench.items(list)).flatMap(({ owes }) => owes)).toEqual([]);
  });

  it("checks the last known offer if the step checks offers, and is cleared if no offer is known", async () => {
    const check: Step = { id: "check", scraper: "retailer_a.offer_check", routes: [] };
    const world = await watched(
      pipelineOf({ ...look, routes: [{ when: "always", run: "check" }] }, check),
    );
    const { bench, list } = world;
    bench.answers.product = (id) => ({
      status: "ok",
      fields: id === asins[0] ? { ...product(8), retailer_a: { buybox: null } } : product(8),
    });
    await world.patch(
      pipelineOf(
        { ...look, routes: [{ when: "failed", run: "buyable" }] },
        { ...check, id: "buyable" },
      ),
    );
    const asked: string[] = [];
    bench.answers.check = ({ asin, offerListingId }) => {
      asked.push(`${asin} ${offerListingId}`);
      return { status: "ok", buyable: true };
    };
    expect(await world.next()).toEqual({ look: 4, buyable: 3 });
    expect(asked).toEqual(asins.slice(1).map((id) => `${id} o1`));
    expect((await bench.items(list)).flatMap(({ owes }) => owes)).toEqual([]);
  });
});

describe("an owed retry that an earlier release stored with only a step ID", () => {
  it("is made by the step with this ID, or by the step 'lite' if a default pipeline has no step with this ID", async () => {
    const world = await watched(scanned());
    const { bench, list } = world;
    bench.answers.product = () => ({ status: "ok", fields: product(10) });
    const owing = async (): Promise<void> => {
      const [page] = await Array.fromAsync(bench.pages.pages(list.id));
      if (page === undefined) throw new Error("The watchlist has no page");
      const owes = ["look"] as unknown as Item["owes"];
      await bench.pages.replaceItems(
        { ...list, watchlistId: list.id },
        page,
        page.items.map((item) => Object.assign({}, item, { owes })),
      );
    };
    await owing();
    expect(await world.next()).toEqual({ scan: 4, look: 4 });
    await owing();
    await world.patch(null);
    expect(await world.next()).toEqual({ pulse: 4, lite: 4 });
    expect(await world.next(), "each retry is done once").toEqual({ pulse: 4 });
  });
});
