import { defineConfig } from "vitest/config";
import { filesOf, testOptions } from "./test-options.ts";

/**
 * The dashboard in a real browser, against separate local worlds: one at a time, because each uses
 * two cores.
 */
export default defineConfig({
  test: {
    ...testOptions,
    maxWorkers: 1,
    ...filesOf.dashboard,
    // A page on a busy machine needs more than the usual second, and a test more than a minute.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
