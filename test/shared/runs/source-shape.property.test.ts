import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pointLine } from "../../../shared/history/point-lines.ts";
import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import { addResult, newTotals } from "../../../shared/runs/run-totals.ts";
import type { StepRecord } from "../../../shared/runs/step.ts";
import type { BatchShape } from "../../../shared/runs/batch.ts";
import type { Run } from "../../../shared/runs/run.ts";
import { shapeChangeOf } from "../../../shared/runs/source-shape.ts";

const at = "2026-03-01T00:00:00.000Z";
const pipeline: Pipeline = {
  entry: "check",
  baseline: null,
  refresh: null,
  steps: [{ id: "check", scraper: "retailer_d.standard", routes: [] }],
};

function changeOf(
  prices: readonly (readonly [number, number])[],
  shapes: readonly BatchShape[],
): ReturnType<typeof shapeChangeOf> {
  const points = prices.map(([before, after], n) =>
    pointLine({
      id: String(n),
      at,
      step: "check",
      status: "ok",
      values: { price: { before, after } },
    }),
  );
  const step = { step: "check" } as StepRecord;
  const stats = { tracked: prices.length };
  const run = { kind: "sweep", pipeline, stats } as unknown as Run;
  const totals = newTotals();
  addResult(totals, run, { step, outcomes: [], points, isRestorable: true });
  for (const one of shapes) {
    addResult(totals, run, { step, outcomes: [], points: [], shape: one, isRestorable: true });
  }
  return shapeChangeOf(run, totals);
}

/** A price of at least 1, so that rounding to cents changes a factor by at most half a percent. */
const price = fc.integer({ min: 100, max: 100_000 }).map((cents) => cents / 100);
const shape = fc.record({
  compared: fc.nat(40),
  incomplete: fc.nat(40),
  fields: fc.dictionary(
    fc.constantFrom("price", "state"),
    fc
      .tuple(fc.nat(40), fc.nat(40))
      .map(([had, lost]): [number, number] => [had, Math.min(had, lost)]),
  ),
});

describe("a change in the shape of a source's answers", () => {
  it("is found if all prices of at least 20 items change by a factor of 4 or more", () => {
    fc.assert(
      fc.property(
        fc.array(price, { minLength: 20 }),
        fc.double({ min: 4, max: 1_000, noNaN: true }),
        fc.boolean(),
        (prices, factor, isInverse) => {
          const pairs = prices.map((one): [number, number] => {
            const other = Math.round(one * factor * 100) / 100;
            return isInverse ? [other, one] : [one, other];
          });
          expect(changeOf(pairs, [])?.priceJump?.items).toBe(prices.length);
        },
      ),
    );
  });

  it("is not found if every price changes by a factor of less than 2.9", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(price, fc.double({ min: 0.35, max: 2.9, noNaN: true }))),
        (changes) => {
          const pairs = changes.map(([one, by]): [number, number] => [one, one * by]);
          expect(changeOf(pairs, [])).toBeUndefined();
        },
      ),
    );
  });

  it("does not depend on the order of the batches or on the division into batches", () => {
    fc.assert(
      fc.property(fc.array(shape), (shapes) => {
        expect(changeOf([], shapes.toReversed())).toEqual(changeOf([], shapes));
      }),
    );
  });
});
