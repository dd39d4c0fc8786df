import { defineConfig } from "vitest/config";
import { filesOf, isNightly, nightlyOnly, testOptions } from "./test-options.ts";

/**
 * The environment variables that set the sizes of property tests, and their defaults. The first
 * value is for `npm run test:slow`, the second for NIGHTLY=1.
 */
const sizes = {
  CRASH_STEP: ["5", "1"],
  CRON_RUNS: ["500", "1000"],
  EXPORT_RUNS: ["20", "60"],
  FEED_RUNS: ["20", "60"],
  HISTORY_RUNS: ["8", "20"],
  LEDGER_FAULT_RUNS: ["20", "120"],
  LEDGER_SLOTS: ["100", "250"],
  METAMORPHIC_RUNS: ["1", "3"],
  MODEL_RUNS: ["20", "60"],
  PAGE_RUNS: ["40", "100"],
} as const satisfies Record<string, readonly [perChange: string, nightly: string]>;

const column = isNightly ? 1 : 0;
const env = Object.fromEntries(
  Object.entries(sizes).map(([name, size]) => [name, process.env[name] ?? size[column]]),
);

/** The options of `npm run test:slow`, which runs the slow tests and the property tests. */
export default defineConfig({
  test: {
    ...testOptions,
    ...filesOf.slow,
    exclude: [...nightlyOnly],
    env: { ...testOptions.env, ...env },
  },
});
