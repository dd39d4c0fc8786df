import fc from "fast-check";
import { expect, it } from "vitest";
import {
  derivedPrice,
  type PriceTrace,
  startTrace,
  traceAfter,
} from "../../../shared/pipelines/price-trace.ts";
import { derivedPriceFields } from "../../../shared/scrapers/fields.ts";
import { derivedPrices } from "../../run-model/derived-prices.ts";
import type { KnownPrice } from "../../run-model/fields.ts";

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);

/** Reads of an item, each up to ten days after the read before it. Most find the same price. */
const anyReads: fc.Arbitrary<readonly KnownPrice[]> = fc
  .array(
    fc.record({
      hours: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 240 })),
      price: fc.oneof(
        { weight: 3, arbitrary: fc.constant(undefined) },
        { weight: 3, arbitrary: fc.integer({ min: 900, max: 1_100 }).map((cents) => cents / 100) },
        { weight: 1, arbitrary: fc.constant(null) },
      ),
    }),
    { minLength: 1, maxLength: 80, size: "max" },
  )
  .map((steps) => {
    let at = start;
    let last: number | null = 10;
    return steps.map(({ hours, price }) => {
      at += hours * hour;
      last = price === undefined ? last : price;
      return { at, price: last };
    });
  });

it.each(derivedPriceFields)(
  "the value of the derived field '%s' is the same if it is computed from the stored trace or from all earlier reads",
  (field) => {
    const observed = new Set<boolean>();
    fc.assert(
      fc.property(anyReads, (reads) => {
        let trace: PriceTrace | undefined;
        for (const [n, { at, price }] of reads.entries()) {
          const known = reads.slice(0, n);
          const read = { was: known.at(-1)?.price, is: price, at };
          const value = trace === undefined ? undefined : derivedPrice(field, trace, read);
          const expected = derivedPrices(known, { at, price })[field];
          observed.add(expected !== undefined);
          if (typeof expected === "number") expect(value).toBeCloseTo(expected, 3);
          else expect(value).toBe(expected);
          trace = trace === undefined ? startTrace(field, read) : traceAfter(field, trace, read);
        }
      }),
      { numRuns: 150 },
    );
    expect(observed).toEqual(new Set([false, true]));
  },
);

it.each(derivedPriceFields)(
  "the stored trace of the derived field '%s' has at most one entry per day",
  (field) => {
    const rising = Array.from({ length: 24 * 120 }, (_, n) => ({ at: start + n * hour, price: n }));
    let trace = startTrace(field, { was: undefined, is: 0, at: start });
    for (const [n, { at, price }] of rising.entries()) {
      trace = traceAfter(field, trace, { was: rising[n - 1]?.price ?? 0, is: price, at });
    }
    expect(trace.days?.length ?? 0).toBeLessThanOrEqual(91);
  },
);
