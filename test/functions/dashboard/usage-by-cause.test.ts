import { describe, expect, it } from "vitest";
import { usageBy } from "../../../functions/dashboard/browser/pages/overview/usage-by-cause.ts";

const charge = (credits: number, part: object) => ({
  type: "charge",
  credits,
  items_charged: credits,
  ...part,
});
const entries = [
  charge(2, { endpoint: "POST /v1/products", api_key_id: "key_1" }),
  charge(3, { watchlist_id: "wl_1", run_id: "wlrun_1" }),
  charge(4, {
    watchlist_id: "wl_1",
    endpoint: "POST /v1/watchlists/{id}/preview",
    api_key_id: "key_1",
  }),
  { type: "refund", credits: 50, watchlist_id: "wl_1" },
  { type: "charge", credits: 1 },
];

describe("the sums of charges in the dashboard, the largest first,", () => {
  it("are formed for each watchlist, and for each API endpoint from the calls without a watchlist", () => {
    expect(usageBy("cause", entries)).toEqual([
      { cause: "wl_1", kind: "watchlist", credits: 7, charges: 2, items: 7 },
      { cause: "POST /v1/products", kind: "endpoint", credits: 2, charges: 1, items: 2 },
      { cause: "other", kind: "endpoint", credits: 1, charges: 1, items: 0 },
    ]);
  });

  it("are formed for each API key, with one sum for all runs and one sum for calls without a recorded key", () => {
    expect(usageBy("key", entries)).toEqual([
      { cause: "key_1", kind: "key", credits: 6, charges: 2, items: 6 },
      { cause: "runs of watchlists", kind: "runs", credits: 3, charges: 1, items: 3 },
      { cause: "not recorded", kind: "not_recorded", credits: 1, charges: 1, items: 0 },
    ]);
  });
});
