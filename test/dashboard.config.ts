import { defineConfig } from "vitest/config";
import { filesOf, testOptions } from "./test-options.ts";

/**
 * Runs the browser tests of the dashboard one file at a time, because the local world and the
 * browser use two cores.
 */
export default defineConfig({
  test: {
    ...testOptions,
    maxWorkers: 1,
    ...filesOf.dashboard,
    globalSetup: [
      testOptions.globalSetup,
      "test/dashboard/browser.ts",
      "test/dashboard/local-world.ts",
    ],
    // On a busy machine, a page needs more than the default second, and a test more than a minute.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
