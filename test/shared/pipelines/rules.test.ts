import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Op, Route, Step, When } from "../../../shared/pipelines/definition.ts";
import {
  buyboxAboveLowest,
  matchRoutes,
  mergeReading,
  type ReadingFacts,
  type RouteMatches,
} from "../../../shared/pipelines/rules.ts";
import { partsOf } from "../../../shared/pipelines/route-state.ts";
import { type FieldValue, type Snapshot, stepScrapers } from "../../../shared/scrapers/catalog.ts";
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

/** One example of each result that a read can have. */
const outcomes = {
  "first read of any kind": found(null, price10, true),
  "first read of this kind": found(null, price10),
  "a tracked field changed": found(price10, { ...price10, price: 9 }),
  "changed, but in no tracked field": found(price10, { ...price10, rating: 4.6 }),
  "not changed": found(price10, price10),
  "not found": answered("not_found"),
  "not found at the first read": { ...answered("not_found"), firstRead: true, before: null },
  partial: answered("partial"),
  unavailable: answered("unavailable"),
  "unavailable at the first read": { ...answered("unavailable"), firstRead: true, before: null },
} as const satisfies Record<string, ReadingFacts>;

const takenBy: Record<When, readonly (keyof typeof outcomes)[]> = {
  new: ["first read of any kind"],
  changed: ["a tracked field changed"],
  unchanged: ["changed, but in no tracked field", "not changed"],
  ok: [
    "first read of any kind",
    "first read of this kind",
    "a tracked field changed",
    "changed, but in no tracked field",
    "not changed",
  ],
  failed: ["partial", "unavailable", "unavailable at the first read"],
  not_found: ["not found", "not found at the first read"],
  always: [
    "first read of any kind",
    "first read of this kind",
    "a tracked field changed",
    "changed, but in no tracked field",
    "not changed",
    "not found",
    "not found at the first read",
  ],
};

const takes = (route: Route, facts: ReadingFacts, step = lite): boolean =>
  matchRoutes(step({ ...route, run: "next" }), facts).next.length > 0;

describe("a route of a pipeline", () => {
  it.each(Object.entries(takenBy))(
    "with 'when' \"%s\" matches exactly these kinds of reads: %j",
    (when, taken) => {
      const actual = Object.entries(outcomes).filter(([, facts]) =>
        takes({ when: when as When }, facts),
      );
      expect(actual.map(([name]) => name)).toEqual(taken);
    },
  );

  it("with 'when' \"changed\" but without 'field' matches if any tracked field changed", () => {
    const { trackedFields, testableFields } = stepScrapers["retailer_a.lite"];
    for (const field of testableFields) {
      const facts = found({ [field]: "one" }, { [field]: "another" });
      expect(takes({ when: "changed" }, facts), field).toBe(trackedFields.includes(field));
    }
  });

  it("with 'when' \"changed\" and with 'field' matches if this field changed, even if it is not tracked", () => {
    for (const field of stepScrapers["retailer_a.lite"].testableFields) {
      const facts = found({ [field]: "one", other: 1 }, { [field]: "another", other: 1 });
      expect(takes({ when: "changed", field }, facts), field).toBe(true);
    }
    const facts = found(price10, { ...price10, inStock: false });
    expect(takes({ when: "changed", field: "price" }, facts)).toBe(false);
  });
});

/** The last and the new value of a field; undefined if the field was not read. */
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
/** Returns the rows with the test of their route as text, such as `price below 10`. */
const rows = (all: readonly Row[]) =>
  all.map((row) => ({ row, test: [row.field, row.op, row.value].join(" ").trim() }));
const routeOf = ({ field, op, value }: Row, when: When): Route =>
  ({ when, field, op, ...(value !== undefined && { value }) }) as Route;

describe("a route with 'when' \"changed\"", () => {
  it.each(
    rows([
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
    ]),
  )("matches if the field changed and passes the test (the test: $test)", ({ row }) => {
    const isTaken = (move: Move): boolean => takes(routeOf(row, "changed"), read(row.field, move));
    expect(row.yes.filter((move) => !isTaken(move))).toEqual([]);
    expect(row.no.filter(isTaken)).toEqual([]);
  });
});

describe("a route with 'when' \"ok\"", () => {
  it.each(
    rows([
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
    ]),
  )(
    "matches if the field passes the test, whether or not the field changed (the test: $test)",
    ({ row }) => {
      const isTaken = (move: Move): boolean => takes(routeOf(row, "ok"), read(row.field, move));
      expect(row.yes.filter((move) => !isTaken(move))).toEqual([]);
      expect(row.no.filter(isTaken)).toEqual([]);
    },
  );

  it("matches at the item's first read if the field passes the test", () => {
    const route: Route = { when: "ok", field: "price", op: "is", value: 10 };
    expect(takes(route, found(null, price10, true))).toBe(true);
  });

  it.each([
    [{ buyboxAboveLowest: true }, true],
    [{ buyboxAboveLowest: false }, false],
    [{}, false],
  ])(
    "that tests for a true 'buyboxAboveLowest', with the derived fields %j, has the match result %s",
    (derived, taken) => {
      const route: Route = { when: "ok", field: "buyboxAboveLowest", op: "is", value: true };
      const facts = { ...found(null, { newCount: 1, newMinPrice: 9 }), derived };
      expect(takes(route, facts, pulse)).toBe(taken);
    },
  );

  it('matches only reads with the status "ok"', () => {
    const route: Route = { when: "ok", field: "price", op: "is", value: 10 };
    for (const status of ["not_found", "partial", "unavailable"] as const) {
      expect(takes(route, answered(status))).toBe(false);
    }
  });
});

describe("the match of a read with the routes of a step", () => {
  const nothing: RouteMatches = {
    changes: {},
    hasNews: false,
    trackedChanged: false,
    notifyChanged: false,
    matched: [],
    next: [],
  };
  const changedItem = found(price10, { price: 9, inStock: false, rating: 4.6 });

  it("contains every changed tracked field, whichever field the matching route tests", () => {
    const step = lite({ when: "changed", field: "price", op: "decreased", notify: true });
    expect(matchRoutes(step, changedItem)).toEqual({
      ...nothing,
      changes: { price: { before: 10, after: 9 }, inStock: { before: true, after: false } },
      hasNews: true,
      trackedChanged: true,
      notifyChanged: true,
    });
  });

  it("reports the last known price as the 'before' of a decrease that follows a read without a price", () => {
    const step = lite({ when: "changed", field: "price", op: "decreased", notify: true });
    const at = "2026-11-01T12:00:00.000Z";
    const soldOut = matchRoutes(step, found({ price: 100 }, { price: null }), { states: {}, at });
    const facts = found({ price: null }, { price: 60 });
    const back = matchRoutes(step, facts, { states: soldOut.states ?? {}, at });
    expect(back).toMatchObject({
      changes: { price: { before: null, after: 60 } },
      reported: { price: { before: 100, after: 60 } },
      notifyChanged: true,
    });
  });

  it("contains a change of an untracked field if a matching route tests the field", () => {
    const step = lite({ when: "changed", field: "rating", notify: true });
    const { changes } = matchRoutes(step, changedItem);
    expect(changes).toHaveProperty("rating", { before: 4.5, after: 4.6 });
  });

  it("contains no change of an untracked field if only a route that does not match tests the field", () => {
    const step = lite({ when: "changed", field: "rating", op: "above", value: 5, notify: true });
    const facts = found(price10, { ...price10, rating: 4.6 });
    expect(matchRoutes(step, facts)).toEqual(nothing);
  });

  it("reports the change of a tracked field even if the step has no routes", () => {
    expect(matchRoutes(lite(), changedItem)).toMatchObject({
      trackedChanged: true,
      notifyChanged: false,
    });
  });

  it("lists the 'when' of each matching route that notifies, without repetition and without \"changed\"", () => {
    const step = lite(
      { when: "ok", notify: true },
      { when: "always", notify: true },
      { when: "changed", notify: true },
      { when: "ok", field: "price", op: "below", value: 10, notify: true },
      { when: "unchanged", notify: true },
      { when: "new", notify: false, run: "a" },
    );
    expect(matchRoutes(step, changedItem)).toMatchObject({
      notifyChanged: true,
      matched: ["ok", "always"],
      next: [],
    });
  });

  it("contains no change of an untracked field if only a route with 'when' \"ok\" tests the field", () => {
    const step = lite({ when: "ok", field: "rating", op: "above", value: 1, notify: true });
    const facts = found(price10, { ...price10, rating: 4.6 });
    expect(matchRoutes(step, facts)).toEqual({ ...nothing, matched: ["ok"] });
  });

  it("has no member 'states' if no route stores a state", () => {
    expect(matchRoutes(lite({ when: "ok", notify: true }), changedItem)).not.toHaveProperty(
      "states",
    );
  });

  it("contains no changes if the only matching route has limits and a 'when' other than \"changed\"", () => {
    const step = lite({ when: "ok", cooldown: "1h", notify: true });
    const matches = matchRoutes(step, changedItem);
    expect(matches).toMatchObject({ matched: ["ok"], notifyChanged: false });
    expect(matches).not.toHaveProperty("reported");
  });

  it("is empty after a failed read, and leaves the reference value of a route unchanged", () => {
    const step = lite({ when: "changed", field: "price", min_delta: 5, run: "next" });
    const [part] = partsOf(step);
    const states = { [part?.key ?? ""]: { from: { price: 20 } } };
    const remembered = { states, at: "2026-11-01T00:00:00.000Z" };
    expect(matchRoutes(step, answered("unavailable"), remembered)).toEqual({ ...nothing, states });
  });

  it("lists each next step once, in the order of the routes", () => {
    const step = lite(
      { when: "changed", run: "b" },
      { when: "ok", run: "a" },
      { when: "always", run: "b" },
      { when: "not_found", run: "c" },
    );
    expect(matchRoutes(step, changedItem)).toMatchObject({
      notifyChanged: false,
      matched: [],
      next: ["b", "a"],
    });
  });

  it("is empty for an item without an earlier reading of the same kind", () => {
    const step = lite({ when: "changed", notify: true }, { when: "unchanged", notify: true });
    expect(matchRoutes(step, outcomes["first read of this kind"])).toEqual(nothing);
    expect(matchRoutes(step, outcomes["first read of any kind"])).toEqual(nothing);
  });

  it("equals the combined results of the single routes", () => {
    const facts = fc.constantFrom<ReadingFacts>(...Object.values(outcomes), changedItem);
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

describe("the changes that an event reports", () => {
  const minimum: Route = { when: "changed", field: "price", min_delta: 5, notify: true };
  const at = "2026-11-01T00:00:00.000Z";
  const facts = found(price10, { ...price10, price: 4, inStock: false });
  const reportedBy = (...routes: readonly Route[]): RouteMatches["reported"] => {
    const step = lite(...routes);
    const key = partsOf(step).find(({ route }) => route.min_delta !== undefined)?.key ?? "";
    return matchRoutes(step, facts, { states: { [key]: { from: { price: 20 } } }, at }).reported;
  };

  it("are only the differences from reference values if only routes with reference values match", () => {
    expect(reportedBy(minimum)).toEqual({ price: { before: 20, after: 4 } });
  });

  it("include all other changes if a route without a reference value also matches", () => {
    expect(reportedBy(minimum, { when: "changed", notify: true })).toEqual({
      price: { before: 20, after: 4 },
      inStock: { before: true, after: false },
    });
  });
});

describe("a change that another scraper read before the step did", () => {
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

  it("matches the routes of the step, even if an event has already reported the change", () => {
    const step = lite({ when: "changed", run: "next" }, { ...notify, field: "newMinPrice" });
    expect(matchRoutes(step, seenByPulse([])).next).toEqual(["next"]);
    expect(matchRoutes(step, seenByPulse(["newMinPrice"])).next).toEqual(["next"]);
  });

  it("does not count as new, but is reported if no event has reported the change yet", () => {
    expect(matchRoutes(lite(notify), seenByPulse([]))).toMatchObject({
      changes: { newMinPrice: { before: 10, after: 9 } },
      hasNews: false,
      notifyChanged: true,
    });
  });

  it("is not reported again together with a new change if an event has already reported the first change", () => {
    const matches = matchRoutes(lite(notify), seenByPulse(["newMinPrice"]));
    expect(matches).toMatchObject({ changes: {}, hasNews: false, notifyChanged: false });
    const withPrice = matchRoutes(lite(notify), seenByPulse(["newMinPrice"], 11));
    expect(withPrice).toMatchObject({
      changes: { price: { before: 12, after: 11 } },
      hasNews: true,
      notifyChanged: true,
    });
  });

  it("does not make a route report other changes if an event has already reported this change", () => {
    const step = lite({ ...notify, field: "newMinPrice" });
    expect(matchRoutes(step, seenByPulse(["newMinPrice"], 11))).toMatchObject({
      changes: { price: { before: 12, after: 11 } },
      hasNews: true,
      notifyChanged: false,
    });
  });

  it("is stored with the item only if the step reports the change", () => {
    const matches = matchRoutes(lite(), seenByPulse([]));
    expect(matches).toMatchObject({ changes: {}, hasNews: false, trackedChanged: true });
  });

  it("counts as new if the field has changed again since the other scraper read it", () => {
    const facts = { ...seenByPulse(["newMinPrice"]), after: { ...last, newMinPrice: 8 } };
    expect(matchRoutes(lite(notify), facts)).toMatchObject({
      changes: { newMinPrice: { before: 10, after: 8 } },
      hasNews: true,
      notifyChanged: true,
    });
  });

  it("counts as new but matches no route if the field has returned to the value of the step's last read", () => {
    const facts = { ...seenByPulse(["newMinPrice"]), after: last };
    expect(matchRoutes(lite(notify), facts)).toMatchObject({
      changes: { newMinPrice: { before: 9, after: 10 } },
      hasNews: true,
      trackedChanged: false,
      notifyChanged: false,
    });
  });
});

describe("a stored reading of an item", () => {
  it("contains all fields of the read after the first read of the item", () => {
    expect(mergeReading(null, price10)).toEqual(price10);
  });

  it("gets the new fields and the new values of changed fields, tracked or not", () => {
    const observed = { price: 9, rating: 4.6, listPrice: null };
    expect(mergeReading(price10, observed)).toEqual({ ...observed, inStock: true });
  });

  it("keeps a field that is absent in the next read, and stores null as a value", () => {
    expect(mergeReading(price10, { price: null })).toEqual({ ...price10, price: null });
  });

  it("keeps its price during small changes until their sum exceeds half a cent", () => {
    const step = lite({ when: "changed", notify: true });
    let stored: Snapshot = { price: 10 };
    const reported: unknown[] = [];
    for (const price of [10.004, 10.008, 10.012]) {
      const { changes } = matchRoutes(step, found(stored, { price }));
      if (changes["price"] !== undefined) reported.push(changes["price"]);
      stored = mergeReading(stored, { price });
    }
    expect(reported).toEqual([{ before: 10, after: 10.008 }]);
    expect(stored).toEqual({ price: 10.008 });
  });

  it("stays the same object, without changes, if a read finds the stored values again", () => {
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
        const stored = mergeReading(before, observed);
        expect(matchRoutes(lite(), found(stored, observed)).trackedChanged).toBe(false);
        expect(mergeReading(stored, observed)).toBe(stored);
      }),
    );
  });
});

describe("the derived field buyboxAboveLowest", () => {
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
  ])(
    "for the product reading %j and the pulse reading %j has the value %s",
    (product, scan, above) => {
      expect(buyboxAboveLowest(product, scan)).toBe(above);
    },
  );
});

describe("a route that compares a field with metadata", () => {
  interface Comparison {
    readonly field: string;
    readonly op: Op;
    /** The value that the read shows. */
    readonly is: FieldValue;
    /** The metadata value of the item with which the route compares the field. */
    readonly value: string | number | boolean;
    readonly isMatch: boolean;
  }
  const target = { metadata: "target" };
  const matches = (route: Route, metadata: ReadingFacts["metadata"], after: Snapshot): boolean => {
    const facts = { ...found(price10, { ...price10, ...after }), ...(metadata && { metadata }) };
    return matchRoutes(lite(route), facts).next.length > 0;
  };
  const tested = (field: string, op: Op): Route => ({
    when: "ok",
    field,
    op,
    value: target,
    run: "full",
  });

  it.each<Comparison>([
    { field: "price", op: "below", is: 9, value: 10, isMatch: true },
    { field: "price", op: "below", is: 10, value: 10, isMatch: false },
    { field: "price", op: "above", is: 11, value: 10, isMatch: true },
    { field: "price", op: "is", is: 10.004, value: 10, isMatch: true },
    { field: "price", op: "is_not", is: 10.004, value: 10, isMatch: false },
    { field: "price", op: "is_not", is: 12, value: 10, isMatch: true },
    { field: "price", op: "is_not", is: null, value: 10, isMatch: true },
    { field: "price", op: "below", is: 9, value: "10", isMatch: false },
    { field: "price", op: "is_not", is: 9, value: "9", isMatch: false },
    { field: "price", op: "is_not", is: null, value: "9", isMatch: false },
    { field: "merchant", op: "is", is: "S1", value: "S1", isMatch: true },
    { field: "merchant", op: "is_not", is: "S1", value: 5, isMatch: false },
    { field: "inStock", op: "is", is: true, value: true, isMatch: true },
    { field: "inStock", op: "is", is: true, value: "true", isMatch: false },
  ])(
    'has the match result $isMatch for the op "$op", the metadata value $value and the value $is of the field $field',
    ({ field, op, is, value, isMatch }) => {
      expect(matches(tested(field, op), { target: value }, { [field]: is })).toBe(isMatch);
    },
  );

  it.each<Op>(["is", "is_not", "below", "above"])(
    'with the op "%s" never matches an item without the metadata key',
    (op) => {
      expect(matches(tested("price", op), undefined, { price: 5 })).toBe(false);
      expect(matches(tested("price", op), { other: 1 }, { price: 5 })).toBe(false);
      const inherited = { ...tested("price", op), value: { metadata: "constructor" } };
      expect(matches(inherited, {}, { price: 5 })).toBe(false);
    },
  );

  it("with 'when' \"changed\", matches only if the field changed and its new value passes the comparison", () => {
    const route: Route = { ...tested("price", "below"), when: "changed" };
    expect(matches(route, { target: 9.5 }, { price: 9 })).toBe(true);
    expect(matches(route, { target: 8.5 }, { price: 9 })).toBe(false);
    expect(matches(route, { target: 20 }, { price: 10 })).toBe(false);
  });

  it("matches only if the route's tests in 'where' pass, and these tests can also compare with metadata", () => {
    const where = [{ field: "price", op: "below" as const, value: target }];
    const route: Route = { when: "ok", where, run: "full" };
    expect(matches(route, { target: 9.5 }, { price: 9 })).toBe(true);
    expect(matches(route, { target: 8.5 }, { price: 9 })).toBe(false);
    expect(matches(route, { target: "9.5" }, { price: 9 })).toBe(false);
    expect(matches(route, {}, { price: 9 })).toBe(false);
  });
});
