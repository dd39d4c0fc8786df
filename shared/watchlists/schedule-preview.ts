import * as v from "valibot";
import { timestamp } from "../base/wire-schema.ts";
import { limitParam } from "../base/limit-param.ts";
import { limits } from "../base/limits.ts";
import { timeParam } from "./queries.ts";
import { listFields } from "./request.ts";
import { parseSchedule, presentSchedule, runTimesAfter } from "./schedule.ts";
import { scheduleSchema } from "./watchlist-schema.ts";

/** Query of `GET /v1/watchlists/schedule`. */
export const schedulePreviewFields = v.object({
  every: v.optional(listFields.every),
  cron: v.optional(listFields.cron),
  timezone: v.optional(listFields.timezone),
  after: v.optional(
    v.pipe(timeParam("after"), v.description("Times later than this are shown. Default: now.")),
  ),
  count: limitParam(limits.schedulePreview, "count"),
});

/** The same with the schedule checked. */
export const schedulePreviewQuery = v.pipe(
  schedulePreviewFields,
  v.transform(({ after, count, ...named }) => ({ schedule: parseSchedule(named), after, count })),
);

export type SchedulePreview = v.InferOutput<typeof schedulePreviewQuery>;

/** 200 of `GET /v1/watchlists/schedule`. */
export const schedulePreviewResponse = v.object({
  object: v.literal("schedule_preview"),
  schedule: scheduleSchema,
  next_run_times: v.pipe(v.array(timestamp), v.description("Strictly after `after`.")),
});

/** When a schedule fires; a cadence is counted from `after`. */
export const presentSchedulePreview = (
  { schedule, after, count }: SchedulePreview,
  now: Date,
): Record<string, unknown> => ({
  object: "schedule_preview",
  schedule: presentSchedule(schedule),
  next_run_times: runTimesAfter(schedule, after ?? now, count).map((time) => time.toISOString()),
});
