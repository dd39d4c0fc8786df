import fc from "fast-check";
import { whensByKey } from "../../../shared/pipelines/check-route.ts";
import {
  type FieldTest,
  type Op,
  type Pipeline,
  type Route,
  type Step,
  type When,
  whens,
} from "../../../shared/pipelines/definition.ts";
import type { Platform } from "../../../shared/platforms/catalog.ts";
import {
  type StepScraperId,
  stepScraperIds,
  stepScrapers,
} from "../../../shared/scrapers/catalog.ts";
import type { FieldType } from "../../../shared/scrapers/fields.ts";

const valueOf: Readonly<Record<FieldType, fc.Arbitrary<number | boolean | string>>> = {
  number: fc.oneof(fc.integer({ min: -5, max: 500 }), fc.constantFrom(9.99, 10, 10.004, 10.01)),
  boolean: fc.boolean(),
  string: fc.constantFrom("", "new", "IN_STOCK", "A0RETAILERAUS"),
};

/**
 * Draws the `value` of a route that tests a field of this type: a constant of the type, a reference
 * to a field of the type, or a reference to metadata of any type.
 */
function anyValue(
  scraper: StepScraperId,
  type: FieldType,
): fc.Arbitrary<Exclude<Route["value"], undefined>> {
  const { testableFields, derivedFields, fieldTypes } = stepScrapers[scraper];
  const others = [...testableFields, ...derivedFields].filter((one) => fieldTypes[one] === type);
  return fc.oneof(
    { weight: 3, arbitrary: valueOf[type] },
    { weight: 1, arbitrary: fc.constantFrom(...others).map((field) => ({ field })) },
    { weight: 1, arbitrary: fc.constantFrom({ metadata: "target" }, { metadata: "other" }) },
  );
}

/**
 * Returns a route of this scraper with any valid condition, but without an effect. The caller adds
 * `run` or `notify`, because a route with neither is invalid.
 */
export function anyTest(scraper: StepScraperId): fc.Arbitrary<Route> {
  const { testableFields, derivedFields, fieldTypes } = stepScrapers[scraper];
  const numbers = testableFields.filter((field) => fieldTypes[field] === "number");
  const plain = fc.record({ when: fc.constantFrom(...whens) });
  const oneField = fc.record({
    when: fc.constant("changed" as const),
    field: fc.constantFrom(...testableFields),
  });
  const compared = fc.constantFrom(...testableFields, ...derivedFields).chain((field) => {
    const type = fieldTypes[field] ?? "string";
    return fc.record({
      when: fc.constantFrom<When>(
        ...(derivedFields.includes(field) ? [] : (["changed"] as const)),
        "ok",
      ),
      field: fc.constant(field),
      op: fc.constantFrom<Op>(
        "is",
        "is_not",
        ...(type === "number" ? (["below", "above"] as const) : []),
      ),
      value: anyValue(scraper, type),
    });
  });
  const moved = numbers.map((field) =>
    fc.record({
      when: fc.constant("changed" as const),
      field: fc.constant(field),
      op: fc.constantFrom<Op>("increased", "decreased"),
    }),
  );
  return fc.oneof(plain, oneField, compared, ...moved);
}

/** Generates the route as it is, or with keys that limit its matches. */
function anyLimits(scraper: StepScraperId, route: Route): fc.Arbitrary<Route> {
  const { testableFields, derivedFields, fieldTypes } = stepScrapers[scraper];
  const test = fc.constantFrom(...testableFields, ...derivedFields).chain((field) => {
    const type = fieldTypes[field] ?? "string";
    return fc.record({
      field: fc.constant(field),
      op: fc.constantFrom<FieldTest["op"]>(
        "is",
        "is_not",
        ...(type === "number" ? (["below", "above"] as const) : []),
      ),
      value: anyValue(scraper, type),
    });
  });
  const keys = {
    where: fc.array(test, { minLength: 1, maxLength: 2 }),
    min_delta: fc.constantFrom(0.01, 1, 2),
    min_delta_percent: fc.constantFrom(0.1, 10, 20),
    confirm: fc.constantFrom(2, 3),
    once: fc.constant(true),
    cooldown: fc.constantFrom("1h", "2h", "3h"),
  };
  const isNumeric = route.field !== undefined && fieldTypes[route.field] === "number";
  const isFitting = ({ key, limited }: { key: keyof typeof keys; limited: Route }): boolean => {
    if (key === "cooldown") return limited.notify === true;
    if ((key === "min_delta" || key === "min_delta_percent") && !isNumeric) return false;
    if (key === "once" && limited.when === "ok" && limited.op === undefined) return false;
    const accepted: readonly When[] = whensByKey[key];
    return accepted.includes(limited.when);
  };
  return fc.record(keys, { requiredKeys: [] }).map((limits) => {
    const fitting = Object.entries(limits).filter(([key]) =>
      isFitting({ key: key as keyof typeof keys, limited: route }),
    );
    return Object.assign({}, route, Object.fromEntries(fitting));
  });
}

const findsOffer = (scraper: StepScraperId): boolean =>
  ["product", "offers"].includes(stepScrapers[scraper].kind);

interface Draft {
  readonly scraper: StepScraperId;
  readonly condition: Step["condition"];
  /**
   * Selects the earlier step that routes to this step. Its index is floor(parent * number of
   * earlier steps).
   */
  readonly parent: number;
  readonly also: number | null;
  readonly start: "baseline" | "refresh" | null;
  readonly shuffled: number;
}

/** Draws a valid pipeline, whose steps are defined in any order. */
export const anyPipeline = (platform: Platform = "retailer_a"): fc.Arbitrary<Pipeline> =>
  fc
    .tuple(
      fc.array(anyDraft(platform), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 9 }),
    )
    .chain(([drafts, everyRuns]) => {
      const scrapers = safeScrapers(drafts);
      const steps = drafts.map((draft, at) => {
        const scraper = scrapers[at] ?? draft.scraper;
        const runs = drafts.flatMap((child, index) =>
          parentsOf(child, index).includes(at) ? [`s${index}`] : [],
        );
        return anyRoutes(scraper, runs).map((routes) => ({
          order: draft.shuffled,
          step: {
            id: `s${at}`,
            scraper,
            ...(scraper === "retailer_a.offers" &&
              draft.condition !== undefined && { condition: draft.condition }),
            routes,
          },
        }));
      });
      const startOf = (start: Draft["start"]): string | null => {
        const at = drafts.findIndex((draft) => draft.start === start);
        return at === -1 ? null : `s${at}`;
      };
      const refresh = startOf("refresh");
      return fc.tuple(...steps).map((built) => ({
        entry: "s0",
        baseline: startOf("baseline"),
        refresh: refresh === null ? null : { everyRuns, entry: refresh },
        steps: built.toSorted((a, b) => a.order - b.order).map(({ step }) => step),
      }));
    });

const anyDraft = (platform: Platform): fc.Arbitrary<Draft> =>
  fc.record({
    scraper: fc.constantFrom(
      ...stepScraperIds.filter((id) => stepScrapers[id].platform === platform),
    ),
    condition: fc.constantFrom("all", "new", "used", undefined),
    parent: fc.double({ min: 0, max: 0.999, noNaN: true }),
    also: fc.option(fc.double({ min: 0, max: 0.999, noNaN: true })),
    start: fc.constantFrom("baseline", "refresh", null, null),
    shuffled: fc.integer(),
  });

/**
 * Returns the indexes of the steps that route to the step with the index `at`; none for the first
 * step. All are lower than `at`, so that the pipeline has no loop.
 */
const parentsOf = ({ parent, also }: Draft, at: number): readonly number[] =>
  at === 0 ? [] : [parent, also ?? parent].map((part) => Math.floor(part * at));

/**
 * Returns the scrapers of the steps. Replaces an offer check by another scraper if a path leads to
 * it on which no earlier step reads an offer.
 */
function safeScrapers(drafts: readonly Draft[]): readonly StepScraperId[] {
  const found: boolean[] = [];
  const starts = new Set(
    ["baseline", "refresh"].map((start) => drafts.findIndex((draft) => draft.start === start)),
  );
  return drafts.map((draft, at) => {
    const parents = parentsOf(draft, at);
    const isSafe = at > 0 && !starts.has(at) && parents.every((parent) => found[parent]);
    const scraper =
      draft.scraper === "retailer_a.offer_check" && !isSafe ? "retailer_a.lite" : draft.scraper;
    found.push(isSafe || findsOffer(scraper));
    return scraper;
  });
}

function anyRoutes(
  scraper: StepScraperId,
  runs: readonly string[],
): fc.Arbitrary<readonly Route[]> {
  const test = anyTest(scraper);
  const leading = [...new Set(runs)].map((run) =>
    merged(
      test,
      fc.record({ run: fc.constant(run), notify: fc.boolean() }, { requiredKeys: ["run"] }),
    ),
  );
  const telling = merged(test, fc.constant({ notify: true }));
  const limited = (route: fc.Arbitrary<Route>): fc.Arbitrary<Route> =>
    fc.oneof(
      route,
      route.chain((plain) => anyLimits(scraper, plain)),
    );
  return fc
    .tuple(fc.tuple(...leading.map(limited)), fc.array(limited(telling), { maxLength: 3 }))
    .map((parts) => parts.flat());
}

const merged = (
  test: fc.Arbitrary<Route>,
  effect: fc.Arbitrary<Pick<Route, "run" | "notify">>,
): fc.Arbitrary<Route> =>
  fc.tuple(test, effect).map(([looks, does]) => Object.assign({}, looks, does));
