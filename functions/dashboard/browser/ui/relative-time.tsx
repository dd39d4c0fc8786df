import { useEffect, useState } from "preact/hooks";
import { formatDateTime, formatRelative } from "../format/times.ts";

const tickMilliseconds = 15_000;

/** `3 minutes ago`, kept up to date; the exact time on hover. */
export function RelativeTime({
  time,
  none = "never",
}: {
  /** ISO 8601; null shows `none`. */
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
