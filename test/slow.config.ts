import { defineConfig } from "vitest/config";
import { filesOf, testOptions } from "./test-options.ts";

/** The long proofs, and the property tests with more runs than in `npm test`. */
export default defineConfig({
  test: {
    ...testOptions,
    ...filesOf.slow,
    env: {
      ...testOptions.env,
      CRASH_STEP: "1",
      CRON_RUNS: "1000",
      EXPORT_RUNS: "60",
      FEED_RUNS: "60",
      HISTORY_RUNS: "20",
      LEDGER_FAULT_RUNS: "120",
      LEDGER_SLOTS: "250",
      METAMORPHIC_RUNS: "3",
      MODEL_RUNS: "60",
      PAGE_RUNS: "100",
    },
  },
});
