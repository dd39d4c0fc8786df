import { defineConfig } from "vitest/config";
import { filesOf, nightlyOnly, testOptions } from "./test-options.ts";

/**
 * Tests the clients of the project, and with NIGHTLY=1 also clients that other generators create
 * from the OpenAPI document. Installs packages from npm and PyPI.
 */
export default defineConfig({
  test: {
    ...testOptions,
    ...filesOf.clients,
    exclude: [...nightlyOnly],
    globalSetup: [testOptions.globalSetup, "test/clients/end-to-end/install-python.ts"],
  },
});
