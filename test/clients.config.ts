import { defineConfig } from "vitest/config";
import { filesOf, testOptions } from "./test-options.ts";

/**
 * Clients that generators make from the OpenAPI document: they install packages of npm and PyPI.
 */
export default defineConfig({
  test: { ...testOptions, ...filesOf.clients },
});
