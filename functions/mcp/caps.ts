import { invalidParam, missingParam } from "../../shared/base/errors.ts";
import { quantity } from "../../shared/base/quantity.ts";
import { formatValue } from "../../shared/base/shown-value.ts";
import type { Cap, JsonObject } from "./tool.ts";

/**
 * Creates a cap in credits, which the route applies. Unlike the HTTP API, a tool requires the cap:
 * an absent value or null gets 400.
 * @param name parameter of the route
 * @param description description for the model
 */
const creditCap = (name: string, description: string): Cap => ({
  name,
  schema: { type: "integer", minimum: 0, description },
  isOfRoute: true,
  check(sent) {
    const cap = sent[name];
    if (cap === undefined) {
      throw missingParam(
        name,
        `'${name}' is required: an agent must state how many credits it may spend. Nothing was read or charged.`,
      );
    }
    if (!Number.isSafeInteger(cap) || Number(cap) < 0) {
      throw invalidParam(
        name,
        `'${name}' must be an integer of at least 0 (got ${formatValue(cap)}). Nothing was read or charged.`,
      );
    }
  },
});

/** The cap on the credits of a call that reads items. */
export const maxCredits = creditCap(
  "max_credits",
  "Maximum number of credits that this call may reserve. A call that would reserve more is refused before anything is read.",
);
/** The cap on the credits of each run of a new watchlist. */
export const maxCreditsPerRun = creditCap(
  "max_credits_per_run",
  "Maximum number of credits of each run. A step that does not fit is deferred as a whole; the next run reads its items.",
);

/** The maximum length of the span that an agent can back-test, in days. */
const backtestDaysMax = 31;

/** The cap on the length of the span of a back-test, in days. */
export const maxDays: Cap = {
  name: "max_days",
  schema: {
    type: "integer",
    minimum: 1,
    maximum: backtestDaysMax,
    description:
      "Maximum length of the span from `since` to `until`, in days. A longer span is refused before anything is read.",
  },
  isOfRoute: false,
  check: checkBacktestDays,
};

const msPerDay = 86_400_000;

/**
 * Checks that the span of a back-test is not longer than `max_days`.
 * @throws 400 if `max_days` is absent or invalid, or if the span is longer
 */
function checkBacktestDays(sent: JsonObject, now: Date): void {
  const { max_days: days, since, until } = sent;
  if (days === undefined) {
    throw missingParam(
      "max_days",
      "'max_days' is required: an agent must state how many days it may back-test. Nothing was read.",
    );
  }
  if (!Number.isInteger(days) || Number(days) < 1 || Number(days) > backtestDaysMax) {
    throw invalidParam(
      "max_days",
      `'max_days' must be an integer from 1 to ${backtestDaysMax} (got ${formatValue(days)}).`,
    );
  }
  // This check accepts malformed times, which the route refuses, and an absent `since`, because the
  // span is then one day.
  const from = typeof since === "string" ? Date.parse(since) : Number.NaN;
  const to = typeof until === "string" ? Date.parse(until) : now.getTime();
  const span = Math.ceil((to - from) / msPerDay);
  if (span > Number(days)) {
    throw invalidParam(
      "max_days",
      `The span is ${quantity(span, "day")}, but 'max_days' is ${Number(days)}. Nothing was read. ` +
        "Send a later 'since', or a higher 'max_days'.",
    );
  }
}
