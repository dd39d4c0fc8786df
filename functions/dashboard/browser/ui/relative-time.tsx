import { useEffect, useState } from "preact/hooks";
import { formatDateTime, formatRelative } from "../format/times.ts";

const tickMilliseconds = 15_000;

/**
 * Shows a time such as `3 minutes ago` and keeps it up to date. Shows the exact time on hover, and
 * `none` instead of a null time.
 */
export function RelativeTime({
  time,
  none = "never",
}: {
  /** An ISO 8601 time. If it is null, the component shows the text in `none`. */
  readonly time: string | null;
  readonly none?: string;
}) {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), tickMilliseconds);
    return () => clearInterval(timer);
  }, []);
  if (time === null) return <span class="muted">{none}</span>;
  const date = new Date(time);
  return (
    <time dateTime={time} title={formatDateTime(date)}>
      {formatRelative(date, new Date())}
    </time>
  );
}
