import { describe, expect, it } from "vitest";
import type { Pipeline, Route, Step } from "../../../shared/pipelines/definition.ts";
import { changeByOutcome, type Reading } from "../../../shared/runs/apply-outcome.ts";
import { applyOutcome } from "../../support/apply-outcome.ts";
import { batchResult } from "../../../shared/runs/outcome.ts";
import type { StepAnswer } from "../../../shared/runs/read-step.ts";
import type { BatchResult } from "../../../shared/runs/batch.ts";
import type { ItemOutcome } from "../../../shared/runs/item-outcome.ts";
import type { Snapshot } from "../../../shared/scrapers/catalog.ts";
import {
  currentSnapshot,
  type Item,
  newItem,
  type OwedRetry,
} from "../../../shared/watchlists/item.ts";
import type { KnownDetails } from "../../../shared/watchlists/item-details.ts";

const addedAt = "2026-03-01T00:00:00.000Z";
const readAt = "2026-03-02T00:00:00.000Z";
const pipelineOf = (step: Step): Pipeline => ({
  entry: step.id,
  baseline: null,
  refresh: null,
  steps: [step],
});
const owed: OwedRetry = { step: "check", scraper: "retailer_d.standard" };
const reading: Reading = {
  runId: "wlrun_2",
  runNumber: 2,
  pipeline: pipelineOf({ id: "check", scraper: "retailer_d.standard", routes: [] }),
  step: "check",
  position: 0,
  scraper: "retailer_d.standard",
};
const check = (...routes: Route[]): Step => ({
  id: "check",
  scraper: "retailer_d.standard",
  routes: routes.length === 0 ? [{ when: "changed", notify: true }] : routes,
});
const seen = (price: number): Snapshot => ({
  price,
  inStock: true,
  state: "ADD_TO_CART",
  regularPrice: 20,
  purchasable: true,
});
const fresh = newItem("6500001", addedAt);
const known: Item = {
  ...fresh,
  state: "active",
  firstReadAt: addedAt,
  lastReadStatus: "ok",
  readings: { standard: seen(10) },
  snapshotAt: addedAt,
  revision: 16,
};

const answer = (status: StepAnswer["status"], observed: Snapshot | null = null): StepAnswer => ({
  id: fresh.id,
  status,
  fetchedAt: readAt,
  quarters: status === "ok" || status === "not_found" ? 4 : 0,
  observed,
});
/** Returns the step, and a pipeline that consists of it. */
const alone = (step: Step) => ({ pipeline: pipelineOf(step), step });
const read = (item: Item, given: StepAnswer, step = check()): BatchResult =>
  batchResult(alone(step), { items: new Map([[item.id, item]]), planned: 1, at: readAt }, [given]);
/** The outcome of an `ok` read that finds no change. */
const unchangedOutcome = { id: known.id, addedAt, status: "ok", at: readAt };
const onlyOutcome = (result: BatchResult): ItemOutcome => {
  expect(result.outcomes).toHaveLength(1);
  return result.outcomes[0] as ItemOutcome;
};
const after = (item: Item, given: StepAnswer, step = check()): Item =>
  applyOutcome(item, onlyOutcome(read(item, given, step)), reading);

describe('an item in the state "new"', () => {
  it('becomes active with a baseline snapshot and no reported change after a read with the status "ok"', () => {
    const outcome = onlyOutcome(read(fresh, answer("ok", seen(10))));
    expect(outcome).not.toHaveProperty("changes");
    expect(outcome).not.toHaveProperty("reported");
    const item = applyOutcome(fresh, outcome, reading);
    expect(item).toMatchObject({ state: "active", firstReadAt: readAt, snapshotAt: readAt });
    expect(currentSnapshot(item)).toEqual(seen(10));
  });

  it('becomes delisted with a last snapshot of null after a read with the status "not_found"', () => {
    expect(onlyOutcome(read(fresh, answer("not_found"))).lastSnapshot).toBeNull();
    expect(after(fresh, answer("not_found"))).toMatchObject({
      state: "delisted",
      delistedAt: readAt,
    });
  });

  it.each(["partial", "unavailable"] as const)(
    'stays new and gets an owed retry of the step after a read with the status "%s"',
    (status) => {
      expect(after(fresh, answer(status))).toMatchObject({
        state: "new",
        firstReadAt: null,
        owes: [owed],
      });
    },
  );
});

describe('an item in the state "active"', () => {
  it('gets an outcome that records and reports a change of a tracked field after a read with the status "ok"', () => {
    const outcome = onlyOutcome(read(known, answer("ok", seen(12))));
    expect(outcome).toMatchObject({
      changes: { price: { before: 10, after: 12 } },
      reported: seen(12),
    });
    const item = applyOutcome(known, outcome, reading);
    expect(item.readings.standard).toEqual(seen(12));
    expect(item.lastChange).toMatchObject({ changedAt: readAt, runNumber: 2, step: "check" });
  });

  it("gets an outcome that records a change of a tracked field but does not report the change if no route notifies", () => {
    const outcome = onlyOutcome(
      read(known, answer("ok", seen(12)), check({ when: "failed", notify: true })),
    );
    expect(outcome).not.toHaveProperty("reported");
    expect(applyOutcome(known, outcome, reading).lastChange).not.toBeNull();
  });

  it('gets an outcome that only clears its owed retry if the read of the retry has the status "ok" and no change', () => {
    const owing = { ...known, owes: [owed] };
    expect(onlyOutcome(read(owing, answer("ok", seen(10))))).toStrictEqual(unchangedOutcome);
    expect(after(owing, answer("ok", seen(10))).owes).toEqual([]);
  });

  it("gets an outcome without a change after a successful read that ends a series of failures", () => {
    const failed: Item = { ...known, lastReadStatus: "partial", consecutiveFailures: 1 };
    expect(onlyOutcome(read(failed, answer("ok", seen(10))))).toStrictEqual(unchangedOutcome);
    expect(after(failed, answer("ok", seen(10)))).toMatchObject({ consecutiveFailures: 0 });
  });

  it("gets no outcome after a successful read without a change", () => {
    const result = read(known, answer("ok", seen(10)));
    expect(result).toMatchObject({ counts: { requested: 1, ok: 1, quarters: 4 }, outcomes: [] });
  });

  it("keeps its stored price if the price changes by less than half a cent", () => {
    expect(read(known, answer("ok", seen(10.004))).outcomes).toEqual([]);
  });

  it('is delisted after a read with the status "not_found", and keeps the last known values but no owed retries', () => {
    const owing = { ...known, owes: [owed] };
    expect(onlyOutcome(read(owing, answer("not_found"))).lastSnapshot).toEqual(seen(10));
    const gone = after(owing, answer("not_found"));
    expect(gone).toMatchObject({ state: "delisted", owes: [] });
    expect(read(gone, answer("not_found")).outcomes).toEqual([]);
  });

  it.each(["partial", "unavailable"] as const)(
    'keeps its snapshot and gets an owed retry of the step after a read with the status "%s"',
    (status) => {
      const item = after(known, answer(status));
      expect(item.readings).toBe(known.readings);
      expect(item).toMatchObject({
        state: "active",
        lastReadStatus: status,
        consecutiveFailures: 1,
        owes: [owed],
      });
    },
  );

  it.each(["partial", "unavailable"] as const)(
    "gets an outcome without a 'last snapshot' after a read with the status \"%s\"",
    (status) => {
      expect(onlyOutcome(read(known, answer(status)))).not.toHaveProperty("lastSnapshot");
    },
  );

  it("loses its failure count and the owed retry of the step after a successful read", () => {
    const other: Step = { id: "other", scraper: "retailer_d.standard", routes: [] };
    const failed: Item = {
      ...known,
      lastReadStatus: "unavailable",
      consecutiveFailures: 3,
      owes: [owed, { step: "other", scraper: "retailer_d.standard" }],
    };
    const outcome = onlyOutcome(read(failed, answer("ok", seen(10))));
    const pipeline = { ...reading.pipeline, steps: [check(), other] };
    expect(applyOutcome(failed, outcome, { ...reading, pipeline })).toMatchObject({
      lastReadStatus: "ok",
      consecutiveFailures: 0,
      owes: [{ step: "other" }],
    });
  });

  it("gets an owed retry of a step that defers the item, and does not change otherwise", () => {
    const deferred = { id: known.id, addedAt, status: "deferred", at: readAt } as const;
    expect(applyOutcome(known, deferred, reading)).toEqual({
      ...known,
      owes: [owed],
      revision: 32,
    });
  });
});

describe('an item in the state "delisted"', () => {
  const delistedItem: Item = { ...known, state: "delisted", delistedAt: addedAt };

  it('after a read with the status "unavailable" stays delisted, and a route with \'when\' "failed" routes it to the next step', () => {
    const step = check({ when: "failed", run: "x" });
    expect(onlyOutcome(read(delistedItem, answer("unavailable"), step))).toMatchObject({
      status: "unavailable",
      next: ["x"],
    });
    expect(after(delistedItem, answer("unavailable"), step)).toBe(delistedItem);
  });

  it('after a read with the status "unavailable" is reported by a route with \'when\' "failed" that notifies', () => {
    const step = check({ when: "failed", notify: true });
    expect(onlyOutcome(read(delistedItem, answer("unavailable"), step))).toMatchObject({
      status: "unavailable",
      matched: { branches: ["failed"] },
    });
  });

  it.each(["partial", "unavailable"] as const)(
    'has no outcome after a read with the status "%s" that no route matches',
    (status) => {
      expect(read(delistedItem, answer(status)).outcomes).toEqual([]);
    },
  );
});

describe("a failed read of an item", () => {
  const failed = { when: "failed", notify: true } as const;

  it("is reported with the last known values of the item", () => {
    const { matched } = onlyOutcome(read(known, answer("partial"), check(failed)));
    expect(matched).toEqual({ branches: ["failed"], values: seen(10) });
  });

  it("is reported without values if no values of the item are known", () => {
    const { matched } = onlyOutcome(read(fresh, answer("partial"), check(failed)));
    expect(matched).toEqual({ branches: ["failed"], values: {} });
  });

  it("is counted by a route with 'confirm', which matches at the second failure in a row", () => {
    const step = check({ ...failed, confirm: 2 });
    const twice = after(known, answer("partial"), step);
    expect(twice).toHaveProperty("routeStates");
    expect(onlyOutcome(read(known, answer("partial"), step))).not.toHaveProperty("matched");
    expect(onlyOutcome(read(twice, answer("unavailable"), step))).toHaveProperty("matched");
  });
});

describe("a route with 'when' \"new\"", () => {
  const step = check({ when: "new", run: "x" });

  it("matches an item at its first read", () => {
    expect(onlyOutcome(read(fresh, answer("ok", seen(10)), step))).toMatchObject({ next: ["x"] });
  });

  it("does not match an item that has been read before", () => {
    expect(read(known, answer("ok", seen(10)), step).outcomes).toEqual([]);
  });
});

describe("a route with 'when' \"changed\" and 'min_delta'", () => {
  const step = check({ when: "changed", field: "price", min_delta: 5, notify: true });

  it("reports the change from its reference value, not from the last read", () => {
    const drifted = after(known, answer("ok", seen(13)), step);
    const outcome = onlyOutcome(read(drifted, answer("ok", seen(16)), step));
    expect(outcome).toMatchObject({
      changes: { price: { before: 13, after: 16 } },
      reportedChanges: { price: { before: 10, after: 16 } },
      reported: seen(16),
    });
  });

  it("reports nothing if the change is smaller than 'min_delta'", () => {
    const outcome = onlyOutcome(read(known, answer("ok", seen(13)), step));
    expect(outcome).not.toHaveProperty("reported");
    expect(outcome).not.toHaveProperty("reportedChanges");
  });
});

describe("the outcome of an unchanged read that a route matches", () => {
  const step = check({
    when: "ok",
    field: "price",
    op: "below",
    value: 50,
    run: "x",
    notify: true,
  });
  it("contains the IDs of the next steps and the values that the event reports", () => {
    expect(onlyOutcome(read(known, answer("ok", seen(10)), step))).toMatchObject({
      next: ["x"],
      matched: { branches: ["ok"], values: seen(10) },
    });
  });

  it("leaves the item unchanged, so nothing is written", () => {
    expect(after(known, answer("ok", seen(10)), step)).toBe(known);
  });
});

describe("the stored readings of an item", () => {
  const lite: Step = {
    id: "lite",
    scraper: "retailer_a.lite",
    routes: [{ when: "changed", notify: true }],
  };
  const pulse: Step = { ...lite, id: "pulse", scraper: "retailer_a.pulse" };
  const product = { price: 10, newCount: 3, newMinPrice: 9, rating: 4.5, offerListingId: "o1" };
  const item: Item = {
    ...known,
    readings: { product, pulse: { newCount: 3, newMinPrice: 9 } },
    buyboxOfferId: "o1",
  };

  it("let a product step report a change that a pulse step found but did not report, without counting the change again", () => {
    const silent = { ...pulse, routes: [] };
    const scan = onlyOutcome(read(item, answer("ok", { newCount: 4, newMinPrice: 9 }), silent));
    expect(scan).not.toHaveProperty("isCounted");
    const moved = applyOutcome(item, scan, { ...reading, step: "pulse" });
    expect(moved.readings).toMatchObject({ product: { newCount: 3 }, pulse: { newCount: 4 } });
    const outcome = onlyOutcome(read(moved, answer("ok", { ...product, newCount: 4 }), lite));
    expect(outcome.changes).toEqual({ newCount: { before: 3, after: 4 } });
    expect(outcome).toMatchObject({ isCounted: true, reported: { newCount: 4 } });
  });

  it("keep a product step from reporting a change that a pulse step has reported", () => {
    const scan = onlyOutcome(read(item, answer("ok", { newCount: 4, newMinPrice: 9 }), pulse));
    expect(scan.openChanges).toEqual({ newCount: { value: 4, notified: true } });
    const moved = applyOutcome(item, scan, { ...reading, step: "pulse" });
    const outcome = onlyOutcome(read(moved, answer("ok", { ...product, newCount: 4 }), lite));
    expect(outcome).not.toHaveProperty("changes");
    expect(outcome).not.toHaveProperty("reported");
    // Every kind of reading now contains the change, so `openChanges` does not list it.
    expect(outcome.openChanges).toEqual({});
  });

  it.each([
    [true, 9.01],
    [false, 9],
  ])(
    "set 'buyboxAboveLowest' to %s if a pulse read finds the lowest price 9 and the buy-box price is %d",
    (value, price) => {
      const route = { when: "ok", field: "buyboxAboveLowest", op: "is", value } as const;
      const tests = { ...pulse, routes: [{ ...route, notify: true }] };
      const bought = { ...item, readings: { product: { price } } };
      const { matched } = onlyOutcome(read(bought, answer("ok", { newMinPrice: 9 }), tests));
      expect(matched?.values).toStrictEqual({ newMinPrice: 9, buyboxAboveLowest: value });
    },
  );

  it("leave 'buyboxAboveLowest' without a value if a pulse read finds an item without a product reading", () => {
    const always = { ...pulse, routes: [{ when: "always", notify: true } as const] };
    const unbought = { ...item, readings: {} };
    const { matched } = onlyOutcome(read(unbought, answer("ok", { newMinPrice: 9 }), always));
    expect(matched?.values).toStrictEqual({ newMinPrice: 9 });
  });

  it("include no pulse reading if a product read lacks the fields of a pulse read", () => {
    const { price, rating } = product;
    const outcome = onlyOutcome(read(fresh, answer("ok", { price, rating }), lite));
    expect(outcome.readings).toEqual({ product: { price, rating } });
  });

  it("include the new values of the pulse fields if a product read contains these fields", () => {
    const read1 = after(item, answer("ok", { ...product, newMinPrice: 8 }), lite);
    expect(read1.readings.pulse).toEqual({ newCount: 3, newMinPrice: 8 });
  });

  it("cause no reported change at the first read of a kind, even if a reading of another kind exists", () => {
    const offers: Step = { ...lite, id: "o", scraper: "retailer_a.offers" };
    const outcome = onlyOutcome(read(item, answer("ok", { offerCount: 2 }), offers));
    expect(outcome).not.toHaveProperty("changes");
    expect(outcome.readings).toEqual({ offers: { offerCount: 2 } });
  });

  it("include the new values of untracked testable fields without counting them as changes", () => {
    const outcome = onlyOutcome(read(item, answer("ok", { ...product, rating: 4.6 }), lite));
    expect(outcome).not.toHaveProperty("changes");
    expect(outcome.readings?.product).toMatchObject({ rating: 4.6 });
  });

  it("cause no outcome if neither the offer in the buy box nor any field of the item changed", () => {
    const seenAgain = { ...answer("ok", product), buyboxOfferId: "o1" };
    expect(read(item, seenAgain, lite).outcomes).toEqual([]);
  });

  it("keep the stored offer ID after a read that does not contain the buy box", () => {
    const outcome = onlyOutcome(read(item, answer("ok", { newCount: 4 }), pulse));
    expect(outcome).not.toHaveProperty("buyboxOfferId");
  });

  it("lose the stored offer ID after a read with an empty buy box", () => {
    const seenNow = { ...answer("ok", { ...product, offerListingId: null }), buyboxOfferId: null };
    expect(after(item, seenNow, lite).buyboxOfferId).toBeNull();
  });
});

describe("the observed changes in the outcome of a read", () => {
  const lite: Step = { id: "lite", scraper: "retailer_a.lite", routes: [] };
  const pulse: Step = { ...lite, id: "pulse", scraper: "retailer_a.pulse" };

  it("are all values of the first reading, without previous values", () => {
    const { observed } = onlyOutcome(read(fresh, answer("ok", seen(10))));
    const values = Object.entries(seen(10)).map(([field, value]) => [field, { after: value }]);
    expect(observed).toStrictEqual(Object.fromEntries(values));
  });

  it("include fields that are not tracked and that no route names", () => {
    const item = { ...known, readings: { product: { price: 10, rating: 4.5 } } };
    const outcome = onlyOutcome(read(item, answer("ok", { price: 10, rating: 4.6 }), lite));
    expect(outcome).not.toHaveProperty("changes");
    expect(outcome.observed).toEqual({ rating: { before: 4.5, after: 4.6 } });
  });

  it("include changes from null and to null", () => {
    const item = { ...known, readings: { product: { price: 10, rating: null } } };
    const outcome = onlyOutcome(read(item, answer("ok", { price: null, rating: 4.6 }), lite));
    expect(outcome.observed).toEqual({
      price: { before: 10, after: null },
      rating: { before: null, after: 4.6 },
    });
  });

  it("omit values that another kind of read has already found, and omit price differences of up to half a cent", () => {
    const item = { ...known, readings: { product: { newCount: 3, newMinPrice: 9 } } };
    const seenFirst = { newCount: 3, newMinPrice: 9.004 };
    expect(onlyOutcome(read(item, answer("ok", seenFirst), pulse))).not.toHaveProperty("observed");
  });

  it("are absent for a delisted item", () => {
    const delisted: Item = { ...known, state: "delisted", delistedAt: addedAt };
    const always = check({ when: "always", notify: true });
    const outcome = onlyOutcome(read(delisted, answer("ok", seen(12)), always));
    expect(outcome).not.toHaveProperty("observed");
  });

  it.each(["not_found", "partial", "unavailable"] as const)(
    'are absent if the read has the status "%s"',
    (status) => {
      expect(onlyOutcome(read(known, answer(status)))).not.toHaveProperty("observed");
    },
  );
});

describe("the outcome of a read that is applied again", () => {
  const moved = (price: number): ItemOutcome => onlyOutcome(read(known, answer("ok", seen(price))));

  it("changes nothing if the same outcome is already applied to the item", () => {
    const once = applyOutcome(known, moved(12), reading);
    expect(changeByOutcome(once, moved(12), reading)).toBe("unchanged");
  });

  it.each([
    ["a later run", { runNumber: 3, position: 0 }],
    ["a later step of the same run", { position: 1 }],
  ])(
    "changes nothing if the item already has the outcome of a later read (a read of %s)",
    (_, later) => {
      const newer = applyOutcome(known, moved(15), { ...reading, ...later });
      expect(changeByOutcome(newer, moved(12), reading)).toBe("unchanged");
    },
  );

  it("changes nothing if the item was removed and added again", () => {
    const again = newItem(known.id, "2026-03-02T00:00:01.000Z");
    expect(changeByOutcome(again, moved(12), reading)).toBe("unchanged");
  });
});

describe("the details of an item in an outcome", () => {
  const details = { label: "shoes", metadata: { target: 11 } };
  const detailed = (given: StepAnswer, step = check(), found: KnownDetails = details) =>
    onlyOutcome(
      batchResult(
        alone(step),
        {
          items: new Map([[known.id, known]]),
          planned: 1,
          at: readAt,
          detailsOf: () => found,
        },
        [given],
      ),
    );

  it.each([
    ["a change", answer("ok", seen(12)), check()],
    ["a delisting", answer("not_found"), check()],
    ["a failed read", answer("partial"), check({ when: "failed", notify: true })],
  ])("are present if the outcome reports an event about the item: %s", (_, given, step) => {
    expect(detailed(given, step).details).toEqual(details);
  });

  it("are absent if the outcome reports nothing", () => {
    expect(detailed(answer("partial"))).not.toHaveProperty("details");
  });

  it("are absent if the item has no details", () => {
    expect(detailed(answer("not_found"), check(), {})).not.toHaveProperty("details");
  });

  it("contain the metadata with which a route compares a field", () => {
    const value = { metadata: "target" };
    const step = check({ when: "changed", field: "price", op: "above", value, notify: true });
    expect(detailed(answer("ok", seen(12)), step)).toHaveProperty("reported");
    expect(detailed(answer("ok", seen(12)), step, {})).not.toHaveProperty("reported");
    expect(detailed(answer("ok", seen(10.5)), step)).not.toHaveProperty("reported");
  });
});

describe("a batch of offer checks in which some items have no offer", () => {
  const owing = (id: string): Item => ({ ...known, id, owes: [owed] });

  it("clears the owed retries of items without an offer, and contains all outcomes in ID order", () => {
    const items = [owing("6500001"), owing("6500002"), { ...known, id: "6500003" }];
    const result = batchResult(
      alone(check()),
      { items: new Map(items.map((item) => [item.id, item])), planned: 3, at: readAt },
      [{ ...answer("ok", seen(12)), id: "6500002" }],
    );
    expect(result.outcomes).toMatchObject([
      { id: "6500001", addedAt, status: "skipped", at: readAt },
      { id: "6500002", status: "ok", changes: { price: { before: 10, after: 12 } } },
    ]);
    expect(result.counts).toMatchObject({ requested: 1, ok: 1, skipped: 2 });
  });

  it("clears the owed retries of items without an offer if another item was removed from the watchlist", () => {
    const result = batchResult(
      alone(check()),
      { items: new Map([["6500001", owing("6500001")]]), planned: 2, at: readAt },
      [{ ...answer("ok", seen(12)), id: "6500002" }],
    );
    expect(result.outcomes).toMatchObject([{ id: "6500001", status: "skipped" }]);
  });

  it("keeps the owed retries of other steps for items without an offer", () => {
    const item: Item = { ...known, owes: [{ step: "other", scraper: "retailer_d.standard" }] };
    const other: Step = { id: "other", scraper: "retailer_d.standard", routes: [] };
    const pipeline = { ...pipelineOf(check()), steps: [check(), other] };
    const result = batchResult(
      { pipeline, step: check() },
      { items: new Map([[item.id, item]]), planned: 1, at: readAt },
      [],
    );
    expect(result.outcomes).toEqual([]);
  });
});

describe("the counts of a batch", () => {
  it("contain each requested item under its status, and count removed items as skipped", () => {
    const answers = (["ok", "partial", "not_found", "unavailable"] as const).map((status) =>
      answer(status, status === "ok" ? seen(1) : null),
    );
    expect(
      batchResult(alone(check()), { items: new Map(), planned: 6, at: readAt }, answers),
    ).toEqual({
      counts: {
        requested: 4,
        ok: 1,
        partial: 1,
        notFound: 1,
        unavailable: 1,
        skipped: 2,
        quarters: 8,
      },
      outcomes: [],
    });
  });
});

describe("the label and other known details of an item", () => {
  const details: KnownDetails = { label: "Kettle" };
  const withDetailsOf = (given: StepAnswer, detailsOf?: () => KnownDetails): ItemOutcome =>
    onlyOutcome(
      batchResult(
        alone(check()),
        {
          items: new Map([[known.id, known]]),
          planned: 1,
          at: readAt,
          ...(detailsOf !== undefined && { detailsOf }),
        },
        [given],
      ),
    );

  it.each([
    ["in the outcome if the read reports a change", answer("ok", seen(9))],
    ["in the outcome if the read delists the item", answer("not_found")],
  ])("follow the rule that they are present %s", (_, given) => {
    expect(withDetailsOf(given, () => details)).toMatchObject({ details });
  });

  it("are absent from the outcome if the read reports nothing", () => {
    const owing = { ...known, owes: [owed] };
    const batch = {
      items: new Map([[owing.id, owing]]),
      planned: 1,
      at: readAt,
      detailsOf: () => details,
    };
    const result = batchResult(alone(check()), batch, [answer("ok", seen(10))]);
    expect(onlyOutcome(result)).toStrictEqual(unchangedOutcome);
  });

  it("are absent from the outcome if the item has no known details", () => {
    expect(withDetailsOf(answer("ok", seen(9)), () => ({}))).not.toHaveProperty("details");
    expect(withDetailsOf(answer("ok", seen(9)))).not.toHaveProperty("details");
  });
});
