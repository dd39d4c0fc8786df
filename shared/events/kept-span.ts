import * as v from "valibot";
import { invalidParam } from "../base/errors.ts";
import { isoTimeParam } from "../base/iso-time.ts";
import { limits } from "../base/limits.ts";
import { formatValue } from "../base/shown-value.ts";

/**
 * Body of a request with a time span. `parseKeptSpan` checks the bounds, because they depend on the
 * current time.
 */
export const keptSpanBody = v.object({
  since: v.pipe(
    isoTimeParam("since"),
    v.description(
      `At most ${limits.eventRetentionDays} days ago, because older events are deleted.`,
    ),
  ),
  until: v.optional(
    v.nullable(v.pipe(isoTimeParam("until"), v.description("Not in the future. Absent: now."))),
  ),
});

/** A time span. Both ends are inclusive and ISO 8601 times in UTC. */
export interface KeptSpan {
  readonly since: string;
  readonly until: string;
}

const retentionMs = limits.eventRetentionDays * 24 * 60 * 60 * 1_000;

/**
 * Parses the time span of a request for stored events. If `until` is absent, the span ends at
 * `now`.
 * @throws 400 INVALID_PARAM if `since` is not before `until`, the span ends in the future, or it
 * starts more than `limits.eventRetentionDays` days ago
 */
export function parseKeptSpan(body: v.InferOutput<typeof keptSpanBody>, now: Date): KeptSpan {
  const since = Date.parse(body.since);
  const until = typeof body.until === "string" ? Date.parse(body.until) : now.getTime();
  if (since > now.getTime()) {
    throw invalidParam(
      "since",
      `'since' must not be in the future (got ${formatValue(body.since)}). Send an earlier 'since'.`,
    );
  }
  if (until > now.getTime()) {
    throw invalidParam(
      "until",
      `'until' must not be in the future (got ${formatValue(body.until)}). Omit it for the current time.`,
    );
  }
  if (since < now.getTime() - retentionMs) {
    throw invalidParam(
      "since",
      `'since' must be at most ${limits.eventRetentionDays} days ago, because older events are deleted ` +
        `(got ${formatValue(body.since)}). Send a later 'since'.`,
    );
  }
  if (since >= until) {
    throw invalidParam(
      "since",
      `'since' must be before 'until', which is ${new Date(until).toISOString()} (got ${formatValue(body.since)}). Send an earlier 'since'.`,
    );
  }
  return { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
}
