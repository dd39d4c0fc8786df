/** Reports which step of a command is running. */
export interface Progress {
  /** Announces the next step. */
  begin(step: string): void;
}

interface ProgressOptions {
  /** Milliseconds before the first line, and between lines. Default: 0, which prints every step. */
  readonly everyMs?: number;
  readonly out?: { write(text: string): unknown };
  /** Returns a time in milliseconds. Only differences between two times are used. */
  readonly now?: () => number;
}

/**
 * Creates a reporter that prints the current step of a long command to stderr. If the number of
 * steps is known, each line also estimates the remaining time, from the mean duration of the
 * previous steps.
 * @param steps number of steps; null if it is unknown
 */
export function progressOf(
  steps: number | null,
  { everyMs = 0, out = process.stderr, now = () => performance.now() }: ProgressOptions = {},
): Progress {
  const startedAt = now();
  let printedAt = startedAt;
  let startedCount = 0;
  const left = (): string => {
    if (steps === null || startedCount === 0) return "";
    return `, about ${duration(((now() - startedAt) / startedCount) * (steps - startedCount))} left`;
  };
  return {
    begin(step) {
      const line = `${step}${left()}`;
      startedCount += 1;
      if (now() - printedAt < everyMs) return;
      printedAt = now();
      out.write(`[${startedCount}${steps === null ? "" : `/${steps}`}] ${line}\n`);
    },
  };
}

function duration(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1_000));
  return seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
