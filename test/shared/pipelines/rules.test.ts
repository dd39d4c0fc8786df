import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Op, Route, Step, When } from "../../../shared/pipelines/definition.ts";
import {
  buyboxAboveLowest,
  matchRoutes,
  mergedReading,
  type ReadingFacts,
  type RouteMatches,
} from "../../../shared/pipelines/rules.ts";
import {
  type FieldValue,
  type Snapshot,
  stepScrapers,
} from "../../../shared/scrapers/catalogue.ts";
import { anyTest } from "./any-pipeline.ts";

const lite = (...routes: readonly Route[]): Step => ({
  id: "lite",
  scraper: "retailer_a.lite",
  routes,
});
const pulse = (...routes: readonly Route[]): Step => ({
  id: "pulse",
  scraper: "retailer_a.pulse",
  routes,
});

const price10 = { price: 10, inStock: true, rating: 4.5 };
const found = (before: Snapshot | null, after: Snapshot, firstRead = false): ReadingFacts => ({
  status: "ok",
  firstRead,
  before,
  after,
  known: before ?? {},
  notified: new Set(),
  derived: {},
});
const answered = (status: ReadingFacts["status"]): ReadingFacts => ({
  status,
  firstRead: false,
  before: price10,
  after: null,
  known: price10,
  notified: new Set(),
  derived: {},
});

/** All kinds of results of a read. */
const outcomes = {
  "first read of all": found(null, price10, true),
  "first read of this kind": found(null, price10),
  moved: found(price10, { ...price10, price: 9 }),
  "changed, but in no tracked field": found(price10, { ...price10, rating: 4.6 }),
  "not changed": found(price10, price10),
  "not found": answered("not_found"),
  "not found at the first read": { ...answered("not_found"), firstRead: true, before: null },
  partial: answered("partial"),
  unavailable: answered("unavailable"),
  "unavailable at the first read": { ...answered("unavailable"), firstRead: true, before: null },
} as const satisfies Record<string, ReadingFacts>;

const takenBy: Record<When, readonly (keyof typeof outcomes)[]> = {
  new: ["first read of all"],
  changed: ["moved"],
  unchanged: ["changed, but in no tracked field", "not changed"],
  ok: [
    "first read of all",
    "first read of this kind",
    "moved",
    "changed, but in no tracked field",
    "not changed",
  ],
  failed: ["partial", "unavailable", "unavailable at the first read"],
  not_found: ["not found", "not found at the first read"],
  always: [
    "first read of all",
    "first read of this kind",
    "moved",
    "changed, but in no tracked field",
    "not changed",
    "not found",
    "not found at the first read",
  ],
};

const takes = (route: Route, facts: ReadingFacts, step = lite): boolean =>
  matchRoutes(step({ ...route, run: "next" }), facts).next.length > 0;

describe("a pipeline route", () => {
  it.each(Object.entries(takenBy))("with %s matches these outcomes: %j", (when, taken) => {
    const actual = Object.entries(outcomes).filter(([, facts]) =>
      takes({ when: when as When }, facts),
    );
    expect(actual.map(([name]) => name)).toEqual(taken);
  });

  it("without field matches if any tracked field changed", () => {
    const { trackedFields, testableFields } = stepScrapers["retailer_a.lite"];
    for (const field of testableFields) {
      const facts = found({ [field]: "one" }, { [field]: "another" });
      expect(takes({ when: "changed" }, facts), field).toBe(trackedFields.includes(field));
    }
  });

  it("with changed and a field matches if this field changed, tracked or not", () => {
    for (const field of stepScrapers["retailer_a.lite"].testableFields) {
      const facts = found({ [field]: "one", other: 1 }, { [field]: "another", other: 1 });
      expect(takes({ when: "changed", field }, facts), field).toBe(true);
    }
    const facts = found(price10, { ...price10, inStock: false });
    expect(takes({ when: "changed", field: "price" }, facts)).toBe(false);
  });
});

/** A field's last value and its new one; undefined if the field was not read. */
type Move = readonly [before: FieldValue | undefined, after: FieldValue | undefined];
const read = (field: string, [before, after]: Move): ReadingFacts =>
  found(
    before === undefined ? {} : { [field]: before },
    after === undefined ? {} : { [field]: after },
  );

interface Row {
  readonly op: Op;
  readonly field: string;
  readonly value?: FieldValue;
  readonly yes: readonly Move[];
  readonly no: readonly Move[];
}
const routeOf = ({ field, op, value }: Row, when: When): Route =>
  ({ when, field, op, ...(value !== undefined && { value }) }) as Route;

describe("a route with changed matches if the field changed and", () => {
  it.each<Row>([
    {
      op: "increased",
      field: "price",
      yes: [[10, 10.01]],
      no: [
        [10, 10.005],
        [10, 9],
        [10, 10],
        [null, 10],
        [10, null],
        [undefined, 10],
        [10, undefined],
      ],
    },
    {
      op: "decreased",
      field: "price",
      yes: [[10, 9.99]],
      no: [
        [10, 9.995],
        [10, 11],
        [10, 10],
        [null, 10],
        [10, null],
        [undefined, 9],
        [10, undefined],
      ],
    },
    { op: "increased", field: "newCount", yes: [[1, 2]], no: [[2, 1]] },
    { op: "decreased", field: "rating", yes: [[4.5, 4.499]], no: [[4.5, 4.5]] },
    {
      op: "below",
      field: "price",
      value: 10,
      yes: [
        [11, 9.99],
        [9, 8],
        [null, 9],
      ],
      no: [
        [9, 9],
        [11, 10],
        [9, 11],
        [9, null],
        [undefined, 9],
      ],
    },
    {
      op: "above",
      field: "price",
      value: 10,
      yes: [
        [9, 10.01],
        [null, 11],
      ],
      no: [
        [11, 11],
        [9, 10],
        [11, null],
        [undefined, 11],
      ],
    },
    {
      op: "is",
      field: "inStock",
      value: true,
      yes: [
        [false, true],
        [null, true],
      ],
      no: [
        [true, true],
        [true, false],
        [true, null],
        [undefined, true],
      ],
    },
    {
      op: "is_not",
      field: "merchant",
      value: "A1",
      yes: [
        ["A1", "A2"],
        ["A2", "A3"],
        ["A1", null],
      ],
      no: [
        ["A2", "A2"],
        ["A2", "A1"],
        ["A1", undefined],
      ],
    },
  ])("$field $op $value", (row) => {
    const isTaken = (move: Move): boolean => takes(routeOf(row, "changed"), read(row.field, move));
    expect(row.yes.filter((move) => !isTaken(move))).toEqual([]);
    expect(row.no.filter(isTaken)).toEqual([]);
  });
});

describe("a route with ok, even if the field did not change, matches if", () => {
  it.each<Row>([
    {
      op: "below",
      field: "price",
      value: 10,
      yes: [
        [9, 9],
        [undefined, 9.99],
      ],
      no: [
        [9, 10],
        [9, 11],
        [9, null],
        [9, undefined],
      ],
    },
    {
      op: "above",
      field: "newCount",
      value: 0,
      yes: [
        [1, 1],
        [0, 1],
      ],
      no: [
        [1, 0],
        [1, undefined],
      ],
    },
    {
      op: "is",
      field: "price",
      value: 10,
      yes: [
        [10, 10],
        [9, 10.005],
        [9, 9.995],
      ],
      no: [
        [10, 10.01],
        [10, null],
        [10, undefined],
      ],
    },
    { op: "is", field: "rating", value: 4.5, yes: [[4.5, 4.5]], no: [[4.5, 4.504]] },
    {
      op: "is_not",
      field: "price",
      value: 10,
      yes: [
        [10, 10.01],
        [10, null],
      ],
      no: [
        [9, 10.005],
        [9, undefined],
      ],
    },
    {
      op: "is",
      field: "condition",
      value: "new",
      yes: [["new", "new"]],
      no: [
        ["new", "used_good"],
        ["new", null],
      ],
    },
    {
      op: "is_not",
      field: "isFba",
      value: true,
      yes: [
        [false, false],
        [true, null],
      ],
      no: [[false, true]],
    },
  ])("$field $op $value", (row) => {
    const isTaken = (move: Move): boolean => takes(routeOf(row, "ok"), read(row.field, move));
    expect(row.yes.filter((move) => !isTaken(move))).toEqual([]);
    expect(row.no.filter(isTaken)).toEqual([]);
  });

  it("the field passes the test at the item's first read", () => {
    const route: Route = { when: "ok", field: "price", op: "is", value: 10 };
    expect(takes(route, found(null, price10, true))).toBe(true);
  });

  it.each([
    [{ buyboxAboveLowest: true }, true],
    [{ buyboxAboveLowest: false }, false],
    [{}, false],
  ])("buyboxAboveLowest is true, with the derived fields %j: %s", (derived, taken) => {
    const route: Route = { when: "ok", field: "buyboxAboveLowest", op: "is", value: true };
    const facts = { ...found(null, { newCount: 1, newMinPrice: 9 }), derived };
    expect(takes(route, facts, pulse)).toBe(taken);
  });

  it("the item was found and could be read", () => {
    const route: Route = { when: "ok", field: "price", op: "is", value: 10 };
    for (const status of ["not_found", "partial", "unavailable"] as const) {
      expect(takes(route, answered(status))).toBe(false);
    }
  });
});

describe("the matched routes of an item", () => {
  const nothing: RouteMatches = {
    changes: {},
    hasNews: false,
    trackedMoved: false,
    notifyChanged: false,
    matched: [],
    next: [],
  };
  const moved = found(price10, { price: 9, inStock: false, rating: 4.6 });

  it("report every changed tracked field, regardless of the field of the matching route", () => {
    const step = lite({ when: "changed", field: "price", op: "decreased", notify: true });
    expect(matchRoutes(step, moved)).toEqual({
      ...nothing,
      changes: { price: { before: 10, after: 9 }, inStock: { before: true, after: false } },
      hasNews: true,
      trackedMoved: true,
      notifyChanged: true,
    });
  });

  it("report an untracked field if a matching route tests it", () => {
    const step = lite({ when: "changed", field: "rating", notify: true });
    const { changes } = matchRoutes(step, moved);
    expect(changes).toHaveProperty("rating", { before: 4.5, after: 4.6 });
  });

  it("do not report an untracked field of a route that does not match", () => {
    const step = lite({ when: "changed", field: "rating", op: "above", value: 5, notify: true });
    const facts = found(price10, { ...price10, rating: 4.6 });
    expect(matchRoutes(step, facts)).toEqual(nothing);
  });

  it("contain the changes even if no route tests them", () => {
    expect(matchRoutes(lite(), moved)).toMatchObject({ trackedMoved: true, notifyChanged: false });
  });

  it("contain the branches to report, unique, in route order, without changed", () => {
    const step = lite(
      { when: "ok", notify: true },
      { when: "always", notify: true },
      { when: "changed", notify: true },
      { when: "ok", field: "price", op: "below", value: 10, notify: true },
      { when: "unchanged", notify: true },
      { when: "new", notify: false, run: "a" },
    );
    expect(matchRoutes(step, moved)).toMatchObject({
      notifyChanged: true,
      matched: ["ok", "always"],
      next: [],
    });
  });

  it("contain the next steps, unique, in route order", () => {
    const step = lite(
      { when: "changed", run: "b" },
      { when: "ok", run: "a" },
      { when: "always", run: "b" },
      { when: "not_found", run: "c" },
    );
    expect(matchRoutes(step, moved)).toMatchObject({
      notifyChanged: false,
      matched: [],
      next: ["b", "a"],
    });
  });

  it("report nothing for an item without a reading of this kind", () => {
    const step = lite({ when: "changed", notify: true }, { when: "unchanged", notify: true });
    expect(matchRoutes(step, outcomes["first read of this kind"])).toEqual(nothing);
    expect(matchRoutes(step, outcomes["first read of all"])).toEqual(nothing);
  });

  it("combine the results of all routes independently of each other", () => {
    const facts = fc.constantFrom<ReadingFacts>(...Object.values(outcomes), moved);
    const routes = fc.array(anyTest("retailer_a.lite"), { maxLength: 8 });
    fc.assert(
      fc.property(facts, routes, (reading, tests) => {
        const steps = tests.map((test, at) => ({ ...test, run: `s${at}`, notify: at % 2 === 0 }));
        const alone = steps.map((route) => matchRoutes(lite(route), reading));
        const all = matchRoutes(lite(...steps), reading);
        expect(all.next).toEqual(alone.flatMap(({ next }) => next));
        expect(all.matched).toEqual([...new Set(alone.flatMap(({ matched }) => matched))]);
        expect(all.notifyChanged).toBe(alone.some(({ notifyChanged }) => notifyChanged));
        const { changes: tracked } = matchRoutes(lite(), reading);
        expect(all.changes).toEqual(
          Object.assign({}, tracked, ...alone.map(({ changes }) => changes)),
        );
      }),
    );
  });
});

describe("a change that another scraper read first", () => {
  const known = { newCount: 3, newMinPrice: 9 };
  const last = { ...known, newMinPrice: 10, price: 12 };
  /**
   * The facts of a lite step that last read 10 and now reads 9, after a pulse has already read 9.
   */
  const seenByPulse = (notified: readonly string[], price = 12): ReadingFacts => ({
    ...found(last, { ...known, price }),
    known: { ...known, price: 12 },
    notified: new Set(notified),
  });
  const notify: Route = { when: "changed", notify: true };

  it("matches the routes of a step that has not read it yet", () => {
    const step = lite({ when: "changed", run: "next" }, { ...notify, field: "newMinPrice" });
    expect(matchRoutes(step, seenByPulse([])).next).toEqual(["next"]);
    expect(matchRoutes(step, seenByPulse(["newMinPrice"])).next).toEqual(["next"]);
  });

  it("is reported by that step when no event has reported it, and is not new", () => {
    expect(matchRoutes(lite(notify), seenByPulse([]))).toMatchObject({
      changes: { newMinPrice: { before: 10, after: 9 } },
      hasNews: false,
      notifyChanged: true,
    });
  });

  it("is not reported a second time, and causes no separate event", () => {
    const matches = matchRoutes(lite(notify), seenByPulse(["newMinPrice"]));
    expect(matches).toMatchObject({ changes: {}, hasNews: false, notifyChanged: false });
    const withPrice = matchRoutes(lite(notify), seenByPulse(["newMinPrice"], 11));
    expect(withPrice).toMatchObject({
      changes: { price: { before: 12, after: 11 } },
      hasNews: true,
      notifyChanged: true,
    });
  });

  it("makes a route that tests it report no other change", () => {
    const step = lite({ ...notify, field: "newMinPrice" });
    expect(matchRoutes(step, seenByPulse(["newMinPrice"], 11))).toMatchObject({
      changes: { price: { before: 12, after: 11 } },
      hasNews: true,
      notifyChanged: false,
    });
  });

  it("is not recorded by a step that does not report it", () => {
    const matches = matchRoutes(lite(), seenByPulse([]));
    expect(matches).toMatchObject({ changes: {}, hasNews: false, trackedMoved: true });
  });

  it("is new again if the field has changed further since the last read of the step's kind", () => {
    const facts = { ...seenByPulse(["newMinPrice"]), after: { ...last, newMinPrice: 8 } };
    expect(matchRoutes(lite(notify), facts)).toMatchObject({
      changes: { newMinPrice: { before: 10, after: 8 } },
      hasNews: true,
      notifyChanged: true,
    });
  });

  it("is new if the field is back at the step's last value, and matches no route", () => {
    const facts = { ...seenByPulse(["newMinPrice"]), after: last };
    expect(matchRoutes(lite(notify), facts)).toMatchObject({
      changes: { newMinPrice: { before: 9, after: 10 } },
      hasNews: true,
      trackedMoved: false,
      notifyChanged: false,
    });
  });
});

describe("a stored reading of an item", () => {
  it("is the first reading itself", () => {
    expect(mergedReading(null, price10)).toEqual(price10);
  });

  it("gets changed fields, tracked or not, and new fields", () => {
    const observed = { price: 9, rating: 4.6, listPrice: null };
    expect(mergedReading(price10, observed)).toEqual({ ...observed, inStock: true });
  });

  it("keeps fields that are absent in a read, and treats null as a value", () => {
    expect(mergedReading(price10, { price: null })).toEqual({ ...price10, price: null });
  });

  it("keeps a price that drifts by less than half a cent until the drift is a change", () => {
    const step = lite({ when: "changed", notify: true });
    let stored: Snapshot = { price: 10 };
    const reported: unknown[] = [];
    for (const price of [10.004, 10.008, 10.012]) {
      const { changes } = matchRoutes(step, found(stored, { price }));
      if (changes["price"] !== undefined) reported.push(changes["price"]);
      stored = mergedReading(stored, { price });
    }
    expect(reported).toEqual([{ before: 10, after: 10.008 }]);
    expect(stored).toEqual({ price: 10.008 });
  });

  it("reports nothing if the same values are read again", () => {
    const snapshot = fc.dictionary(
      fc.constantFrom(...stepScrapers["retailer_a.lite"].testableFields),
      fc.oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string(),
        fc.boolean(),
        fc.constant(null),
      ),
    );
    fc.assert(
      fc.property(snapshot, snapshot, (before, observed) => {
        const stored = mergedReading(before, observed);
        expect(matchRoutes(lite(), found(stored, observed)).trackedMoved).toBe(false);
        expect(mergedReading(stored, observed)).toBe(stored);
      }),
    );
  });
});

describe("the test whether the buy box price is above the lowest offer", () => {
  it.each<[Snapshot | null, Snapshot, boolean | undefined]>([
    [{ price: 10 }, { newMinPrice: 9.99 }, true],
    [{ price: 10 }, { newMinPrice: 9.995 }, false],
    [{ price: 10 }, { newMinPrice: 10 }, false],
    [{ price: 10 }, { newMinPrice: 11 }, false],
    [{ price: 10 }, { newMinPrice: null }, undefined],
    [{ price: 10 }, {}, undefined],
    [{ price: null }, { newMinPrice: 9 }, undefined],
    [{}, { newMinPrice: 9 }, undefined],
    [null, { newMinPrice: 9 }, undefined],
  ])("with product %j and pulse %j returns %s", (product, scan, above) => {
    expect(buyboxAboveLowest(product, scan)).toBe(above);
  });
});
