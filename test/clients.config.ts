import { defineConfig } from "vitest/config";
import { filesOf, testOptions } from "./test-options.ts";

/**
 * Tests the clients that generators create from the OpenAPI document. Installs packages from npm
 * and PyPI.
 */
export default defineConfig({
  test: {
    ...testOptions,
    ...filesOf.clients,
    globalSetup: [testOptions.globalSetup, "test/clients/end-to-end/install-python.ts"],
  },
});
