import { describe, expect, it } from "vitest";
import { applyOutcome, batchResult } from "../../../shared/runs/outcome.ts";
import type { BatchResult, ItemOutcome } from "../../../shared/runs/run.ts";
import type { Answer } from "../../../shared/scrapers/scraper.ts";
import { type Item, newItem } from "../../../shared/watchlists/item.ts";

const scraper = "retailer_d.standard";
const readAt = "2026-03-02T00:00:00.000Z";
const fields = (amount: number, inStock = true): Record<string, unknown> => ({
  price: { amount, currency: "USD" },
  availability: { inStock, message: "" },
  retailer_d: { state: "ADD_TO_CART", regularPrice: 20, purchasable: true },
});
const known: Item = {
  ...newItem("6500001", "2026-03-01T00:00:00.000Z"),
  state: "active",
  firstReadAt: "2026-03-01T00:00:00.000Z",
  lastReadStatus: "ok",
  snapshot: { price: 10, inStock: true, state: "ADD_TO_CART", regularPrice: 20, purchasable: true },
  snapshotAt: "2026-03-01T00:00:00.000Z",
  revision: 1,
};
const fresh = newItem("6500001", "2026-03-01T00:00:00.000Z");
const reading = { runId: "wlrun_2", runNumber: 2, step: "check", scraper } as const;

const read = (item: Item, answer: Partial<Answer> & Pick<Answer, "status">): BatchResult =>
  batchResult(scraper, new Map([[item.id, item]]), [
    { id: item.id, fetchedAt: readAt, fields: {}, ...answer } as Answer,
  ]);
const onlyOutcome = (result: BatchResult): ItemOutcome => {
  expect(result.outcomes).toHaveLength(1);
  return result.outcomes[0] as ItemOutcome;
};

describe("item `new`", () => {
  it("read `ok`: becomes active with a baseline snapshot, and reports no change", () => {
    const outcome = onlyOutcome(read(fresh, { status: "ok", fields: fields(10) }));
    expect(outcome.changes).toBeUndefined();
    const after = applyOutcome(fresh, outcome, reading);
    expect(after).toMatchObject({ state: "active", firstReadAt: readAt, snapshotAt: readAt });
    expect(after.snapshot).toMatchObject({ price: 10, inStock: true });
  });

  it("read `not_found`: becomes delisted, and its last snapshot is null", () => {
    const outcome = onlyOutcome(read(fresh, { status: "not_found" }));
    expect(outcome.lastSnapshot).toBeNull();
    expect(applyOutcome(fresh, outcome, reading)).toMatchObject({
      state: "delisted",
      delistedAt: readAt,
    });
  });
});

describe("item `active`", () => {
  it("read `ok` with a tracked field moved: the change is recorded and reported", () => {
    const outcome = onlyOutcome(read(known, { status: "ok", fields: fields(12) }));
    expect(outcome.changes).toEqual({ price: { before: 10, after: 12 } });
    const after = applyOutcome(known, outcome, reading);
    expect(after.snapshot).toMatchObject({ price: 12 });
    expect(after.lastChange).toMatchObject({ changedAt: readAt, runNumber: 2, step: "check" });
  });

  it("read `ok` with nothing moved: leaves no outcome, so nothing is written", () => {
    expect(read(known, { status: "ok", fields: fields(10) })).toMatchObject({
      ok: 1,
      outcomes: [],
    });
  });

  it("keeps the stored price through a drift of less than half a cent", () => {
    expect(read(known, { status: "ok", fields: fields(10.004) }).outcomes).toEqual([]);
  });

  it("read `not_found`: is delisted once, with what was last known", () => {
    const outcome = onlyOutcome(read(known, { status: "not_found" }));
    expect(outcome.lastSnapshot).toEqual(known.snapshot);
    const after = applyOutcome(known, outcome, reading);
    expect(after.state).toBe("delisted");
    expect(read(after, { status: "not_found" }).outcomes).toEqual([]);
  });

  it.each(["partial", "unavailable"] as const)(
    "read `%s`: nothing is reported and the snapshot stays as it is",
    (status) => {
      const outcome = onlyOutcome(read(known, { status }));
      const after = applyOutcome(known, outcome, reading);
      expect(after.snapshot).toBe(known.snapshot);
      expect(after).toMatchObject({
        state: "active",
        lastReadStatus: status,
        consecutiveFailures: 1,
      });
    },
  );

  it("read `ok` after a failure: the failure is forgotten", () => {
    const failed = { ...known, lastReadStatus: "unavailable", consecutiveFailures: 3 } as const;
    const outcome = onlyOutcome(read(failed, { status: "ok", fields: fields(10) }));
    expect(applyOutcome(failed, outcome, reading)).toMatchObject({
      lastReadStatus: "ok",
      consecutiveFailures: 0,
    });
  });
});

describe("an outcome applied again", () => {
  it("changes nothing", () => {
    const outcome = onlyOutcome(read(known, { status: "ok", fields: fields(12) }));
    const once = applyOutcome(known, outcome, reading);
    expect(applyOutcome(once, outcome, reading)).toBe(once);
  });

  it("changes nothing either when a later run was stored meanwhile", () => {
    const older = onlyOutcome(read(known, { status: "ok", fields: fields(12) }));
    const newer = onlyOutcome(read(known, { status: "ok", fields: fields(15) }));
    const later = applyOutcome(known, newer, { ...reading, runId: "wlrun_3", runNumber: 3 });
    expect(applyOutcome(later, older, reading)).toBe(later);
  });
});

describe("counts of a batch", () => {
  it("add up to what was requested, also for items removed meanwhile", () => {
    const answers = (["ok", "partial", "not_found", "unavailable"] as const).map((status, n) => ({
      id: `650000${n}`,
      status,
      fetchedAt: readAt,
      fields: fields(1),
    }));
    expect(batchResult(scraper, new Map(), answers)).toEqual({
      requested: 4,
      ok: 1,
      partial: 1,
      notFound: 1,
      unavailable: 1,
      outcomes: [],
    });
  });
});
