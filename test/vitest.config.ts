import { defineConfig } from "vitest/config";
import { testOptions } from "./test-options.ts";

/** Modules there keep nothing between calls: their files share them, and load the CDK and the SDK once. */
const stateless = ["test/lib/**/*.test.ts", "test/shared/**/*.test.ts"];
/** They need more than npm: `npm run test:dashboard` and `npm run test:clients`. */
const withMore = ["test/dashboard/**", "test/clients/**"];

export default defineConfig({
  test: {
    ...testOptions,
    globalSetup: "test/support/dynamodb.ts",
    projects: [
      { extends: true, test: { name: "stateless", include: stateless, isolate: false } },
      {
        extends: true,
        // Functions keep their clients for as long as their process lives.
        test: {
          name: "processes",
          include: ["test/**/*.test.ts"],
          exclude: [...stateless, ...withMore],
        },
      },
    ],
  },
});
