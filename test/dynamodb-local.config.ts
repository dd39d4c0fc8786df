import { defineConfig } from "vitest/config";
import { storeTests } from "./support/store-tests.ts";
import config from "./vitest.config.ts";

/** The tests of the stores against DynamoDB Local, which takes its time: with less of each load. */
export default defineConfig({
  test: {
    ...config.test,
    include: [...storeTests],
    globalSetup: "test/support/dynamodb-local.ts",
    env: {
      ...config.test?.env,
      FEED_RUNS: "10",
      LEDGER_FAULT_RUNS: "20",
      LEDGER_SLOTS: "20",
      PAGE_RUNS: "8",
    },
  },
});
