import { describe, expect, it } from "vitest";
import { changeRows } from "../../../shared/exports/change-rows.ts";
import { sampleData } from "../../../shared/webhooks/sample-events.ts";
import type { EventType } from "../../../shared/events/event.ts";

const at = "2026-11-20T10:00:00.000Z";
const entry = { id: "1001", step: "check", scraper: "retailer_d.standard" };

const changed = (changes: object, details: object = {}): string =>
  JSON.stringify({
    id: "evt_1",
    type: "watchlist.product.changed",
    created_at: at,
    data: {
      run_id: "wlrun_1",
      run_number: 7,
      changes: [{ ...entry, ...details, changed_at: at, changes }],
    },
  });

const numbersOf = (before: unknown, after: unknown) => {
  const [row] = changeRows(changed({ price: { before, after } }));
  return [row?.beforeNumber, row?.afterNumber, row?.percent];
};

describe("the rows of an event of changed items", () => {
  it("contain one row for each changed field, with JSON values and the label, metadata, title and URL of the item", () => {
    const details = {
      label: "Blue cup",
      metadata: { target_price: 9 },
      title: "Cup",
      url: "https://shop.example/1",
    };
    const body = changed(
      { price: { before: 10, after: 8 }, condition: { before: "New", after: null } },
      details,
    );
    const common = {
      eventId: "evt_1",
      runId: "wlrun_1",
      runNumber: 7,
      kind: "changed",
      itemId: "1001",
      label: "Blue cup",
      metadata: '{"target_price":9}',
      title: "Cup",
      url: "https://shop.example/1",
      step: "check",
      at: new Date(at),
    };

    expect(changeRows(body)).toEqual([
      {
        ...common,
        field: "price",
        before: "10",
        after: "8",
        beforeNumber: 10,
        afterNumber: 8,
        percent: -20,
      },
      {
        ...common,
        field: "condition",
        before: '"New"',
        after: "null",
        beforeNumber: null,
        afterNumber: null,
        percent: null,
      },
    ]);
  });

  it("have no percentage if a value is not a number or the old value is 0", () => {
    expect(numbersOf(10, null)).toEqual([10, null, null]);
    expect(numbersOf(null, 10)).toEqual([null, 10, null]);
    expect(numbersOf(0, 10)).toEqual([0, 10, null]);
    expect(numbersOf(true, false)).toEqual([null, null, null]);
  });

  it("have null for a label, metadata, title or URL that the item lacks", () => {
    const [row] = changeRows(changed({ price: { before: 1, after: 2 } }));
    expect(row).toMatchObject({ label: null, metadata: null, title: null, url: null });
  });
});

describe("the rows of an event of delisted items", () => {
  it("contain one row for each item, without a field and without values", () => {
    const body = JSON.stringify({
      id: "evt_2",
      type: "watchlist.product.delisted",
      created_at: at,
      data: { run_id: "wlrun_1", run_number: 7, products: [{ ...entry, delisted_at: at }] },
    });
    expect(changeRows(body)).toMatchObject([
      {
        kind: "delisted",
        itemId: "1001",
        at: new Date(at),
        field: null,
        before: null,
        after: null,
        percent: null,
      },
    ]);
  });
});

it.each<EventType>(["watchlist.product.changed", "watchlist.product.delisted"])(
  "a %s event that the service creates is converted to a row",
  (type) => {
    const data = sampleData({ type, at, endpointId: "whe_1" });
    const body = JSON.stringify({ id: "evt_3", type, created_at: at, data });
    expect(changeRows(body)).toMatchObject([{ itemId: "9000001", label: "Test item" }]);
  },
);
