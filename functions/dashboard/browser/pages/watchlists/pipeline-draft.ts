import type { Pipeline, Scrapers, Watchlist } from "../../api/resources.ts";
import { type DecimalInput, decimalIn } from "../../format/decimal-input.ts";
import { jsonProblem, type Place } from "./json-place.ts";

/** A pipeline that the user chooses or writes. */
export interface PipelineDraft {
  /** The ID of a template; null if the pipeline is written as JSON. */
  readonly template: string | null;
  readonly text: string;
  /**
   * The minimum drop in percent for the template `price_drops`, as the user typed it. Omitted or
   * empty: every drop.
   */
  readonly minDrop?: string;
}

/** The ID of the template that reports price drops. */
export const priceDropsTemplate = "price_drops";

/**
 * The ID of the platform's default template. A watchlist with this template uses the service's
 * current default, even if the default changes later.
 */
export const defaultTemplate = "default";
/** The draft for a new watchlist: the default template of its platform. */
export const newPipeline: PipelineDraft = { template: defaultTemplate, text: "" };

/** Returns a pipeline as indented JSON. */
export const pipelineText = (pipeline: Pipeline): string => JSON.stringify(pipeline, null, 2);

/**
 * Returns the draft for a watchlist's pipeline: the template with an equal pipeline, or else the
 * pipeline as JSON. The template for price drops also fits a pipeline that differs from it only in
 * the minimum drop. While `scrapers` is undefined, the draft cannot name any template except the
 * default.
 */
export function pipelineDraftOf(list: Watchlist, scrapers: Scrapers | undefined): PipelineDraft {
  const text = pipelineText(list.pipeline);
  if (list.default_pipeline) return { template: defaultTemplate, text };
  const same = scrapers?.templates.find(({ pipeline }) => pipelineText(pipeline) === text);
  if (same !== undefined) return { template: same.id, text };
  const drops = scrapers?.templates.find(({ id }) => id === priceDropsTemplate)?.pipeline;
  const minDrop = list.pipeline.steps
    .flatMap(({ routes }) => routes)
    .find((route) => route.min_delta_percent !== undefined)?.min_delta_percent;
  const isDrops =
    drops !== undefined &&
    minDrop !== undefined &&
    isSame(withMinDrop(drops, minDrop), list.pipeline);
  return isDrops
    ? { template: priceDropsTemplate, text, minDrop: String(minDrop) }
    : { template: null, text };
}

/** Returns true if two pipelines are equal, in any order of their keys. */
const isSame = (one: Pipeline, other: Pipeline): boolean => sorted(one) === sorted(other);
const sorted = (pipeline: Pipeline): string =>
  JSON.stringify(pipeline, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

/**
 * Returns a pipeline whose rules about a decreased field report only drops of at least `percent`
 * percent.
 */
const withMinDrop = (pipeline: Pipeline, percent: number): Pipeline => ({
  ...pipeline,
  steps: pipeline.steps.map((step) => ({
    ...step,
    routes: step.routes.map((route) =>
      route.op === "decreased" ? { ...route, min_delta_percent: percent } : route,
    ),
  })),
});

/**
 * Parses the minimum drop of a draft, in percent. Returns a number, or an error message for the
 * user if the text is not a number, or neither if the text is empty.
 */
export const minDropOf = ({ minDrop = "" }: PipelineDraft): DecimalInput =>
  decimalIn(minDrop, { unit: "percent" });

/**
 * Returns the pipeline of a draft's template. Returns undefined if the draft has no template, if
 * the templates are still loading, or if the minimum drop is not a number.
 */
export function templatePipeline(
  draft: PipelineDraft,
  scrapers: Scrapers | undefined,
): Pipeline | undefined {
  const pipeline = scrapers?.templates.find(({ id }) => id === draft.template)?.pipeline;
  if (pipeline === undefined || draft.template !== priceDropsTemplate) return pipeline;
  const { value, error } = minDropOf(draft);
  if (error !== undefined) return undefined;
  return value === undefined ? pipeline : withMinDrop(pipeline, value);
}

/**
 * Returns the reason why a string cannot be sent as a pipeline; undefined if the string can be
 * sent. The service reports all other errors.
 */
export function pipelineProblem(text: string): { message: string; place: Place } | undefined {
  const problem = jsonProblem(text);
  // A null pipeline means the platform's default, which has its own choice in the form.
  if (problem !== undefined || text.trim() !== "null") return problem;
  const start = text.indexOf("null");
  return {
    message:
      "A pipeline must be an object with an array 'steps' (got null). For the default pipeline, choose its template.",
    place: { start, end: start + 4 },
  };
}

/**
 * Returns the pipeline to send for a draft; null for the platform's default. Returns undefined for
 * a draft that cannot be sent:
 * - Its text is not JSON, or is `null`.
 * - Its minimum drop is not a number.
 * - Its template is still loading.
 */
export function pipelineOf(draft: PipelineDraft, scrapers: Scrapers | undefined): unknown {
  if (draft.template === defaultTemplate) return null;
  if (draft.template !== null) return templatePipeline(draft, scrapers);
  return pipelineProblem(draft.text) === undefined
    ? (JSON.parse(draft.text) as unknown)
    : undefined;
}
