import * as v from "valibot";
import { count, timestamp } from "../base/wire-schema.ts";
import type { ObservedChanges } from "../history/history.ts";
import { presentPipeline } from "../pipelines/default.ts";
import { runOrder } from "../pipelines/definition.ts";
import { fieldValue, pipelineSchema } from "../pipelines/pipeline-schema.ts";
import { countEntries, entriesOf, eventCounts } from "../played-runs/event-entries.ts";
import type { Preview, PreviewedStep } from "./preview.ts";

const stepId = v.pipe(v.string(), v.description("ID of the step."));

/** Response 200 of `POST /v1/watchlists/{id}/preview`. */
export const previewResponse = v.object({
  object: v.literal("watchlist_preview"),
  watchlist_id: v.pipe(v.string(), v.description("ID of the watchlist.")),
  pipeline: pipelineSchema,
  run_number: v.pipe(count, v.description("Number that the next run of the watchlist will have.")),
  kind: v.pipe(
    v.string(),
    v.description("Kind of the run: it decides at which step the items start."),
    v.examples(["baseline", "sweep", "refresh"]),
  ),
  total: v.pipe(
    v.object({
      items: v.pipe(count, v.description("Items of the preview.")),
      reads: v.pipe(count, v.description("Items that all steps read.")),
      credits: v.pipe(count, v.description("Credits charged, as in the header X-Service-Credits.")),
      events: eventCounts,
    }),
    v.description("Sums over all steps."),
  ),
  steps: v.pipe(
    v.array(
      v.object({
        step: stepId,
        scraper: v.pipe(v.string(), v.description("Scraper of the step.")),
        items: v.pipe(count, v.description("Items that the step read.")),
        credits: v.pipe(count, v.description("Credits charged for the step.")),
      }),
    ),
    v.description("All steps of the pipeline, in run order."),
  ),
  items: v.pipe(
    v.array(
      v.object({
        id: v.pipe(v.string(), v.description("ID of the item.")),
        reads: v.pipe(
          v.array(
            v.object({
              step: stepId,
              status: v.pipe(
                v.string(),
                v.description(
                  "Result of the read. `skipped`: the item has no known offer to check.",
                ),
                v.examples(["ok", "partial", "not_found", "unavailable", "skipped"]),
              ),
              read_at: v.pipe(
                v.nullable(timestamp),
                v.description("When the source returned the result; null for `skipped`."),
              ),
              values: v.pipe(
                v.nullable(v.record(v.string(), fieldValue)),
                v.description("The values read, by field; null unless `status` is `ok`."),
              ),
              changes: v.pipe(
                v.record(
                  v.string(),
                  v.object({ before: v.optional(fieldValue), after: fieldValue }),
                ),
                v.description(
                  "The values that differ from the last known ones, by field. Without `before` if no " +
                    "value was known.",
                ),
              ),
            }),
          ),
          v.description("The steps that the item reached, in run order."),
        ),
        events: v.pipe(
          v.array(
            v.object({
              type: v.pipe(v.string(), v.description("Type of the event.")),
              entry: v.pipe(
                v.record(v.string(), v.unknown()),
                v.description("Entry of the event, as a run would send it."),
              ),
            }),
          ),
          v.description("The item's entries in the events that a run would have sent."),
        ),
      }),
    ),
    v.description("The items of the preview, sorted by ID."),
  ),
});

type Response = v.InferOutput<typeof previewResponse>;
type Read = Response["items"][number]["reads"][number];

/**
 * Converts a preview to the response of `POST /v1/watchlists/{id}/preview`.
 * @param itemIds the IDs of the previewed items, in the order of the response
 */
export function presentPreview(
  itemIds: readonly string[],
  { run, events, results, steps, credits }: Preview,
): Response {
  const entries = entriesOf({ run, events });
  const shown = runOrder(run.pipeline).map(({ id: step, scraper }) => {
    const { requested = 0, credits: charged = 0 } = run.stats.steps[step] ?? {};
    return { step, scraper, items: requested, credits: charged };
  });
  return {
    object: "watchlist_preview",
    watchlist_id: run.watchlistId,
    pipeline: presentPipeline(run.pipeline),
    run_number: run.runNumber,
    kind: run.kind,
    total: {
      items: itemIds.length,
      reads: shown.reduce((sum, { items }) => sum + items, 0),
      credits,
      events: countEntries(entries),
    },
    steps: shown,
    items: itemIds.map((id) => ({
      id,
      reads: steps.flatMap((step) => readOf(step, id, changesIn(results, step, id)) ?? []),
      events: entries
        .filter(({ entry }) => entry["id"] === id)
        .map(({ type, entry }) => ({ type, entry })),
    })),
  };
}

/** Returns the read of an item at a step; undefined if the item did not reach the step. */
function readOf(
  { step, ids, answers }: PreviewedStep,
  id: string,
  changes: ObservedChanges,
): Read | undefined {
  if (!ids.includes(id)) return undefined;
  const answer = answers.find((one) => one.id === id);
  if (answer === undefined) {
    return { step: step.id, status: "skipped", read_at: null, values: null, changes: {} };
  }
  const { status, fetchedAt, observed } = answer;
  return { step: step.id, status, read_at: fetchedAt, values: observed, changes };
}

/** Returns the changes that a step observed of an item; empty if there are none. */
const changesIn = (
  results: Preview["results"],
  { step }: PreviewedStep,
  id: string,
): ObservedChanges =>
  results
    .find((result) => result.step.step === step.id)
    ?.outcomes.find((outcome) => outcome.id === id)?.observed ?? {};
