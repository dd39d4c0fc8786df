import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldTest, Metadata, Pipeline, Route } from "../../../shared/pipelines/definition.ts";
import { mergeReading } from "../../../shared/pipelines/rules.ts";
import { type Snapshot, stepScrapers } from "../../../shared/scrapers/catalog.ts";
import { type Effect, type PlayedRead, playReads, playStart } from "../../support/played-reads.ts";
import {
  decideChanged,
  decideLevel,
  newRouteState,
  noteReading,
  passesAll,
  type ModelRouteState,
} from "../../run-model/route.ts";

const scraper = "retailer_d.standard";
const { trackedFields } = stepScrapers[scraper];
const minute = 60_000;

const prices = [100, 100.004, 100.01, 99, 97, 95, 94, 90, 60, 105, 110, null] as const;
const seenFields: fc.Arbitrary<Snapshot> = fc.record(
  {
    price: fc.constantFrom(...prices),
    inStock: fc.boolean(),
    state: fc.constantFrom("a", "b", "c"),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Snapshot>;

const anyRead: fc.Arbitrary<PlayedRead> = fc.record({
  status: fc.constantFrom("ok", "ok", "ok", "ok", "ok", "unavailable"),
  seen: seenFields,
  metadata: fc.constantFrom<Metadata>({ target: 98 }, { target: 95 }, { target: "95" }, {}),
  after: fc.constantFrom(5, 10, 15, 60),
});

const anyWhere: fc.Arbitrary<readonly FieldTest[]> = fc.array(
  fc.constantFrom<FieldTest>(
    { field: "inStock", op: "is", value: true },
    { field: "price", op: "below", value: 100 },
    { field: "state", op: "is_not", value: "c" },
    { field: "price", op: "is_not", value: { metadata: "target" } },
  ),
  { minLength: 1, maxLength: 2 },
);

const changedBase = fc.constantFrom<Route>(
  { when: "changed" },
  { when: "changed", field: "price" },
  { when: "changed", field: "state" },
  { when: "changed", field: "state", op: "is", value: "b" },
  { when: "changed", field: "price", op: "decreased" },
  { when: "changed", field: "price", op: "increased" },
  { when: "changed", field: "price", op: "below", value: 98 },
  { when: "changed", field: "price", op: "below", value: { metadata: "target" } },
);
const levelBase = fc.constantFrom<Route>(
  { when: "ok", field: "price", op: "below", value: 98 },
  { when: "ok", field: "price", op: "below", value: { metadata: "target" } },
  { when: "ok", field: "inStock", op: "is", value: true },
  { when: "unchanged" },
  { when: "failed" },
);

/** A route with both effects, `run` and `notify`, and at least one key that needs a state. */
const anyRoute: fc.Arbitrary<Route> = fc
  .tuple(
    fc.oneof(changedBase, levelBase),
    fc.record(
      {
        where: anyWhere,
        min_delta: fc.constantFrom(0.01, 3, 5, 40),
        min_delta_percent: fc.constantFrom(1, 5, 10),
        confirm: fc.constantFrom(2, 3),
        once: fc.constant(true),
        cooldown: fc.constantFrom("5m", "15m", "1h"),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([base, limits]) =>
    Object.assign({}, base, { run: "next", notify: true }, fitting(base, limits)),
  )
  .filter(isGated);

/** Returns the keys of `limits` that a route with this `when` and `field` accepts. */
const fitting = ({ when, field }: Route, limits: Partial<Route>): Partial<Route> =>
  Object.fromEntries(
    Object.entries(limits).filter(([key]) => {
      if (key === "where") return when !== "failed";
      if (key === "once") return when !== "changed";
      return !key.startsWith("min_delta") || (when === "changed" && field === "price");
    }),
  );

function isGated(route: Route): boolean {
  const keys = ["min_delta", "min_delta_percent", "confirm", "once", "cooldown"] as const;
  return keys.some((key) => route[key] !== undefined);
}

const pipelineOf = (route: Route): Pipeline => ({
  entry: "check",
  baseline: null,
  refresh: null,
  steps: [
    { id: "check", scraper, routes: [route] },
    { id: "next", scraper, routes: [] },
  ],
});

const played = (route: Route, reads: readonly PlayedRead[], repeats = 1): readonly Effect[] =>
  playReads(pipelineOf(route), reads, repeats).effects;

/**
 * Returns the effects of the reads according to the reference model. Plays the reads twice: without
 * the cooldown for `run`, and with the cooldown for `notify`.
 */
function expected(route: Route, reads: readonly PlayedRead[]): Effect[] {
  const { cooldown: _, ...routing } = route;
  const runs = matchesOf(routing, reads);
  const notifies = matchesOf(route, reads);
  return reads.map((_read, n) => ({
    isRouted: runs[n] !== null,
    isMatched: route.when !== "changed" && notifies[n] !== null,
    changes: route.when === "changed" ? notifies[n] : null,
  }));
}

/**
 * Returns the match of the route at each read according to the reference model; null for no match.
 */
function matchesOf(route: Route, reads: readonly PlayedRead[]): readonly (object | null)[] {
  const routeState = newRouteState();
  let last: Snapshot | null = null;
  let at = playStart;
  return reads.map(({ status, seen, metadata = {}, after: wait }) => {
    at += wait * minute;
    if (status !== "ok") return matchOfFailed(route, routeState, at);
    const before: Snapshot = last ?? {};
    last = mergeReading(last, seen);
    const read = { at, seen, last: before, derived: {}, metadata, trackedFields };
    const match = matchOf(route, routeState, { ...read, isFirst: last === seen });
    noteReading(route, routeState, { before, after: last, fields: trackedFields });
    return match;
  });
}

const matchOfFailed = (route: Route, routeState: ModelRouteState, at: number): object | null =>
  route.when === "failed" && decideLevel(route, routeState, { isMet: true, at }) ? {} : null;

function matchOf(
  route: Route,
  routeState: ModelRouteState,
  read: Parameters<typeof decideChanged>[2] & { readonly isFirst: boolean },
): object | null {
  if (route.when === "changed") {
    const changes = decideChanged(route, routeState, read);
    return Object.keys(changes).length === 0 ? null : changes;
  }
  const isSelected = route.when === "ok" || (route.when === "unchanged" && isUnchanged(read));
  const isMet = isSelected ? passesAll(route, read) : false;
  return decideLevel(route, routeState, { isMet, at: read.at }) ? {} : null;
}

function isUnchanged({
  seen,
  last,
  isFirst,
}: {
  seen: Snapshot;
  last: Snapshot;
  isFirst: boolean;
}) {
  if (isFirst) return false;
  const after = mergeReading(last, seen);
  return trackedFields.every((field) => last[field] === undefined || after[field] === last[field]);
}

describe("a route with limits", () => {
  const anyReads = fc.array(anyRead, { minLength: 1, maxLength: 14 });

  it("matches exactly the reads of an item that match in the reference model", () => {
    fc.assert(
      fc.property(anyRoute, anyReads, (route, reads) => {
        expect(played(route, reads)).toEqual(expected(route, reads));
      }),
      { numRuns: 2_000 },
    );
  });

  it("matches the same reads of an item if each outcome is stored three times", () => {
    fc.assert(
      fc.property(anyRoute, anyReads, (route, reads) => {
        expect(played(route, reads, 3)).toEqual(played(route, reads));
      }),
    );
  });
});
