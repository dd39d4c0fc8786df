import type { Pipeline, Scrapers, Watchlist } from "../../api/resources.ts";
import { jsonProblem, type Place } from "./json-place.ts";

/** A pipeline that the user chooses or writes. */
export interface PipelineDraft {
  /** The ID of a template; null if the pipeline is written as JSON. */
  readonly template: string | null;
  readonly text: string;
}

/**
 * The ID of the platform's default template. A watchlist with this template uses the service's
 * current default, even if the default changes later.
 */
export const defaultTemplate = "default";
export const newPipeline: PipelineDraft = { template: defaultTemplate, text: "" };

/** Returns a pipeline as indented JSON. */
export const pipelineText = (pipeline: Pipeline): string => JSON.stringify(pipeline, null, 2);

/**
 * Returns the draft for a watchlist's pipeline: the template with the same content, or else JSON.
 * While `scrapers` is undefined, it finds no template except the default pipeline.
 */
export function pipelineDraftOf(list: Watchlist, scrapers: Scrapers | undefined): PipelineDraft {
  const text = pipelineText(list.pipeline);
  if (list.default_pipeline) return { template: defaultTemplate, text };
  const same = scrapers?.templates.find(({ pipeline }) => pipelineText(pipeline) === text);
  return { template: same?.id ?? null, text };
}

/**
 * Returns the reason why a string cannot be sent as a pipeline; undefined if it can. The service
 * reports all other errors.
 */
export function pipelineProblem(text: string): { message: string; place: Place } | undefined {
  const problem = jsonProblem(text);
  // A null pipeline means the platform's default, which has its own choice in the form.
  if (problem !== undefined || text.trim() !== "null") return problem;
  const start = text.indexOf("null");
  return {
    message: "A pipeline must be an object with an array 'steps'.",
    place: { start, end: start + 4 },
  };
}

/**
 * Returns the pipeline to send for a draft: null for the platform's default, undefined if the draft
 * cannot be sent. It cannot be sent if its text is not JSON or is `null`, or if its template is
 * still loading.
 */
export function pipelineOf(draft: PipelineDraft, scrapers: Scrapers | undefined): unknown {
  if (draft.template === defaultTemplate) return null;
  if (draft.template !== null) {
    return scrapers?.templates.find(({ id }) => id === draft.template)?.pipeline;
  }
  return pipelineProblem(draft.text) === undefined
    ? (JSON.parse(draft.text) as unknown)
    : undefined;
}
