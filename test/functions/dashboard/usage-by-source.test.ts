import { expect, it } from "vitest";
import { usageBySource } from "../../../functions/dashboard/browser/pages/overview/usage-by-source.ts";

it("the dashboard sums charges by watchlist, and by endpoint for calls without one, the largest first", () => {
  const charge = (credits: number, part: object) => ({
    type: "charge",
    credits,
    items_charged: credits,
    ...part,
  });
  const usage = usageBySource([
    charge(2, { endpoint: "POST /v1/products" }),
    charge(3, { watchlist_id: "wl_1" }),
    charge(4, { watchlist_id: "wl_1", endpoint: "POST /v1/watchlists/{id}/preview" }),
    { type: "refund", credits: 50, watchlist_id: "wl_1" },
    { type: "charge", credits: 1 },
  ]);
  expect(usage).toEqual([
    { source: "wl_1", kind: "watchlist", credits: 7, charges: 2, items: 7 },
    { source: "POST /v1/products", kind: "endpoint", credits: 2, charges: 1, items: 2 },
    { source: "other", kind: "endpoint", credits: 1, charges: 1, items: 0 },
  ]);
});
