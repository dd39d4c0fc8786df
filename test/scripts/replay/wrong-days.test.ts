import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { dailyPrices } from "../../../scripts/replay/daily-prices.ts";
import type { OpenWatchlist, PlayedRun } from "../../../scripts/replay/due-runs.ts";
import { playDays } from "../../../scripts/replay/play-days.ts";
import type { Records } from "../../../scripts/replay/records.ts";
import type { Service } from "../../../scripts/replay/service.ts";
import { daysOf, shopDays } from "../../../scripts/replay/shop-days.ts";

const size = 50;
const answerOfPrice = v.object({ fields: v.object({ price: v.object({ amount: v.number() }) }) });
/**
 * Returns a shop whose products cost 2 from the first day in `days` on. Each later day in `days`
 * raises the price by 1.
 */
const shopOf = (days: readonly string[], items = size) =>
  shopDays(
    {
      shop: "one",
      inFile: items,
      products: Array.from({ length: items }, (_, n) => ({
        id: `p${n}`,
        prices: days.map((day, at) => ({ day, price: 2 + at })),
      })),
    },
    0,
  );
const januaryToFebruary = shopOf(["2026-01-31", "2026-02-02"]);

type RecordedRun = Parameters<Records["addRun"]>[0];

/**
 * Plays the days of a shop on a service that logs each run with the price that the source returns.
 * The service's brake holds runs with a price above `heldAbove`.
 */
async function play(shop: ReturnType<typeof shopOf>, heldAbove = 100) {
  const source = dailyPrices();
  const log: string[] = [];
  const runs: RecordedRun[] = [];
  let time = "";
  let item = "";
  const run =
    (name: string) =>
    async (lists: readonly OpenWatchlist[]): Promise<readonly PlayedRun[]> =>
      Promise.all(
        lists.map(async ({ watchlistId }) => {
          const [answer] = await source.read({
            scraper: "retailer_d.standard",
            marketplace: "us",
            ids: [item],
            deadline: new Date(0),
          });
          const { amount } = v.parse(answerOfPrice, answer).fields.price;
          log.push(`${time} ${name} ${watchlistId} ${amount}`);
          const isHeld = amount > heldAbove;
          const hold = { hold: { changedItems: 49, readItems: size }, phase: "held" };
          const stats = { changed: 1, steps: { check: { ok: size } } };
          const played = { status: "completed", phase: "done", stats, ...(isHeld && hold) };
          return { run: played, events: [] } as unknown as PlayedRun;
        }),
      );
  const service: Service = {
    setTime: (at) => {
      time = at.toISOString().slice(0, 16);
    },
    createWatchlist: async (body) => {
      const { name, ids } = body as { readonly name: string; readonly ids: readonly string[] };
      item = ids[0] ?? "";
      return { accountId: "acct_1", watchlistId: name };
    },
    addItems: async () => {},
    run: run("run"),
    runNow: run("runNow"),
    discard: async (discarded, reason) => void log.push(`discard ${discarded.length}: ${reason}`),
    history: async () => [],
    backtest: async () => {},
  };
  const records = {
    addShop: () => {},
    addDecision: () => {},
    addPoint: () => {},
    addRun: (one: RecordedRun) => void runs.push(one),
    close: async () => {},
  };
  const progress = { begin: () => {} };
  const backtests = { addRun: () => {}, compare: async () => {} };
  const replay = { service, source, records, backtests, progress };
  const played = await playDays([shop], daysOf([shop]), replay);
  return { log, runs, played };
}

describe("a day with wrong prices in a replay", () => {
  it("is the first day of a month, and its wrong runs are held and discarded before the usual runs", async () => {
    const { log, played } = await play(januaryToFebruary);

    expect(log).toEqual([
      "2026-01-31T06:00 run one changes 2",
      "2026-01-31T06:00 run one limited 2",
      "2026-02-01T05:00 runNow one changes 200",
      "2026-02-01T05:00 runNow one limited 200",
      "discard 2: The source sent prices multiplied by 100.",
      "2026-02-01T06:00 runNow one changes 2",
      "2026-02-01T06:00 runNow one limited 2",
      "2026-02-02T06:00 run one changes 3",
      "2026-02-02T06:00 run one limited 3",
    ]);
    expect(played).toEqual({
      days: 3,
      runs: 6,
      reads: 6 * size,
      passed: 6,
      held: 2,
      heldForShape: 0,
    });
  });

  it("is recorded as a held run with its counts of items, in addition to the usual run of the day", async () => {
    const { runs } = await play(januaryToFebruary);

    const ofDay = runs.filter(({ day, list }) => day === "2026-02-01" && list === "changes");
    const one = { shop: "one", list: "changes", day: "2026-02-01" };
    expect(ofDay).toEqual([
      { ...one, factor: 100, changed: 49, read: size, isHeld: true },
      { ...one, factor: 1, changed: 1, read: size, isHeld: false },
    ]);
  });

  it("is omitted if the day would be the first day on which a shop has prices", async () => {
    const { played } = await play(shopOf(["2026-02-01", "2026-02-02"]));

    expect(played).toMatchObject({ runs: 4, held: 0 });
  });

  it("makes the replay fail if a run with wrong prices is not held", async () => {
    await expect(play(januaryToFebruary, 1_000)).rejects.toThrow(
      "The brake of the watchlist did not hold the run of the shop one on 2026-02-01, although all its prices are wrong (phase: ",
    );
  });

  it("makes the replay fail if a run with correct prices is held", async () => {
    await expect(play(januaryToFebruary, 1)).rejects.toThrow(
      "The brake of the watchlist held the run of the shop one on 2026-01-31, although the run read the recorded prices.",
    );
  });
});
