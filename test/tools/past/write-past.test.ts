import { describe, expect, it } from "vitest";
import { planPast } from "../../../tools/past/write-past.ts";

describe("the invented past of a watchlist", () => {
  it("charges no run for items that an earlier run delisted", () => {
    const { past, runs } = planPast({
      accountId: "acct_1",
      name: "Kettles",
      platform: "retailer_d",
      ids: Array.from({ length: 400 }, (_, n) => String(7_000_000 + n)),
      days: 10,
      runsPerDay: 2,
      changedShare: 0.1,
      labeledShare: 0,
    });
    let tracked = past.items.length;
    for (const { stored } of runs) {
      expect(stored.credits).toBe(tracked);
      expect(stored.stats.tracked).toBe(tracked);
      tracked -= stored.stats.delisted;
    }
    const listed = past.items.filter(({ state }) => state !== "delisted");
    expect(tracked).toBe(listed.length);
    expect(tracked).toBeLessThan(past.items.length);
  });
});
