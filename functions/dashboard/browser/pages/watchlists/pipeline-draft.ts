import type { Pipeline, Scrapers, Watchlist } from "../../api/resources.ts";
import { jsonProblem, type Place } from "./json-place.ts";

/** A pipeline as it is being chosen or written. */
export interface PipelineDraft {
  /** Id of a template; null when it is written as JSON. */
  readonly template: string | null;
  readonly text: string;
}

/** The platform's own, which follows what the service makes of it later. */
export const defaultTemplate = "default";
export const newPipeline: PipelineDraft = { template: defaultTemplate, text: "" };

export const pipelineText = (pipeline: Pipeline): string => JSON.stringify(pipeline, null, 2);

/** The draft that a list's pipeline would have come from. */
export function pipelineDraftOf(list: Watchlist, scrapers: Scrapers | undefined): PipelineDraft {
  const text = pipelineText(list.pipeline);
  if (list.default_pipeline) return { template: defaultTemplate, text };
  const same = scrapers?.templates.find(({ pipeline }) => pipelineText(pipeline) === text);
  return { template: same?.id ?? null, text };
}

/** Why a text cannot be sent as a pipeline; undefined if it can. The service reports other faults. */
export function pipelineProblem(text: string): { message: string; place: Place } | undefined {
  const problem = jsonProblem(text);
  // A null pipeline means the platform's default, which has its own choice in the form.
  if (problem !== undefined || text.trim() !== "null") return problem;
  const start = text.indexOf("null");
  return { message: "A pipeline is an object with steps.", place: { start, end: start + 4 } };
}

/**
 * What to send for a draft: null is the platform's default, undefined cannot be sent because it is no
 * pipeline or its template is not known yet.
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
