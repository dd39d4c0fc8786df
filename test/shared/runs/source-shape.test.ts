import { describe, expect, it } from "vitest";
import type { Pipeline, Step } from "../../../shared/pipelines/definition.ts";
import { limits } from "../../../shared/base/limits.ts";
import { pointLine } from "../../../shared/history/point-lines.ts";
import type { Snapshot } from "../../../shared/scrapers/catalog.ts";
import type { ReadStatus } from "../../../shared/scrapers/scraper.ts";
import type { StepAnswer } from "../../../shared/runs/read-step.ts";
import { addResult, newTotals } from "../../../shared/runs/run-totals.ts";
import type { StepRecord } from "../../../shared/runs/step.ts";
import type { BatchShape } from "../../../shared/runs/batch.ts";
import type { Run } from "../../../shared/runs/run.ts";
import {
  batchShape,
  isAlarming,
  holdsEvents,
  shapeChangeOf,
} from "../../../shared/runs/source-shape.ts";
import { type Item, newItem } from "../../../shared/watchlists/item.ts";

const at = "2026-03-01T00:00:00.000Z";
const step: Step = { id: "check", scraper: "retailer_d.standard", routes: [] };
const pipeline: Pipeline = { entry: "check", baseline: null, refresh: null, steps: [step] };
const itemsMin = limits.shapeItemsMin;

const known = (id: string, reading: Snapshot, changes: Partial<Item> = {}): [string, Item] => [
  id,
  {
    ...newItem(id, at),
    state: "active",
    lastReadStatus: "ok",
    readings: { standard: reading },
    ...changes,
  },
];

const answer = (id: string, observed: Snapshot | null, status: ReadStatus = "ok"): StepAnswer => ({
  id,
  status,
  fetchedAt: at,
  quarters: 4,
  observed,
});

describe("the recorded shape of a batch", () => {
  it("counts, for each field of an item's previous answer, whether the field is now absent or null", () => {
    const shape = batchShape(step, {
      items: new Map([
        known("1", { price: 1, regularPrice: 2, inStock: false, state: null }),
        known("2", { price: 1, regularPrice: 2 }),
        known("3", { price: 1 }),
      ]),
      answers: [
        answer("1", { price: 5, inStock: false }),
        answer("2", { price: null, regularPrice: 2 }),
        answer("3", { price: 1, regularPrice: 9 }),
      ],
    });
    expect(shape).toEqual({
      compared: 3,
      incomplete: 0,
      fields: { price: [3, 1], regularPrice: [2, 1], inStock: [1, 0] },
    });
  });

  it("counts an item as incomplete only if the previous answer about the item was complete", () => {
    const shape = batchShape(step, {
      items: new Map([
        known("1", { price: 1 }),
        known("2", { price: 1 }, { lastReadStatus: "partial" }),
        known("3", { price: 1 }, { state: "delisted" }),
        known("4", { price: 1 }),
      ]),
      answers: [
        ...["1", "2", "3"].map((id) => answer(id, null, "partial")),
        answer("4", null, "unavailable"),
      ],
    });
    expect(shape).toEqual({ compared: 0, incomplete: 1, fields: {} });
  });

  it("is undefined for items without an earlier reading of the same kind", () => {
    const items = new Map([["1", newItem("1", at)]]);
    expect(batchShape(step, { items, answers: [answer("1", { price: 1 })] })).toBeUndefined();
    const other = new Map([known("1", { price: 1 })]);
    const offers: Step = { id: "offers", scraper: "retailer_a.offers", routes: [] };
    const answers = [answer("1", { offerCount: 1 })];
    expect(batchShape(offers, { items: other, answers })).toBeUndefined();
  });
});

interface RunOf {
  readonly shapes?: readonly BatchShape[];
  /** Prices before and after, of the items that changed. */
  readonly prices?: readonly (readonly [before: number | null, after: number | null])[];
  readonly items?: number;
  readonly run?: Partial<Run>;
}

function changeIn({ shapes = [], prices = [], items = prices.length, run = {} }: RunOf) {
  const points = prices.map(([before, after], n) =>
    pointLine({
      id: String(n),
      at,
      step: "check",
      status: "ok",
      values: { price: { before, after } },
    }),
  );
  const record = { step: "check" } as StepRecord;
  const stats = { tracked: items };
  const changed = { kind: "sweep", pipeline, stats, ...run } as Run;
  const totals = newTotals();
  addResult(totals, changed, { step: record, outcomes: [], points, isRestorable: true });
  for (const shape of shapes) {
    addResult(totals, changed, {
      step: record,
      outcomes: [],
      points: [],
      shape,
      isRestorable: true,
    });
  }
  return shapeChangeOf(changed, totals);
}

/**
 * The numbers of items that had the field, that lost the field, and that were compared. By default,
 * all items that had the field were compared.
 */
type Counts = readonly [had: number, gone: number, compared?: number];

const lost = (field: string, [had, gone, compared = had]: Counts): BatchShape => ({
  compared,
  incomplete: 0,
  fields: { [field]: [had, gone], inStock: [compared, 0] },
});
const times = (factor: number, count: number) =>
  Array.from({ length: count }, (_, n): [number, number] => {
    const price = (n + 100) / 10;
    return [price, Math.round(price * factor * 100) / 100];
  });
/** Prices that changed by different small factors. */
const usual = (count: number) =>
  Array.from({ length: count }, (_, n): [number, number] => [10, 8 + (n % 9) / 2 + 0.01]);

describe("a lost field in the answers of a source", () => {
  it("is a field that at least 95% of the items had and at least 80% of these items have lost", () => {
    const half = Math.ceil(itemsMin / 2);
    const change = changeIn({ shapes: [lost("price", [half, half]), lost("price", [half, half])] });
    expect(change).toEqual({ lostFields: ["standard.price"], missingFields: ["standard.price"] });
    expect(change && [isAlarming(change), holdsEvents(change)]).toEqual([true, true]);
  });

  it.each([
    ["too few items had the field", lost("price", [itemsMin - 1, itemsMin - 1])],
    ["less than 95% of the items had the field", lost("price", [94, 94, 100])],
    ["more than a fifth of the items still have the field", lost("price", [100, 79])],
  ])("is not reported if one of the limits for a report is not reached: %s", (_, shape) => {
    expect(changeIn({ shapes: [shape] })).toBeUndefined();
  });

  it("is reported if the counts are exactly at the limits", () => {
    expect(changeIn({ shapes: [lost("price", [95, 76, 100])] })?.lostFields).toEqual([
      "standard.price",
    ]);
  });

  it("is never reported in a baseline run", () => {
    const shapes = [lost("price", [100, 100])];
    expect(changeIn({ shapes, run: { kind: "baseline" } })).toBeUndefined();
  });

  it("is reported only in the first run without the field, and the return of the field causes no alarm", () => {
    const shapes = [lost("price", [100, 100])];
    const missingFields = ["standard.price"];
    expect(changeIn({ shapes, run: { missingFields } })).toBeUndefined();
    const returned = changeIn({ shapes: [lost("price", [100, 0])], run: { missingFields } });
    expect(returned).toEqual({ missingFields: [] });
    expect(returned && [isAlarming(returned), holdsEvents(returned)]).toEqual([false, false]);
  });

  it("stays recorded as missing after a run that compared other reads or too few items", () => {
    const run = { missingFields: ["pulse.newCount", "standard.price"] };
    expect(changeIn({ shapes: [lost("state", [100, 0])], run })?.missingFields).toEqual([
      "pulse.newCount",
    ]);
    expect(changeIn({ shapes: [lost("state", [itemsMin - 1, 0])], run })).toBeUndefined();
  });
});

describe("incomplete items in the answers of a source", () => {
  it('raise the alarm if nearly all items became "partial", but do not hold the events', () => {
    const change = changeIn({ shapes: [{ compared: 20, incomplete: 80, fields: {} }] });
    expect(change).toEqual({ incompleteItems: 80, missingFields: [] });
    expect(change && [isAlarming(change), holdsEvents(change)]).toEqual([true, false]);
  });

  it.each([
    ["fewer than four of five items became partial", { compared: 21, incomplete: 79 }],
    ["too few items became partial", { compared: 0, incomplete: itemsMin - 1 }],
  ])("do not raise the alarm if one of the limits of the alarm is not reached: %s", (_, counts) => {
    expect(changeIn({ shapes: [{ ...counts, fields: {} }] })).toBeUndefined();
  });
});

describe("a jump of prices in the answers of a source", () => {
  it.each([100, 10, 3, 0.3, 0.1, 0.01, 146.3])(
    "is found if all prices change by the factor %d",
    (factor) => {
      const { priceJump } = changeIn({ prices: times(factor, 100) }) ?? {};
      expect(priceJump?.factor).toBeGreaterThan(factor * 0.98);
      expect(priceJump?.factor).toBeLessThan(factor * 1.02);
    },
  );

  it("is reported with the number of items and the factor, rounded to three digits", () => {
    expect(changeIn({ prices: times(100, itemsMin) })).toEqual({
      priceJump: { factor: 100, items: itemsMin },
      missingFields: [],
    });
  });

  it("is found among other changes and unchanged prices", () => {
    const prices = [...usual(30), ...times(100, 30)];
    expect(changeIn({ prices, items: 300 })?.priceJump?.items).toBe(30);
  });

  it.each([
    ["too few items changed by the factor", { prices: times(100, itemsMin - 1), items: 20 }],
    [
      "less than a tenth of the items changed by the factor",
      { prices: times(100, 30), items: 301 },
    ],
    ["all prices were halved", { prices: times(0.5, 100) }],
    ["all prices were reduced by 60%", { prices: times(0.4, 100) }],
    [
      "the prices changed by different large factors",
      { prices: Array.from({ length: 100 }, (_, n): [number, number] => [1, 3 + n]) },
    ],
    [
      "prices appeared or disappeared",
      {
        prices: Array.from({ length: 100 }, (_, n): [number | null, number | null] =>
          n % 2 === 0 ? [null, 5] : [5, null],
        ),
      },
    ],
  ] satisfies [string, RunOf][])(
    "is not found if a condition of a jump is not met: %s",
    (_, run) => {
      expect(changeIn(run)).toBeUndefined();
    },
  );
});
