import type { Pipeline } from "../../api/resources.ts";
import { formatNumber } from "../../format/numbers.ts";

type Step = Pipeline["steps"][number];
/** A route of a pipeline, as the API returns it. */
export type Route = Step["routes"][number];

const opWords: Readonly<Record<string, string>> = {
  is: "is",
  is_not: "is not",
  below: "below",
  above: "above",
  increased: "increased",
  decreased: "decreased",
};

/**
 * Returns the condition of a route as a string. Examples: `changed`, `price decreased`, `price
 * below 10, 3 reads in a row, at most every 6h`.
 */
export const routeWords = (route: Route): string =>
  [conditionWords(route), ...limitWords(route, "")].join(", ");

const anyWords: Readonly<Record<string, string>> = {
  changed: "any tracked field changed",
  ok: "the item was read",
  unchanged: "nothing changed",
  new: "the item was read for the first time",
  not_found: "the item does not exist",
  failed: "the item could not be read",
  always: "the item was read or does not exist",
};

/**
 * Returns the condition of a route for people who do not know the values of `when`. Example: `any
 * tracked field changed, at most every 6h`. Also names the value from which a minimum difference is
 * measured.
 */
export const ruleWords = (route: Route): string =>
  [
    route.field === undefined ? (anyWords[route.when] ?? route.when) : conditionWords(route),
    ...limitWords(route, originWords(route)),
  ].join(", ");

/**
 * Returns the words for the value from which a route measures the size of a change. A route does
 * not measure from the value of the previous read, so that small changes add up.
 */
function originWords({ op }: Route): string {
  if (op === "decreased") return " from the highest value since the last event";
  if (op === "increased") return " from the lowest value since the last event";
  return " from the value in the last event";
}

/**
 * Formats a number. A value from a form can be a text that is not a number, which is returned
 * unchanged.
 */
const numberWords = (value: number): string =>
  Number.isFinite(value) ? formatNumber(value) : String(value);

/**
 * Returns a label for each key that limits the matches of a route.
 * @param origin the words after a minimum difference
 */
function limitWords(route: Route, origin: string): readonly string[] {
  const { where = [], min_delta: delta, min_delta_percent: percent } = route;
  const { confirm, once, cooldown } = route;
  return [
    ...(delta === undefined ? [] : [`by ${numberWords(delta)} or more${origin}`]),
    ...(percent === undefined ? [] : [`by ${numberWords(percent)}% or more${origin}`]),
    ...where.map(({ field, op, value }) => `${field} ${opWords[op] ?? op} ${valueWords(value)}`),
    ...(confirm === undefined ? [] : [`${numberWords(confirm)} reads in a row`]),
    ...(once === true ? ["once"] : []),
    ...(cooldown === undefined ? [] : [`at most every ${cooldown}`]),
  ];
}

function conditionWords({ when, field, op, value }: Route): string {
  if (field === undefined) return when.replaceAll("_", " ");
  const test = op === undefined ? "" : ` ${opWords[op] ?? op}`;
  const tested = `${field}${test}${value === undefined ? "" : ` ${valueWords(value)}`}`;
  if (when === "changed" && (op === "increased" || op === "decreased")) return tested;
  return when === "ok" ? tested : `${field} ${when}${op === undefined ? "" : `, ${tested}`}`;
}

function valueWords(value: NonNullable<Route["value"]>): string {
  if (typeof value === "number") return formatNumber(value);
  if (typeof value !== "object") return String(value);
  return "field" in value ? value.field : `its ${value.metadata}`;
}

/**
 * Returns labels for the runs and items that start at a step: `every run`, `new items`, `every 8th
 * run`. Returns an empty array for a step at which nothing starts.
 */
export function startsAt({ entry, baseline, refresh }: Pipeline, id: string): readonly string[] {
  return [
    ...(entry === id ? ["every run"] : []),
    ...(baseline === id && baseline !== entry ? ["new items"] : []),
    ...(refresh?.entry === id && refresh.entry !== entry
      ? [`every ${ordinal(refresh.every_runs)} run`]
      : []),
  ];
}

const ordinalEndings = new Map([
  ["one", "st"],
  ["two", "nd"],
  ["few", "rd"],
]);
const ordinalRules = new Intl.PluralRules("en", { type: "ordinal" });
const ordinal = (n: number): string =>
  n === 1 ? "" : `${n}${ordinalEndings.get(ordinalRules.select(n)) ?? "th"}`;

/**
 * Returns a description of each step of a pipeline: its ID, its scraper, the runs and items that
 * start at it, and its routes.
 */
export function pipelineSentences(pipeline: Pipeline): readonly string[] {
  return pipeline.steps.map((step) => {
    const starts = startsAt(pipeline, step.id);
    const begins = starts.length === 0 ? "" : ` Starts here: ${starts.join(", ")}.`;
    const routes = step.routes.map((route) => ` ${routeSentence(route)}`).join("");
    const condition = step.condition === undefined ? "" : ` (${step.condition} offers)`;
    return `${step.id}: reads with ${step.scraper}${condition}.${begins}${routes}`;
  });
}

function routeSentence(route: Route): string {
  const does = [
    ...(route.run === undefined ? [] : [`go on to ${route.run}`]),
    ...(route.notify === true ? ["are reported"] : []),
  ];
  return `Items with “${ruleWords(route)}” ${does.length === 0 ? "end here" : does.join(" and ")}.`;
}
