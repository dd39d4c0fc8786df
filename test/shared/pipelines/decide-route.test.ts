import { describe, expect, it } from "vitest";
import { cooldownAfter, decideRoute, isCooling } from "../../../shared/pipelines/decide-route.ts";
import type { Route } from "../../../shared/pipelines/definition.ts";
import type { Verdict } from "../../../shared/pipelines/field-tests.ts";
import type { RouteState } from "../../../shared/pipelines/route-state.ts";

const at = "2026-11-01T12:00:00.000Z";
const later = "2026-11-01T13:00:00.000Z";

/** Decides on reads that follow each other. Returns which of them match, and the last state. */
function decided(route: Partial<Route>, verdicts: readonly Verdict[]) {
  let state: RouteState = {};
  const matched = verdicts.map((verdict) => {
    const decision = decideRoute({ when: "ok", notify: true, ...route }, state, { verdict, at });
    ({ state } = decision);
    return decision.matches;
  });
  return { matched, state };
}

describe("the cooldown of a route", () => {
  it.each([
    { until: "2026-11-01T11:59:59.999Z", isActive: false },
    { until: at, isActive: false },
    { until: "2026-11-01T12:00:00.001Z", isActive: true },
  ])("has 'isActive' $isActive at 12:00 if the cooldown ends at $until", ({ until, isActive }) => {
    expect(isCooling({ until }, at)).toBe(isActive);
  });

  it("is not active if the route state contains no end of a cooldown", () => {
    expect(isCooling({}, at)).toBe(false);
  });

  it("starts when the route matches, and is not extended when the route does not match", () => {
    const route: Route = { when: "ok", cooldown: "1h", notify: true };
    const ended = { until: "2026-11-01T08:00:00.000Z" };
    expect(cooldownAfter(route, ended, { matches: true, at })).toStrictEqual({ until: later });
    expect(cooldownAfter(route, ended, { matches: false, at })).toStrictEqual(ended);
    expect(cooldownAfter(route, {}, { matches: false, at })).toStrictEqual({});
  });

  it("has no stored end if the matching route has no 'cooldown'", () => {
    const route: Route = { when: "ok", notify: true };
    expect(cooldownAfter(route, {}, { matches: true, at })).toStrictEqual({});
  });
});

describe("a route whose 'when' is not \"changed\"", () => {
  it("stores only the end of its cooldown if the route has neither 'confirm' nor 'once'", () => {
    expect(decided({ cooldown: "1h" }, ["met"])).toStrictEqual({
      matched: [true],
      state: { until: later },
    });
  });

  it("stores nothing after a read that does not meet the condition", () => {
    expect(decided({ confirm: 3 }, ["met", "unmet"]).state).toStrictEqual({});
    expect(decided({ once: true }, ["met", "unmet"]).state).toStrictEqual({});
  });

  it("counts the reads that met its condition, up to the value of 'confirm'", () => {
    expect(decided({ confirm: 3 }, ["met", "met"])).toStrictEqual({
      matched: [false, false],
      state: { held: 2 },
    });
    expect(decided({ confirm: 3 }, ["met", "met", "met", "met"])).toStrictEqual({
      matched: [false, false, true, true],
      state: { held: 3 },
    });
  });

  it("with 'once' and 'confirm' matches once while every read meets the condition", () => {
    expect(decided({ once: true, confirm: 2 }, ["met", "met", "met", "met"])).toStrictEqual({
      matched: [false, true, false, false],
      state: { matched: true },
    });
  });

  it("keeps its route state at a read that leaves the condition undecided", () => {
    expect(decided({ confirm: 2 }, ["met", "unknown"])).toStrictEqual({
      matched: [false, false],
      state: { held: 1 },
    });
  });
});
