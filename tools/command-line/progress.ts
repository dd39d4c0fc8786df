/** Reports which step of a command is running. */
export interface Progress {
  /** Announces the next step. */
  begin(step: string): void;
}

interface ProgressOptions {
  readonly out?: { write(text: string): unknown };
  /** Milliseconds on any scale. */
  readonly now?: () => number;
}

/**
 * Prints the steps of a command that takes long to stderr, each with an estimate of the remaining
 * time: the mean duration of the steps so far, times those that are left.
 */
export function progressOf(
  steps: number,
  { out = process.stderr, now = () => performance.now() }: ProgressOptions = {},
): Progress {
  const startedAt = now();
  let begun = 0;
  return {
    begin(step) {
      const elapsedMs = now() - startedAt;
      const left =
        begun === 0 ? "" : `, about ${duration((elapsedMs / begun) * (steps - begun))} left`;
      begun += 1;
      out.write(`[${begun}/${steps}] ${step}${left}\n`);
    },
  };
}

function duration(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1_000));
  return seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
