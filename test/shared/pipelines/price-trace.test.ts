import { describe, expect, it } from "vitest";
import {
  derivedPrice,
  type PriceTrace,
  startTrace,
  traceAfter,
} from "../../../shared/pipelines/price-trace.ts";
import type { DerivedPriceField } from "../../../shared/scrapers/fields.ts";

const dayMs = 86_400_000;

/** Returns the trace after daily reads of these prices, each at noon, from day 100 on. */
function traceOf(field: DerivedPriceField, prices: readonly (number | null)[]): PriceTrace {
  return prices
    .slice(1)
    .reduce<PriceTrace>(
      (trace, is, n) =>
        traceAfter(field, trace, { was: prices[n], is, at: (101 + n) * dayMs + dayMs / 2 }),
      startTrace(field, { was: undefined, is: prices[0] ?? null, at: 100.5 * dayMs }),
    );
}

describe("the stored prices for the derived field 'lowest30d'", () => {
  it.each([
    ["are absent while the price falls", [10, 9, 8], undefined],
    [
      "include each price below a later price, with the last day on which the lower price was valid",
      [8, 9, 10],
      [
        [101, 8],
        [102, 9],
      ],
    ],
    ["omit a price that is not below every later price", [8, 9, 7, 10], [[103, 7]]],
    ["omit a price that equals the current price", [8, 9, 8], undefined],
    [
      "include all lower prices while the current price is null",
      [8, 9, null],
      [
        [101, 8],
        [102, 9],
      ],
    ],
  ])("%s", (_what, prices, days) => {
    expect(traceOf("lowest30d", prices).days).toEqual(days);
  });

  it("include one entry for a price that ends twice on one day", () => {
    const at = 100.5 * dayMs;
    const read = (was: number, is: number) => ({ was, is, at });
    let trace = startTrace("lowest30d", { was: undefined, is: 8, at });
    for (const [was, is] of [
      [8, 9],
      [9, 8],
      [8, 9],
      [9, 10],
    ] as const) {
      trace = traceAfter("lowest30d", trace, read(was, is));
    }
    expect(trace.days).toEqual([[100, 8]]);
  });
});

describe("the stored days of the derived field 'average30d'", () => {
  const read = { was: 10, is: 12, at: 102.25 * dayMs };
  const started = startTrace("average30d", { was: undefined, is: 10, at: 100.5 * dayMs });

  it("contain the milliseconds with a price, and the sum of price times milliseconds", () => {
    expect(traceAfter("average30d", started, read)).toEqual({
      since: 100,
      at: 102.25 * dayMs,
      days: [
        [100, dayMs / 2, 5 * dayMs],
        [101, dayMs, 10 * dayMs],
        [102, dayMs / 4, 2.5 * dayMs],
      ],
    });
  });

  it("do not include a day that begins at the time of the read", () => {
    const midnight = traceAfter("average30d", started, { ...read, at: 102 * dayMs });
    expect(midnight.days?.map(([day]) => day)).toEqual([100, 101]);
  });

  it("do not include a day that ended more than 30 days before the read", () => {
    const late = traceAfter("average30d", started, { ...read, at: 140.5 * dayMs });
    expect(late.days?.[0]).toEqual([110, dayMs, 10 * dayMs]);
    expect(late.days).toHaveLength(31);
  });
});

describe("the stored trace of a derived price field", () => {
  it.each<DerivedPriceField>(["previousPrice", "lowest30d", "average30d", "changedCount7d"])(
    "stays the same JavaScript object after a read with the same price (the field: '%s')",
    (field) => {
      const trace = traceOf(field, [10, 9]);
      expect(traceAfter(field, trace, { was: 9, is: 9, at: 110 * dayMs })).toBe(trace);
    },
  );
});

describe("the stored trace of the derived field 'previousPrice'", () => {
  it.each([
    ["no price if no read had a price", [null, null], { since: 100 }],
    ["the price before the current one", [10, 9, 8], { since: 100, previous: 9 }],
    [
      "the last price while the price is null",
      [10, 9, null],
      { since: 100, previous: 10, last: 9 },
    ],
    [
      "the price before the current one if the current price returns after a gap",
      [10, 9, null, 9],
      { since: 100, previous: 10 },
    ],
    ["no previous price if the only price returns after a gap", [10, null, 10], { since: 100 }],
  ])("contains %s", (_what, prices, trace) => {
    expect(traceOf("previousPrice", prices)).toEqual(trace);
  });

  it("determines the previous price even if the trace began recently", () => {
    const read = { was: 9, is: 9, at: 101 * dayMs };
    expect(derivedPrice("previousPrice", traceOf("previousPrice", [10, 9]), read)).toBe(10);
  });
});
