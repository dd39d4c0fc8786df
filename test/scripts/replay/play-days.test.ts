import { describe, expect, it } from "vitest";
import { dailyPrices } from "../../../scripts/replay/daily-prices.ts";
import type { OpenWatchlist, PlayedRun } from "../../../scripts/replay/due-runs.ts";
import { playDays } from "../../../scripts/replay/play-days.ts";
import type { Service } from "../../../scripts/replay/service.ts";
import { daysOf, shopDays } from "../../../scripts/replay/shop-days.ts";
import type { HistorySpan } from "../../../shared/history/history.ts";

const product = (id: string, ...days: readonly string[]) => ({
  id,
  prices: days.map((day, n) => ({ day, price: n + 1 })),
});

/**
 * Creates a service whose runs read all items of their watchlist. If `incomplete` returns true for
 * a run, the run reads one item less.
 */
function fakeService(incomplete: (list: OpenWatchlist) => boolean = () => false) {
  const items = new Map<string, number>();
  const spans: HistorySpan[] = [];
  const days: string[] = [];
  const runs: string[] = [];
  const service: Service = {
    setTime: (at) => void days.push(at.toISOString()),
    createWatchlist: async (body) => {
      const { name, ids } = body as { readonly name: string; readonly ids: readonly string[] };
      items.set(name, ids.length);
      return { accountId: "acct_1", watchlistId: name };
    },
    addItems: async ({ watchlistId }, ids) =>
      void items.set(watchlistId, (items.get(watchlistId) ?? 0) + ids.length),
    run: async (lists) =>
      lists.map((list) => {
        runs.push(`${days.at(-1)?.slice(0, 10)} ${list.watchlistId}`);
        const ok = (items.get(list.watchlistId) ?? 0) - (incomplete(list) ? 1 : 0);
        const run = { status: "completed", stats: { steps: { check: { ok } } } };
        return { run, events: [] } as unknown as PlayedRun;
      }),
    runNow: async (lists) => service.run(lists),
    discard: async () => {},
    history: async (_list, _itemId, span) => {
      spans.push(span);
      return [];
    },
    backtest: async () => {},
  };
  return { service, spans, runs };
}

const records = {
  addShop: () => {},
  addDecision: () => {},
  addPoint: () => {},
  addRun: () => {},
  close: async () => {},
};
const play = (shops: Parameters<typeof playDays>[0], { service }: { readonly service: Service }) =>
  playDays(shops, daysOf(shops), {
    service,
    source: dailyPrices(),
    records,
    backtests: { addRun: () => {}, compare: async () => {} },
    progress: { begin: () => {} },
  });

describe("a replay of several shops", () => {
  it("runs the watchlists of a shop on each day between its first and its last price", async () => {
    const one = shopDays(
      {
        shop: "one",
        inFile: 2,
        products: [product("a", "2026-01-01"), product("b", "2026-01-03")],
      },
      0,
    );
    const two = shopDays(
      { shop: "two", inFile: 1, products: [product("a", "2026-01-03", "2026-01-04")] },
      1,
    );
    const fake = fakeService();

    const played = await play([one, two], fake);

    expect(fake.runs).toEqual([
      "2026-01-01 one changes",
      "2026-01-01 one limited",
      "2026-01-02 one changes",
      "2026-01-02 one limited",
      "2026-01-03 one changes",
      "2026-01-03 one limited",
      "2026-01-03 two changes",
      "2026-01-03 two limited",
      "2026-01-04 two changes",
      "2026-01-04 two limited",
    ]);
    expect(played).toEqual({
      days: 4,
      runs: 10,
      reads: 2 + 2 + 4 + 2 + 2,
      passed: 10,
      held: 0,
      heldForShape: 0,
    });
  });

  it("skips days on which no shop has prices", () => {
    const one = shopDays({ shop: "one", inFile: 1, products: [product("a", "2026-01-01")] }, 0);
    const two = shopDays({ shop: "two", inFile: 1, products: [product("a", "2026-03-01")] }, 1);

    expect(daysOf([one, two])).toEqual(["2026-01-01", "2026-03-01"]);
  });

  it("reads the history in time spans that the service allows and that together cover every day", async () => {
    const long = shopDays(
      { shop: "one", inFile: 1, products: [product("a", "2024-01-01", "2026-06-01")] },
      0,
    );
    const fake = fakeService();

    await play([long], fake);

    expect(fake.spans).toEqual([
      { since: "2024-01-01T00:00:00.000Z", until: "2025-01-18T06:00:00.000Z" },
      { since: "2025-01-19T00:00:00.000Z", until: "2026-02-06T06:00:00.000Z" },
      { since: "2026-02-07T00:00:00.000Z", until: "2026-06-01T06:00:00.000Z" },
    ]);
  });

  it("fails if a run does not read every item", async () => {
    const one = shopDays(
      {
        shop: "one",
        inFile: 2,
        products: [product("a", "2026-01-01"), product("b", "2026-01-01")],
      },
      0,
    );

    await expect(
      play(
        [one],
        fakeService(({ watchlistId }) => watchlistId === "one limited"),
      ),
    ).rejects.toThrow(
      "The run of the shop one on 2026-01-01 did not read all 2 items (status: completed, items read: 1).",
    );
  });
});
