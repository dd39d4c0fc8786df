import { type ReadingKind, type StepScraperId, stepScrapers } from "../scrapers/catalogue.ts";
import type { ConditionFilter } from "../scrapers/offer.ts";

/** Which outcomes of a read a route takes (specification, section "Pipeline"). */
export const whens = [
  "new",
  "changed",
  "unchanged",
  "ok",
  "failed",
  "not_found",
  "always",
] as const;
export type When = (typeof whens)[number];

/** How a route tests a field: the first two against the last read, the others against `value`. */
export const ops = ["increased", "decreased", "below", "above", "is", "is_not"] as const;
export type Op = (typeof ops)[number];

/** A rule of a step: which items it takes, which step they take next, and if they are reported. */
export interface Route {
  readonly when: When;
  readonly field?: string;
  readonly op?: Op;
  readonly value?: number | boolean | string;
  /** Id of the step that matching items take next. */
  readonly run?: string;
  readonly notify?: boolean;
}

export interface Step {
  readonly id: string;
  readonly scraper: StepScraperId;
  /** Of `retailer_a.offers` only; absent: all. */
  readonly condition?: ConditionFilter;
  readonly routes: readonly Route[];
}

/** What a run does with its items (specification, section "Pipeline"). */
export interface Pipeline {
  readonly entry: string;
  readonly baseline: string | null;
  readonly refresh: { readonly everyRuns: number; readonly entry: string } | null;
  readonly steps: readonly Step[];
}

/** A step of a pipeline by id. */
export function stepOf(pipeline: Pipeline, id: string): Step {
  const step = pipeline.steps.find((candidate) => candidate.id === id);
  if (step === undefined) throw new Error(`Invariant broken: pipeline has no step '${id}'`);
  return step;
}

/** What a step's readings are compared with: the last readings of the same kind. */
export function readingKind({ scraper, condition = "all" }: Step): ReadingKind {
  const { kind } = stepScrapers[scraper];
  return kind === "offers" && condition !== "all" ? `offers_${condition}` : kind;
}

/** The steps that a run may start with, without repetition: entry, refresh entry, baseline. */
export const startsOf = ({ entry, refresh, baseline }: Pipeline): readonly string[] => [
  ...new Set([entry, refresh?.entry ?? entry, baseline ?? entry]),
];

/**
 * The steps in the order a run takes them: each after every step that routes to it. Where that
 * leaves the order free: entry, refresh entry, baseline, then as defined.
 */
export function runOrder(pipeline: Pipeline): readonly Step[] {
  const preferred = [...startsOf(pipeline), ...pipeline.steps.map(({ id }) => id)];
  const waiting = new Set(preferred);
  const order: Step[] = [];
  while (waiting.size > 0) {
    const awaited = new Set([...waiting].flatMap((id) => nextOf(stepOf(pipeline, id))));
    const next = [...waiting].find((id) => !awaited.has(id));
    if (next === undefined) throw new Error("Invariant broken: the pipeline loops");
    waiting.delete(next);
    order.push(stepOf(pipeline, next));
  }
  return order;
}

/** The steps that routes lead to. */
export const nextOf = ({ routes }: Pick<Step, "routes">): readonly string[] =>
  routes.flatMap(({ run }) => (run === undefined ? [] : [run]));
