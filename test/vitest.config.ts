import { defineConfig } from "vitest/config";
import { filesOf, testOptions } from "./test-options.ts";

export default defineConfig({
  test: {
    ...testOptions,
    // Node runs the TypeScript files, as in every command of the project. Vite would transform each
    // file and wrap its imports, which takes processor time in each worker.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      { extends: true, test: { ...filesOf.shared, name: "shared", isolate: false } },
      { extends: true, test: { ...filesOf.isolated, name: "isolated" } },
    ],
  },
});
