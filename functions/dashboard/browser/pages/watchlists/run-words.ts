import type { WatchlistRun } from "../../api/resources.ts";
import { formatCount } from "../../format/numbers.ts";

/**
 * Returns the outcome of a run as a string: `completed: 3 changed, 1 delisted.`, `was skipped.` or
 * `failed.`, followed by the run's error if it has one. For a held run, returns `is held.` and the
 * reason of the brake.
 */
export function outcomeSentence(run: WatchlistRun): string {
  const { status, stats, error } = run;
  const reason = error === null ? "" : ` ${error}`;
  if (status === "insufficient_credits") return `was skipped.${reason}`;
  if (status === "failed") return `failed.${reason}`;
  if (status === "held") return `is held. ${brakeSentence(run)}`;
  const parts = [
    `${formatCount(stats.changed)} changed`,
    ...(stats.new_items > 0 ? [`${formatCount(stats.new_items)} new`] : []),
    ...(stats.delisted > 0 ? [`${formatCount(stats.delisted)} delisted`] : []),
    ...(stats.retry_next_run > 0
      ? [`${formatCount(stats.retry_next_run)} without a complete answer`]
      : []),
  ];
  return `${status}: ${parts.join(", ")}.${reason}`;
}

/**
 * Returns why the brake held a run, and what was decided about the run: `Discarded: The source sent
 * wrong prices.` Returns an empty string for a run that was not held.
 */
export function brakeSentence(run: WatchlistRun): string {
  const { brake } = run;
  if (brake === undefined) return "";
  const counts =
    brake.cause === "source_shape"
      ? shapeSentence(run)
      : `${formatCount(brake.changed_items)} of ${formatCount(brake.read_items)} items changed or were ` +
        `delisted, more than the ${brake.max_changed_percent}% that the brake allows.`;
  if (brake.status === "held") return counts;
  const decision = brake.status === "released" ? "Released" : "Discarded";
  return `${counts} ${brake.reason === null ? `${decision}.` : `${decision}: ${brake.reason}`}`;
}

/** Returns how the shape of the source's answers differs from the shape of its earlier answers. */
function shapeSentence({ source_shape: shape }: WatchlistRun): string {
  if (shape === undefined) return "";
  const { price_factor: factor, price_items: items, lost_fields: lost } = shape;
  const parts = [
    ...(factor === null || items === null
      ? []
      : [`the prices of ${formatCount(items)} items changed by the factor ${factor}`]),
    ...(lost.length === 0 ? [] : [`nearly all items lost the fields ${lost.join(", ")}`]),
  ];
  return `The shape of the source's answers changed: ${parts.join("; ")}.`;
}

/**
 * Returns the duration of a run: `3.2 s`, `12 s`, `3 min 4 s`. Returns "–" for a run in progress.
 */
export function durationWords({ started_at: start, finished_at: end }: WatchlistRun): string {
  if (end === null) return "–";
  const seconds = Math.max(0, (Date.parse(end) - Date.parse(start)) / 1_000);
  const whole = Math.round(seconds);
  if (whole < 10) return `${seconds.toFixed(1)} s`;
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
