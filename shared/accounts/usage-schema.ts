import * as v from "valibot";
import { integerParam } from "../base/integer-param.ts";
import { limits } from "../base/limits.ts";
import { count } from "../base/wire-schema.ts";

/** Query of `GET /v1/usage`. */
export const usageQuery = v.object({
  days: v.optional(
    integerParam("days", {
      min: 1,
      max: limits.usageDays.max,
      description: "Number of UTC days to return, including today.",
    }),
    String(limits.usageDays.default),
  ),
});

const counts = {
  requests: v.pipe(count, v.description("Item calls and run steps that reserved credits.")),
  successful: count,
  failed: v.pipe(count, v.description("Calls and steps that failed after credits were reserved.")),
  credits: v.pipe(count, v.description("Credits charged.")),
};

/** Response 200 of `GET /v1/usage` (specification, section "Usage"). */
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
        v.description("`successful` divided by `requests`. Null if there were no requests."),
      ),
    ),
  }),
  daily: v.pipe(
    v.array(v.object({ date: v.pipe(v.string(), v.isoDate()), ...counts })),
    v.description("One entry per day, oldest first. Days without calls have zeros."),
  ),
});
