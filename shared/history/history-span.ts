import { invalidParam } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import type { HistorySpan } from "./history.ts";
import { historyStart } from "./kept-history.ts";

/** The span of a request: ISO 8601 times with a zone, each of them optional. */
export interface RequestedSpan {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/**
 * Checks the time span of a request for history, and returns the span with both times. An absent
 * `until` becomes `now`. An absent `since` becomes the time `defaultDays` days before `until`, or
 * the start of the kept history if that is later.
 * @throws 400 INVALID_PARAM if a time is in the future or before the start of the kept history, or
 * if `since` is not before `until`
 */
export function historySpan(
  requested: RequestedSpan,
  { now, defaultDays }: { readonly now: Date; readonly defaultDays: number },
): HistorySpan {
  const start = historyStart(now);
  const until = timeOf(requested.until) ?? now.toISOString();
  const since = timeOf(requested.since) ?? later(daysBefore(until, defaultDays), start);
  const times = { since: requested.since, until: requested.until };
  for (const [name, time] of [
    ["until", until],
    ["since", since],
  ] as const) {
    if (times[name] === undefined) continue;
    if (time > now.toISOString()) {
      const remedy =
        name === "until" ? "Omit it for the current time." : "Send an earlier 'since'.";
      throw invalidParam(
        name,
        `'${name}' must not be in the future (got "${times[name]}"). ${remedy}`,
      );
    }
    if (time < start) {
      throw invalidParam(
        name,
        `'${name}' must be at most ${limits.historyDays} days ago, because older history is deleted ` +
          `(got "${times[name]}"). Send a later '${name}'.`,
      );
    }
  }
  if (since >= until) {
    // The default of `since` is before `until`, so the request must have sent `since`.
    throw invalidParam(
      "since",
      `'since' must be before 'until', which is ${until} (got "${times.since}"). Send an earlier 'since'.`,
    );
  }
  return { since, until };
}

const timeOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : new Date(text).toISOString();

const later = (one: string, other: string): string => (one > other ? one : other);

const daysBefore = (time: string, days: number): string =>
  new Date(Date.parse(time) - days * 86_400_000).toISOString();
