import * as v from "valibot";
import { limits } from "../base/limits.ts";
import { count } from "../base/wire-schema.ts";

const daysMessage = `'days' is a whole number from 1 to ${limits.usageDays.max}.`;

/** Query of `GET /v1/usage`. */
export const usageQuery = v.object({
  days: v.optional(
    v.pipe(
      v.string(daysMessage),
      v.regex(/^\d{1,3}$/, daysMessage),
      v.transform(Number),
      v.minValue(1, daysMessage),
      v.maxValue(limits.usageDays.max, daysMessage),
      v.description("So many UTC days, today included."),
    ),
    String(limits.usageDays.default),
  ),
});

const counts = {
  requests: v.pipe(count, v.description("Item calls and run steps that reserved credits.")),
  successful: count,
  failed: v.pipe(count, v.description("Ended in an error after credits were reserved.")),
  credits: v.pipe(count, v.description("Credits charged.")),
};

/** 200 of `GET /v1/usage` (specification, section "Usage"). */
export const usageResponse = v.object({
  object: v.literal("usage"),
  days: count,
  totals: v.object({
    ...counts,
    success_rate: v.nullable(
      v.pipe(
        v.number(),
        v.minValue(0),
        v.maxValue(1),
        v.description("successful / requests; null without requests."),
      ),
    ),
  }),
  daily: v.pipe(
    v.array(v.object({ date: v.pipe(v.string(), v.isoDate()), ...counts })),
    v.description("One entry a day, oldest first; days without calls are zeros."),
  ),
});
