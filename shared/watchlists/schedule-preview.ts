import * as v from "valibot";
import { count as countSchema, timestamp } from "../base/wire-schema.ts";
import { limitParam } from "../base/limit-param.ts";
import { limits } from "../base/limits.ts";
import { timeParam } from "./queries.ts";
import { watchlistFields } from "./request.ts";
import { countRuns, parseSchedule, presentSchedule, runTimesAfter } from "./schedule.ts";
import { scheduleSchema } from "./watchlist-schema.ts";

/** Query of `GET /v1/watchlists/schedule`. */
export const schedulePreviewFields = v.object({
  every: v.optional(watchlistFields.every),
  cron: v.optional(watchlistFields.cron),
  timezone: v.optional(watchlistFields.timezone),
  after: v.optional(
    v.pipe(timeParam("after"), v.description("Only times later than this. Default: now.")),
  ),
  count: limitParam(limits.schedulePreview, "count"),
});

/** The schema that parses the query of `GET /v1/watchlists/schedule`, including the schedule. */
export const schedulePreviewQuery = v.pipe(
  schedulePreviewFields,
  v.transform(({ after, count, ...named }) => ({ schedule: parseSchedule(named), after, count })),
);

export type SchedulePreview = v.InferOutput<typeof schedulePreviewQuery>;

/** Response 200 of `GET /v1/watchlists/schedule`. */
export const schedulePreviewResponse = v.object({
  object: v.literal("schedule_preview"),
  schedule: scheduleSchema,
  next_run_times: v.pipe(
    v.array(timestamp),
    v.description("The next due times, all later than `after`."),
  ),
  runs_in_30_days: v.pipe(
    countSchema,
    v.description(
      "Number of times in the 30 days (720 hours) after `after`. Use it to estimate costs, because " +
        "`next_run_times` may all be on one day, with no run for weeks after it.",
    ),
  ),
});

const monthMs = 30 * 86_400_000;

/**
 * Builds the response of `GET /v1/watchlists/schedule`: the first `count` due times after `after`,
 * and the number of due times in the 30 days after `after`. If `after` is absent, `now` replaces
 * it.
 */
export function presentSchedulePreview(
  { schedule, after, count }: SchedulePreview,
  now: Date,
): Record<string, unknown> {
  const from = after ?? now;
  return {
    object: "schedule_preview",
    schedule: presentSchedule(schedule),
    next_run_times: runTimesAfter(schedule, from, count).map((time) => time.toISOString()),
    runs_in_30_days: countRuns(schedule, from, new Date(from.getTime() + monthMs)),
  };
}
