import * as v from "valibot";
import { limits } from "../base/limits.ts";
import { count, timestamp } from "../base/wire-schema.ts";
import type { HistorySpan } from "../history/history.ts";
import { presentPipeline } from "../pipelines/default.ts";
import type { Pipeline } from "../pipelines/definition.ts";
import { pipelineSchema } from "../pipelines/pipeline-schema.ts";
import {
  countEntries,
  entriesOf,
  type EventEntry,
  eventCounts,
} from "../played-runs/event-entries.ts";
import type { EndedBacktest, TestedRun } from "./backtest.ts";

const stepFields = {
  step: v.pipe(v.string(), v.description("ID of the step.")),
  items: v.pipe(count, v.description("Items that the step would have read.")),
  credits: v.pipe(count, v.description("Credits that the step would have charged.")),
};

/** The result of a back-test: response 200 of `POST /v1/watchlists/{id}/backtest`. */
export const backtestResponse = v.object({
  object: v.literal("watchlist_backtest"),
  watchlist_id: v.pipe(v.string(), v.description("ID of the watchlist.")),
  pipeline: pipelineSchema,
  since: v.pipe(timestamp, v.description("Start of the time span.")),
  until: v.pipe(timestamp, v.description("End of the time span.")),
  total: v.pipe(
    v.object({
      runs: v.pipe(count, v.description("Number of runs.")),
      items: v.pipe(count, v.description("Items that all steps would have read.")),
      credits: v.pipe(count, v.description("Credits that all runs would have charged.")),
      events: eventCounts,
    }),
    v.description("Sums over all runs."),
  ),
  runs: v.pipe(
    v.array(
      v.object({
        run_number: v.pipe(count, v.description("Number of the past run.")),
        started_at: timestamp,
        status: v.pipe(v.string(), v.description("Status that the run would have had.")),
        credits: v.pipe(count, v.description("Credits that the run would have charged.")),
        steps: v.pipe(v.array(v.object(stepFields)), v.description("Steps in run order.")),
        events: eventCounts,
      }),
    ),
    v.description("The runs of the span, oldest first."),
  ),
  samples: v.pipe(
    v.array(
      v.object({
        type: v.pipe(v.string(), v.description("Type of the event.")),
        run_number: v.pipe(count, v.description("Number of the past run.")),
        entry: v.pipe(v.record(v.string(), v.unknown()), v.description("Entry of the event.")),
      }),
    ),
    v.description(`The first ${limits.backtest.samplesMax} items in these events.`),
  ),
  left_out_runs: v.pipe(
    v.array(count),
    v.description(
      "Numbers of the runs in the span that are held, were discarded or have not ended.",
    ),
  ),
  unknown_fields: v.pipe(
    v.array(
      v.object({
        step: v.pipe(v.string(), v.description("ID of the step.")),
        field: v.pipe(v.string(), v.description("Name of the field.")),
      }),
    ),
    v.description(
      "Fields that a step reads, but that the history does not have for at least one item. Routes " +
        "that test them did not match these items.",
    ),
  ),
  unknown_reads: v.pipe(
    v.array(
      v.object({
        step: v.pipe(v.string(), v.description("ID of the step.")),
        reads: v.pipe(count, v.description("Number of these reads.")),
      }),
    ),
    v.description(
      "Reads of the tested pipeline that the past runs did not make, by step: the pipeline of the past " +
        "run had no step with the same scraper, or fewer such steps than the tested pipeline. The " +
        "back-test uses the last known values for such a read, or the failure of a read that the past " +
        "run made.",
    ),
  ),
  removed_items: v.pipe(
    count,
    v.description(
      "Items that were removed after the past runs, or that were added again and have no first read in " +
        "the span. The back-test leaves out their reads before the removal.",
    ),
  ),
});

export type BacktestResponse = v.InferOutput<typeof backtestResponse>;

/** The part of a repeated run that the result of a back-test contains. */
export interface RunReport {
  readonly shown: BacktestResponse["runs"][number];
  /** The first `limits.backtest.samplesMax` entries of the run's events. */
  readonly samples: readonly EventEntry[];
}

/** Summarizes a repeated run and its events, so that the events need not stay in memory. */
export function reportRun(tested: TestedRun): RunReport {
  const samples = entriesOf(tested);
  return {
    shown: presentRun(tested, countEntries(samples)),
    samples: samples.slice(0, limits.backtest.samplesMax),
  };
}

/**
 * Builds the result of a back-test: the tested pipeline, the sums over all runs, each run with its
 * status, credits, steps and event counts, and the first `limits.backtest.samplesMax` entries of
 * the events. Runs and entries are in the order of `reports`.
 * @param reports the reports of all runs, oldest first
 */
export function presentBacktest(
  {
    watchlistId,
    pipeline,
    span,
  }: { readonly watchlistId: string; readonly pipeline: Pipeline; readonly span: HistorySpan },
  reports: readonly RunReport[],
  { leftOutRuns, unknownFields, unknownReads, removedItems }: Omit<EndedBacktest, "outcome">,
): BacktestResponse {
  const shown = reports.map((report) => report.shown);
  const steps = shown.flatMap((run) => run.steps);
  return {
    object: "watchlist_backtest",
    watchlist_id: watchlistId,
    pipeline: presentPipeline(pipeline),
    ...span,
    total: {
      runs: reports.length,
      items: steps.reduce((sum, { items }) => sum + items, 0),
      credits: shown.reduce((sum, { credits }) => sum + credits, 0),
      events: sumOf(shown.map(({ events }) => events)),
    },
    runs: shown,
    samples: reports.flatMap(({ samples }) => samples).slice(0, limits.backtest.samplesMax),
    left_out_runs: [...leftOutRuns],
    unknown_fields: [...unknownFields],
    unknown_reads: [...unknownReads],
    removed_items: removedItems,
  };
}

const presentRun = (
  { run }: TestedRun,
  events: Record<string, number>,
): BacktestResponse["runs"][number] => ({
  run_number: run.runNumber,
  started_at: run.startedAt,
  status: run.status,
  credits: run.credits,
  steps: Object.entries(run.stats.steps).map(([step, { requested, credits }]) => ({
    step,
    items: requested,
    credits,
  })),
  events,
});

function sumOf(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [type, items] of counts.flatMap((one) => Object.entries(one))) {
    sum[type] = (sum[type] ?? 0) + items;
  }
  return sum;
}
