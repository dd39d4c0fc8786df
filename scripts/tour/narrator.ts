import { setTimeout as delay } from "node:timers/promises";

/** Tells a person at the terminal what happens, and holds each thing it says against a check. */
export interface Narrator {
  title(text: string): void;
  chapter(text: string): void;
  say(line: string): void;
  /** @throws Error naming what was expected, when it does not hold. */
  check(what: string, holds: boolean): void;
  /**
   * Asks again and again until there is an answer, showing that it waits.
   * @throws Error when there is none within `seconds`.
   */
  wait<T>(what: string, seconds: number, ask: () => Promise<T | undefined>): Promise<T>;
  readonly checks: () => number;
}

const pauseMs = 100;

export function narrator(out: NodeJS.WriteStream): Narrator {
  let checks = 0;
  const line = (text: string): void => {
    out.write(`${text}\n`);
  };
  return {
    title: (text) => line(`\n=== ${text} ===`),
    chapter: (text) => line(`\n${text}`),
    say: (text) => line(`    ${text}`),
    check(what, holds) {
      checks += 1;
      if (!holds) throw new Error(`Not so: ${what}`);
      line(`  ✓ ${what}`);
    },
    async wait(what, seconds, ask) {
      const started = Date.now();
      let told = 0;
      for (;;) {
        const answer = await ask();
        const waitedSeconds = (Date.now() - started) / 1_000;
        if (answer !== undefined) {
          line(`    ${what}: there after ${waitedSeconds.toFixed(1)} s`);
          return answer;
        }
        if (waitedSeconds > seconds) throw new Error(`Waited ${seconds} s in vain for ${what}`);
        if (waitedSeconds >= told + 1) {
          told += 1;
          line(`    … waiting for ${what} (${told} s)`);
        }
        await delay(pauseMs);
      }
    },
    checks: () => checks,
  };
}
