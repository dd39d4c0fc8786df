import * as v from "valibot";
import { invalidParam } from "../base/errors.ts";
import { isoTimeParam } from "../base/iso-time.ts";
import { limits } from "../base/limits.ts";

/** Body of a request about a span of time; bounds depend on the time and are checked later. */
export const keptSpanBody = v.object({
  since: v.pipe(
    isoTimeParam("since"),
    v.description(`At most ${limits.eventRetentionDays} days ago: events are kept no longer.`),
  ),
  until: v.optional(
    v.nullable(v.pipe(isoTimeParam("until"), v.description("Not in the future; absent: now."))),
  ),
});

/** Both inclusive, ISO 8601 UTC. */
export interface KeptSpan {
  readonly since: string;
  readonly until: string;
}

const retentionMs = limits.eventRetentionDays * 24 * 60 * 60 * 1_000;

/**
 * The span of time that a request is about, inside that for which events are kept.
 * @throws 400 INVALID_PARAM for a span that is out of bounds.
 */
export function keptSpan(wanted: v.InferOutput<typeof keptSpanBody>, now: Date): KeptSpan {
  const since = Date.parse(wanted.since);
  const until = typeof wanted.until === "string" ? Date.parse(wanted.until) : now.getTime();
  if (since > now.getTime()) throw invalidParam("since", "'since' must not be in the future.");
  if (until > now.getTime()) {
    throw invalidParam("until", "'until' must not be in the future. Leave it out for now.");
  }
  if (since < now.getTime() - retentionMs) {
    throw invalidParam(
      "since",
      `'since' must be at most ${limits.eventRetentionDays} days ago: events are kept no longer.`,
    );
  }
  if (since >= until) throw invalidParam("since", "'since' must be before 'until'.");
  return { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
}
