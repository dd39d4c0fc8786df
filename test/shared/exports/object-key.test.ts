import { describe, expect, it } from "vitest";
import { checkKey, manifestKey, objectKey } from "../../../shared/exports/object-key.ts";

const folder = {
  prefix: "shop/",
  watchlistId: "wl_1",
  runNumber: 42,
  runStartedAt: "2026-11-19T23:59:59.999Z",
};
const object = {
  number: 3,
  type: "watchlist.product.delisted",
  eventId: "evt_1",
  compression: "gzip",
} as const;

describe("the keys of exported objects", () => {
  it("contain the start day, the watchlist, the run, the position, the type and the ID of the event", () => {
    const run = "shop/events/v=2/dt=2026-11-19/watchlist_id=wl_1/run_number=00000042/";

    expect(objectKey(folder, object)).toBe(`${run}00003-watchlist.product.delisted-evt_1.jsonl.gz`);
    expect(objectKey(folder, { ...object, compression: "none" })).toBe(
      `${run}00003-watchlist.product.delisted-evt_1.jsonl`,
    );
    expect(manifestKey(folder)).toBe(`${run}_manifest.json`);
    expect(checkKey("shop/")).toBe("shop/_service_check");
  });

  it("contain the start day of the run in UTC", () => {
    const runStartedAt = "2026-11-20T00:30:00+01:00";

    expect(manifestKey({ ...folder, runStartedAt })).toContain("dt=2026-11-19/");
  });
});
