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
   * Prints the statement `what` as a passed check.
   * @throws Error that contains `what` if `holds` is false
   */
  check(what: string, holds: boolean): void;
  /**
   * Polls `ask` until it returns a result, prints how long that took, and returns the result.
   * @throws Error if there is no result within `seconds`
   */
  wait<T>(what: string, seconds: number, ask: () => Promise<T | undefined>): Promise<T>;
  /** Returns the number of checks so far. */
  readonly checks: () => number;
}

const pauseMs = 100;

/**
 * Creates the narrator of a tour. It writes titles, headings, notes, passed checks and the duration
 * of waits to `out` as lines of text. A check is a statement about the service that must be true.
 * `check` throws Error if the statement is false, and `wait` if there is no result in time.
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
