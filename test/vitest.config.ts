import { defineConfig } from "vitest/config";
import { filesOf, testOptions } from "./test-options.ts";

export default defineConfig({
  test: {
    ...testOptions,
    projects: [
      { extends: true, test: { ...filesOf.shared, name: "shared", isolate: false } },
      { extends: true, test: { ...filesOf.isolated, name: "isolated" } },
    ],
  },
});
