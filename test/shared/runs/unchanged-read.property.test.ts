import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultPipeline } from "../../../shared/pipelines/default.ts";
import type { Pipeline, Route, Step } from "../../../shared/pipelines/definition.ts";
import { batchResult } from "../../../shared/runs/outcome.ts";
import type { StepAnswer } from "../../../shared/runs/read-step.ts";
import { type OkRead, unchangedCheck } from "../../../shared/runs/unchanged-read.ts";
import type { Snapshot } from "../../../shared/scrapers/catalog.ts";
import { type Item, newItem } from "../../../shared/watchlists/item.ts";

const at = "2026-11-01T00:00:00.000Z";
const offerId = "offer-1";

/** Few values, so that most fields of a read equal the fields of the item. */
const price = fc.constantFrom(10, 10, 10, 10.004, 11, null);
const count = fc.constantFrom(3, 3, 3, 4);
const pulse: fc.Arbitrary<Snapshot> = fc.record(
  { newCount: count, newMinPrice: price },
  { requiredKeys: [] },
) as fc.Arbitrary<Snapshot>;
const product: fc.Arbitrary<Snapshot> = fc.record(
  { price, newCount: count, newMinPrice: price, rating: fc.constantFrom(4, 4, 5) },
  { requiredKeys: [] },
) as fc.Arbitrary<Snapshot>;

const anyItem: fc.Arbitrary<Item> = fc
  .record(
    {
      state: fc.constantFrom("active", "active", "active", "new", "delisted"),
      lastReadStatus: fc.constantFrom("ok", "ok", "ok", "unavailable"),
      readings: fc.record({ pulse, product }, { requiredKeys: [] }),
      openChanges: fc.constantFrom({}, {}, { newCount: { value: 3, notified: true } }),
      owes: fc.constantFrom<Item["owes"]>([], [], [{ step: "pulse", scraper: "retailer_a.pulse" }]),
      buyboxOfferId: fc.constantFrom(offerId, null),
      firstReadAt: fc.constantFrom(at, at, null),
    },
    { noNullPrototype: true },
  )
  .map((members): Item => Object.assign(newItem("B000000001", at), members));

const routes: fc.Arbitrary<Route[]> = fc.array(
  fc.constantFrom<Route>(
    { when: "changed", notify: true },
    { when: "changed", field: "newMinPrice", notify: true },
    { when: "unchanged", notify: true },
    { when: "new", notify: true },
    { when: "always", notify: true },
    { when: "ok", field: "newMinPrice", op: "below", value: 11, notify: true },
    { when: "ok", field: "newCount", op: "is_not", value: 3, notify: true },
  ),
  { maxLength: 2 },
);
const standard = defaultPipeline("retailer_a", 8);

/** A step of the default pipeline, with the routes of that pipeline or with random routes. */
const anyStep: fc.Arbitrary<{ readonly pipeline: Pipeline; readonly step: Step }> = fc
  .record({ n: fc.nat({ max: 2 }), given: fc.option(routes) })
  .map(({ n, given }) => {
    const steps = standard.steps.map((one, position) =>
      position === n && given !== null ? { ...one, routes: given } : one,
    );
    return { pipeline: { ...standard, steps }, step: steps[n] as Step };
  });

/** A read of an item: any fields, or exactly the fields of an earlier reading of the item. */
const anyItemAndRead = anyItem.chain((item) =>
  fc.record({
    item: fc.constant(item),
    read: fc.record({
      observed: fc.oneof(pulse, product, fc.constantFrom({}, ...Object.values(item.readings))),
      buyboxOfferId: fc.constantFrom(undefined, undefined, item.buyboxOfferId, offerId, null),
    }),
  }),
);

const answerOf = ({ observed, buyboxOfferId }: OkRead): StepAnswer => ({
  id: "B000000001",
  status: "ok",
  fetchedAt: "2026-11-02T00:00:00.000Z",
  quarters: 1,
  observed,
  ...(buyboxOfferId !== undefined && { buyboxOfferId }),
});

const outcomesOf = (
  found: { readonly pipeline: Pipeline; readonly step: Step },
  item: Item,
  answer: StepAnswer,
) => batchResult(found, { items: new Map([[item.id, item]]), planned: 1, at }, [answer]).outcomes;

describe("the shortcut for unchanged reads", () => {
  it("skips only reads that would have no outcome", () => {
    let unchanged = 0;
    fc.assert(
      fc.property(anyStep, anyItemAndRead, (found, { item, read }) => {
        const answer = answerOf(read);
        if (unchangedCheck(found.pipeline, found.step)(item, read, {})) unchanged += 1;
        // The check for unchanged reads never applies to an item with route states. Empty states
        // have no other effect.
        const checkedInFull = outcomesOf(found, { ...item, routeStates: {} }, answer);
        expect(outcomesOf(found, item, answer)).toEqual(checkedInFull);
      }),
      { numRuns: 3_000, seed: 7 },
    );
    // The seed is fixed, so that the test certainly meets unchanged reads.
    expect(unchanged).toBeGreaterThan(50);
  });

  it("applies to no read of a pipeline with routes that have a state", () => {
    const step: Step = {
      id: "pulse",
      scraper: "retailer_a.pulse",
      routes: [{ when: "changed", notify: true, cooldown: "6h" }],
    };
    const pipeline: Pipeline = { entry: "pulse", baseline: null, refresh: null, steps: [step] };
    const observed = { newCount: 3, newMinPrice: 10 };
    const item: Item = {
      ...newItem("B000000001", at),
      state: "active",
      firstReadAt: at,
      lastReadStatus: "ok",
      readings: { pulse: observed },
    };
    const stateless = { ...step, routes: [{ when: "changed", notify: true } as const] };
    const statelessPipeline = { ...pipeline, steps: [stateless] };
    expect(unchangedCheck(pipeline, step)(item, { observed }, {})).toBe(false);
    expect(unchangedCheck(statelessPipeline, stateless)(item, { observed }, {})).toBe(true);
  });
});
