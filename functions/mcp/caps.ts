import { invalidParam, missingParam } from "../../shared/base/errors.ts";
import { quantity } from "../../shared/base/quantity.ts";
import { shownValue } from "../../shared/base/shown-value.ts";
import type { JsonObject } from "./tool.ts";

/**
 * Requires a cap in credits. The HTTP API has the same argument, but there it is optional.
 * @param name the argument: `max_credits`, or a limit of a watchlist
 * @throws 400 if the argument is absent or null
 */
export const requireCap =
  (name: string) =>
  (sent: JsonObject): void => {
    const cap = sent[name];
    if (cap === undefined || cap === null) {
      throw missingParam(
        name,
        `'${name}' is required: an agent must state how many credits it may spend. Nothing was read or charged.`,
      );
    }
  };

/** The maximum length of the span that an agent can back-test, in days. */
const backtestDaysMax = 31;

/** The JSON Schema of the cap of a back-test. */
export const maxDaysSchema = {
  type: "integer",
  minimum: 1,
  maximum: backtestDaysMax,
  description:
    "Maximum length of the span from `since` to `until`, in days. A longer span is refused before anything is read.",
} as const satisfies JsonObject;

const msPerDay = 86_400_000;

/**
 * Checks that the span of a back-test is not longer than `max_days`.
 * @throws 400 if `max_days` is absent or invalid, or if the span is longer
 */
export function checkBacktestDays(sent: JsonObject, now: Date): void {
  const { max_days: maxDays, since, until } = sent;
  if (maxDays === undefined || maxDays === null) {
    throw missingParam("max_days", "'max_days' is required. Nothing was read.");
  }
  if (!Number.isInteger(maxDays) || Number(maxDays) < 1 || Number(maxDays) > backtestDaysMax) {
    throw invalidParam(
      "max_days",
      `'max_days' must be an integer from 1 to ${backtestDaysMax} (got ${shownValue(maxDays)}).`,
    );
  }
  // The route checks the form of the times. Without `since`, the span is one day.
  const from = typeof since === "string" ? Date.parse(since) : Number.NaN;
  const to = typeof until === "string" ? Date.parse(until) : now.getTime();
  const days = Math.ceil((to - from) / msPerDay);
  if (days > Number(maxDays)) {
    throw invalidParam(
      "max_days",
      `The span is ${quantity(days, "day")}, but 'max_days' is ${Number(maxDays)}. Nothing was read. ` +
        "Send a later 'since' or a higher 'max_days'.",
    );
  }
}
