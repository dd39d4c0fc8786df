import { describe, expect, it } from "vitest";
import {
  type ChangeDecision,
  type ChangeRead,
  decideChange,
  keepState,
} from "../../../shared/pipelines/decide-change.ts";
import type { Route } from "../../../shared/pipelines/definition.ts";
import type { RouteState } from "../../../shared/pipelines/route-state.ts";
import type { Snapshot } from "../../../shared/scrapers/catalog.ts";

const at = "2026-11-01T12:00:00.000Z";
const later = "2026-11-01T13:00:00.000Z";
const trackedFields = ["price", "inStock"];
const priceRoute: Route = { when: "changed", field: "price", notify: true };

const readOf = (before: Snapshot | null, after: Snapshot): ChangeRead => ({
  before,
  after,
  values: after,
  trackedFields,
  at,
});

/** Decides on reads that follow each other. Returns the decision on the last read. */
function decideLast(
  route: Route,
  [first, ...reads]: readonly [Snapshot, ...Snapshot[]],
): ChangeDecision {
  const before: Record<string, Snapshot[string]> = { ...first };
  let decision: ChangeDecision = { matches: false, changes: {}, state: {} };
  for (const after of reads) {
    decision = decideChange(route, decision.state, readOf({ ...before }, after));
    Object.assign(before, after);
  }
  return decision;
}

describe("a route with 'when' \"changed\" and a minimum difference", () => {
  it.each([
    { what: "exactly the minimum", from: 40_000_000.1, to: 40_000_000.4, least: 0.3 },
    { what: "the minimum less the tolerance", from: 0, to: 1, least: 1.000_000_001 },
  ])(
    "matches a difference of $what: from the value $from to the value $to with the minimum $least",
    ({ from, to, least }) => {
      expect(to - from).toBeLessThan(least);
      const route = { ...priceRoute, min_delta: least };
      expect(decideLast(route, [{ price: from }, { price: to }]).matches).toBe(true);
    },
  );

  it("does not match a difference that is below the minimum by more than the tolerance", () => {
    const route = { ...priceRoute, min_delta: 1.000_000_002 };
    expect(decideLast(route, [{ price: 0 }, { price: 1 }]).matches).toBe(false);
  });

  it.each<Partial<Route>>([{ min_delta: 10 }, { min_delta_percent: 10 }])(
    "takes the first number as its reference value if the first read is null (the route's limit: %j)",
    (least) => {
      const reads = [{ price: null }, { price: 100 }, { price: 90 }] as const;
      expect(decideLast({ ...priceRoute, ...least }, reads)).toEqual({
        matches: true,
        changes: { price: { before: 100, after: 90 } },
        state: {},
      });
    },
  );
});

describe("a route with 'when' \"changed\" and 'confirm'", () => {
  it("keeps its count of confirming reads after a read without a tested field", () => {
    const where = [{ field: "inStock", op: "is", value: true }] as const;
    const route: Route = { ...priceRoute, confirm: 2, where };
    const before: Snapshot = { price: 100, inStock: true };
    const first = decideChange(route, {}, readOf(before, { price: 90, inStock: true }));
    const second = decideChange(route, first.state, readOf({ price: 90 }, { price: 90 }));
    expect(second).toEqual({ matches: false, changes: {}, state: first.state });
    const third = decideChange(
      route,
      second.state,
      readOf({ price: 90 }, { price: 90, inStock: true }),
    );
    expect(third.matches).toBe(true);
  });
});

describe("a route with 'when' \"changed\" and a cooldown", () => {
  it("stores the end of the cooldown and the reference value, but no count of confirming reads", () => {
    const route: Route = { ...priceRoute, cooldown: "1h" };
    expect(decideLast(route, [{ price: 100 }, { price: 90 }, { price: 80 }])).toEqual({
      matches: false,
      changes: {},
      state: { from: { price: 90 }, until: later },
    });
  });
});

describe('a route with \'when\' "changed" and the op "decreased", without limits', () => {
  it("compares with the last number that was read, even if the route's tests in 'where' failed at that read", () => {
    const where = [{ field: "inStock", op: "is", value: true }] as const;
    const route: Route = { ...priceRoute, op: "decreased", where };
    const reads = [
      { price: 100, inStock: true },
      { price: 90, inStock: false },
      { price: 80, inStock: true },
    ] as const;
    expect(decideLast(route, reads).changes).toEqual({ price: { before: 90, after: 80 } });
  });
});

describe("the state of a route with 'when' \"changed\" after another step has read the item", () => {
  const minimum: Route = { ...priceRoute, min_delta: 5 };
  const confirmed: Route = { when: "changed", confirm: 3, notify: true };
  const decreased: Route = { ...priceRoute, op: "decreased" };
  const kept = (
    route: Route,
    state: RouteState,
    [before, after]: readonly [Snapshot | undefined, Snapshot],
  ): RouteState => keepState(route, state, { before, after, trackedFields });

  it("gets the last value as its reference value if the state had none", () => {
    expect(kept(minimum, {}, [{ price: 100 }, { price: 97 }])).toEqual({ from: { price: 100 } });
  });

  it("keeps the reference value and the cooldown", () => {
    const state = { from: { price: 100 }, until: later };
    expect(kept(minimum, state, [{ price: 97 }, { price: 95 }])).toEqual(state);
    expect(kept(minimum, state, [{ price: 97 }, { price: 97 }])).toEqual(state);
  });

  it("loses its reference value if the field returns to the reference value", () => {
    const state = { from: { price: 100 } };
    expect(kept(minimum, state, [{ price: 97 }, { price: 100 }])).toEqual({});
  });

  it("has no reference value if the field was null and the route compares numbers", () => {
    expect(kept(minimum, {}, [{ price: null }, { price: 100 }])).toEqual({});
  });

  it('for the op "decreased" keeps the last number as its reference value while the field is null', () => {
    const state = { from: { price: 100 } };
    expect(kept(decreased, {}, [{ price: 100 }, { price: null }])).toEqual(state);
    expect(kept(decreased, state, [{ price: null }, { price: null }])).toEqual(state);
    expect(kept(decreased, state, [{ price: null }, { price: 110 }])).toEqual({});
  });

  it.each<readonly [what: string, before: Snapshot | undefined, after: Snapshot]>([
    ["no previous read exists", undefined, { price: 90 }],
    ["the field is missing in the previous read", { inStock: true }, { price: 90 }],
    ["the field is missing in the new read", { price: 90 }, { inStock: true }],
  ])("does not change if no change can be determined (%s)", (_what, before, after) => {
    const state = { from: { price: 100 }, seen: { price: 1 } };
    expect(kept({ ...priceRoute, confirm: 2 }, state, [before, after])).toEqual(state);
    expect(kept({ ...priceRoute, confirm: 2 }, {}, [before, after])).toEqual({});
  });

  it("includes each tracked field, and no other field, if the route names no field", () => {
    const before = { price: 100, inStock: true, rating: 4 };
    const after = { price: 90, inStock: false, rating: 5 };
    expect(kept(confirmed, {}, [before, after])).toEqual({ from: { price: 100, inStock: true } });
  });

  it("includes only the field of the route if the route names one", () => {
    const before = { price: 100, inStock: true };
    const route = { ...confirmed, field: "price" };
    expect(kept(route, {}, [before, { price: 97, inStock: false }])).toEqual({
      from: { price: 100 },
    });
  });

  it("keeps its count of confirming reads while the value stays on one side of the reference value", () => {
    const state = { from: { price: 100 }, seen: { price: 2 } };
    expect(kept(confirmed, state, [{ price: 90 }, { price: 80 }])).toEqual(state);
    expect(kept(confirmed, state, [{ price: 90 }, { price: 110 }])).toEqual({
      from: { price: 100 },
    });
  });
});
