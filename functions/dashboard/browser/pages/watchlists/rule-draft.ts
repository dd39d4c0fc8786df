import type { Pipeline, Scrapers } from "../../api/resources.ts";
import type { Route } from "./pipeline-words.ts";

type Step = Pipeline["steps"][number];
/** A test in `where` of a route: a field, an operator and a value. */
export type Test = NonNullable<Route["where"]>[number];
export type TestValue = Test["value"];
/** A scraper that a step can use, with the fields that routes can test. */
export type Scraper = Scrapers["scrapers"][number];
type Field = Scraper["fields"][number];

/** The values of `when` with their meaning for people, in the order of the form. */
export const whenWords = {
  changed: "changed",
  ok: "was read",
  unchanged: "did not change",
  new: "was read for the first time",
  not_found: "does not exist",
  failed: "could not be read",
  always: "was read or does not exist",
} as const;
type When = keyof typeof whenWords;

/**
 * For each key that limits the matches of a route, the values of `when` for which the form shows
 * the key. The service refuses the key together with any other `when`.
 */
export const whensOfKey: Readonly<
  Record<"where" | "min_delta" | "min_delta_percent" | "confirm" | "once", readonly When[]>
> = {
  where: ["new", "changed", "unchanged", "ok", "always"],
  min_delta: ["changed"],
  min_delta_percent: ["changed"],
  confirm: ["changed", "unchanged", "ok", "failed", "always"],
  once: ["unchanged", "ok", "failed"],
};

/**
 * Returns true if the service accepts a limiting key, such as `min_delta`, in a route with this
 * `when`.
 */
export const hasKey = (key: keyof typeof whensOfKey, when: string): boolean =>
  whensOfKey[key].some((one) => one === when);

/** The operators that compare with an earlier value instead of `value`. */
const changeOps: ReadonlySet<string> = new Set(["increased", "decreased"]);
/** Returns true if a test with this operator compares with `value`; false without an operator. */
export const needsValue = (op: string | undefined): boolean =>
  op !== undefined && !changeOps.has(op);

/**
 * Returns the operators that a test of a field can use in a route with this `when`. Returns an
 * empty array if the field is undefined.
 */
export const opsOf = (field: Field | undefined, when: string): readonly string[] =>
  field?.ops.filter((op) => when === "changed" || needsValue(op)) ?? [];

/** Returns the fields that a route with this `when` can test. */
export const fieldsFor = (scraper: Scraper | undefined, when: string): readonly Field[] =>
  scraper?.fields.filter(({ whens }) => whens.includes(when)) ?? [];

/**
 * Parses the JSON text of a pipeline for the form with rules. Returns undefined if the text is not
 * JSON or has no valid steps.
 */
export function rulesIn(text: string): Pipeline | undefined {
  const parsed = parse(text);
  if (!isRecord(parsed) || !Array.isArray(parsed["steps"])) return undefined;
  const steps: readonly unknown[] = parsed["steps"];
  const [first] = steps;
  if (!isStep(first) || !steps.every(isStep)) return undefined;
  const starts = startsIn({ entry: first.id, baseline: null, refresh: null, ...parsed });
  return starts && { ...parsed, ...starts, steps: [...steps] };
}

/**
 * Returns the settings that decide where runs start; undefined if one of them has an invalid type,
 * which the form cannot show.
 */
function startsIn({
  entry,
  baseline,
  refresh,
}: Readonly<Record<string, unknown>>): Omit<Pipeline, "steps"> | undefined {
  if (typeof entry !== "string") return undefined;
  if (baseline !== null && typeof baseline !== "string") return undefined;
  return refresh === null || isRefresh(refresh) ? { entry, baseline, refresh } : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isStep = (value: unknown): value is Step =>
  isRecord(value) &&
  typeof value["id"] === "string" &&
  typeof value["scraper"] === "string" &&
  Array.isArray(value["routes"]) &&
  value["routes"].every((route) => isRecord(route) && typeof route["when"] === "string");

const isRefresh = (value: unknown): value is NonNullable<Pipeline["refresh"]> =>
  isRecord(value) && "every_runs" in value && typeof value["entry"] === "string";

/** Returns a copy without the keys whose value is undefined. */
function compact<T extends object>(value: T): T {
  const kept = { ...value };
  for (const [key, one] of Object.entries(kept)) {
    if (one === undefined) Reflect.deleteProperty(kept, key);
  }
  return kept;
}

const replaced = <T>(all: readonly T[], at: number, one: T): T[] =>
  all.map((other, n) => (n === at ? one : other));
const without = <T>(all: readonly T[], at: number): T[] => all.filter((_, n) => n !== at);

/**
 * Returns the pipeline with `changed` instead of its step at index `at`. If the ID of the step
 * changed, the new ID also replaces the old one in all routes and settings that name the step.
 */
export function withStep(pipeline: Pipeline, at: number, changed: Step): Pipeline {
  const before = pipeline.steps[at]?.id;
  const named = (id: string): string => (id === before ? changed.id : id);
  const { refresh, baseline } = pipeline;
  return {
    ...pipeline,
    entry: named(pipeline.entry),
    baseline: baseline && named(baseline),
    refresh: refresh && { ...refresh, entry: named(refresh.entry) },
    steps: replaced(pipeline.steps, at, compact(changed)).map((step) =>
      withRuns(step, (run) => run && named(run)),
    ),
  };
}

/** Returns a step after replacing the `run` of each route with the result of `runOf`. */
const withRuns = (step: Step, runOf: (run: string | undefined) => string | undefined): Step => ({
  ...step,
  routes: step.routes.map((route) => withRun(route, runOf(route.run))),
});

const withRun = (route: Route, run: string | undefined): Route => compact({ ...route, run });

/**
 * Returns the pipeline without its step at index `at`. Routes that led to the step no longer lead
 * to any step. If the step was the entry, the first remaining step becomes the entry. If the step
 * was the baseline or the entry of refreshes, that setting becomes null.
 */
export function withoutStep(pipeline: Pipeline, at: number): Pipeline {
  const removed = pipeline.steps[at]?.id;
  const steps = without(pipeline.steps, at).map((step) =>
    withRuns(step, (run) => (run === removed ? undefined : run)),
  );
  const { entry, baseline, refresh } = pipeline;
  return {
    ...pipeline,
    entry: entry === removed ? (steps[0]?.id ?? "") : entry,
    baseline: baseline === removed ? null : baseline,
    refresh: refresh?.entry === removed ? null : refresh,
    steps,
  };
}

const stepsMax = 99;

/** Returns the pipeline with a further step, which has an unused ID and reports every change. */
export function withNewStep(pipeline: Pipeline, scraper: string): Pipeline {
  const used = new Set(pipeline.steps.map(({ id }) => id));
  const numbers = Array.from({ length: stepsMax }, (_, n) => `step_${n + 1}`);
  const id = numbers.find((one) => !used.has(one)) ?? "step";
  return { ...pipeline, steps: [...pipeline.steps, { id, scraper, routes: [newRoute] }] };
}

const newRoute: Route = { when: "changed", notify: true };

/** Returns a step whose route at index `at` is replaced. */
export const withRoute = (step: Step, at: number, changed: Route): Step => ({
  ...step,
  routes: replaced(step.routes, at, compact(changed)),
});
/** Returns a step without its route at index `at`. */
export const withoutRoute = (step: Step, at: number): Step => ({
  ...step,
  routes: without(step.routes, at),
});
/** Returns a step with a further route, which notifies of every change. */
export const withNewRoute = (step: Step): Step => ({ ...step, routes: [...step.routes, newRoute] });

/** Returns a route with another `when`, without the keys that this `when` does not allow. */
export function routeWhen(route: Route, when: string): Route {
  const { run, notify, cooldown } = route;
  const test = when === "changed" || when === "ok" ? pick(route, ["field", "op", "value"]) : {};
  const limits = pick(
    route,
    (["where", "min_delta", "min_delta_percent", "confirm", "once"] as const).filter((key) =>
      hasKey(key, when),
    ),
  );
  const hasTest = when !== "ok" || needsValue(route.op);
  return compact({ when, ...(hasTest ? test : {}), ...limits, cooldown, run, notify });
}

/**
 * Returns the route with `field` as its tested field, or without a tested field if `field` is
 * undefined. Sets the operator and the value to the first choices of the form for the field.
 * Removes both if `when` is `changed`. Removes the minimum differences if the field is not a
 * number.
 */
export function routeField(route: Route, field: string | undefined, scraper: Scraper | undefined) {
  const known = scraper?.fields.find(({ name }) => name === field);
  const [op] = opsOf(known, route.when);
  const isNumber = known?.type === "number";
  return compact({
    ...route,
    field,
    op: field === undefined || route.when === "changed" ? undefined : op,
    value: field === undefined || route.when === "changed" ? undefined : firstValue(known),
    min_delta: isNumber ? route.min_delta : undefined,
    min_delta_percent: isNumber ? route.min_delta_percent : undefined,
  });
}

/**
 * Returns the initial value of a test of a field: true, 0 or an empty string, depending on the
 * field's type.
 */
export function firstValue(field: Field | undefined): TestValue {
  if (field?.type === "boolean") return true;
  return field?.type === "number" ? 0 : "";
}

function pick(route: Route, keys: readonly (keyof Route)[]): Partial<Route> {
  const picked: Partial<Route> = { ...route };
  for (const key of Object.keys(picked)) {
    if (!keys.some((one) => one === key)) Reflect.deleteProperty(picked, key);
  }
  return picked;
}

/** Returns a route whose test in `where` at index `at` is replaced. */
export const withTest = (route: Route, at: number, changed: Test): Route => ({
  ...route,
  where: replaced(route.where ?? [], at, changed),
});
/**
 * Returns a route without its test in `where` at index `at`. Removes `where` if no test remains.
 */
export function withoutTest(route: Route, at: number): Route {
  const where = without(route.where ?? [], at);
  return compact({ ...route, where: where.length === 0 ? undefined : where });
}
/**
 * Returns a route with a further test in `where`. The test uses the first field that reads of the
 * scraper contain.
 */
export function withNewTest(route: Route, scraper: Scraper | undefined): Route {
  const [field] = fieldsFor(scraper, "ok");
  const test = {
    field: field?.name ?? "",
    op: opsOf(field, "ok")[0] ?? "is",
    value: firstValue(field),
  };
  return { ...route, where: [...(route.where ?? []), test] };
}
