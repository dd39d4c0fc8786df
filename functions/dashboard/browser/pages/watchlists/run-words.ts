import type { WatchlistRun } from "../../api/resources.ts";
import { formatCount } from "../../format/numbers.ts";

/**
 * Returns the outcome of a run as a text: `completed: 3 changed, 1 delisted.`, followed by the
 * run's error if it has one.
 */
export function outcomeSentence({ status, stats, error }: WatchlistRun): string {
  const reason = error === null ? "" : ` ${error}`;
  if (status === "insufficient_credits") return `was skipped.${reason}`;
  if (status === "failed") return `failed.${reason}`;
  const parts = [
    `${formatCount(stats.changed)} changed`,
    ...(stats.new_items > 0 ? [`${formatCount(stats.new_items)} read for the first time`] : []),
    ...(stats.delisted > 0 ? [`${formatCount(stats.delisted)} delisted`] : []),
  ];
  return `${status}: ${parts.join(", ")}.${reason}`;
}

/** Returns the duration of a run: `12 s`, `3 min 4 s`. Returns "–" for a run in progress. */
export function durationWords({ started_at: start, finished_at: end }: WatchlistRun): string {
  if (end === null) return "–";
  const seconds = Math.max(0, (Date.parse(end) - Date.parse(start)) / 1_000);
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
