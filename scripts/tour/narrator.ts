import { setTimeout as delay } from "node:timers/promises";

/** Prints the steps of a tour, and the result of each check. */
export interface Narrator {
  /** Prints the title of a part of the tour. */
  title(text: string): void;
  /** Prints a heading for the steps that follow. */
  chapter(text: string): void;
  /** Prints an indented line. */
  note(line: string): void;
  /**
   * Prints the result of a check.
   * @throws Error with the check's description if it fails
   */
  check(what: string, holds: boolean): void;
  /**
   * Polls `ask` until it returns a result, prints how long that took, and returns the result.
   * @throws Error if there is no result within `seconds`
   */
  wait<T>(what: string, seconds: number, ask: () => Promise<T | undefined>): Promise<T>;
  /** Returns the number of checks that passed. */
  readonly checks: () => number;
}

const pauseMs = 100;

/**
 * Creates a narrator that prints to a stream and counts the checks. `check` throws Error if the
 * check fails, and `wait` throws Error if the state is not reached in time.
 */
export function createNarrator(out: NodeJS.WriteStream): Narrator {
  let checks = 0;
  const line = (text: string): void => {
    out.write(`${text}\n`);
  };
  return {
    title: (text) => line(`\n=== ${text} ===`),
    chapter: (text) => line(`\n${text}`),
    note: (text) => line(`    ${text}`),
    check(what, holds) {
      checks += 1;
      if (!holds)
        throw new Error(`This check failed: ${what}. The last call above shows the reason.`);
      line(`  ✓ ${what}`);
    },
    async wait(what, seconds, ask) {
      const started = Date.now();
      let printedSeconds = 0;
      for (;;) {
        const answer = await ask();
        const waitedSeconds = (Date.now() - started) / 1_000;
        if (answer !== undefined) {
          line(`    ${what}: after ${waitedSeconds.toFixed(1)} s`);
          return answer;
        }
        if (waitedSeconds > seconds)
          throw new Error(
            `Timed out after ${seconds} s while waiting for ${what}. Check the output of the service.`,
          );
        if (waitedSeconds >= printedSeconds + 1) {
          printedSeconds += 1;
          line(`    … waiting for ${what} (${printedSeconds} s)`);
        }
        await delay(pauseMs);
      }
    },
    checks: () => checks,
  };
}
