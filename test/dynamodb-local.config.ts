import { defineConfig } from "vitest/config";
import { storeTests } from "./support/store-tests.ts";
import { testOptions } from "./test-options.ts";

/**
 * Runs the tests of the stores on DynamoDB Local, which is slow, so tests use smaller data sets.
 */
export default defineConfig({
  test: {
    ...testOptions,
    include: [...storeTests],
    globalSetup: "test/support/dynamodb-local.ts",
    env: {
      ...testOptions.env,
      FEED_RUNS: "10",
      LEDGER_FAULT_RUNS: "20",
      LEDGER_SLOTS: "20",
      PAGE_RUNS: "8",
    },
  },
});
