import { LongestFirst } from "./support/longest-first.ts";

/** What holds for every run of tests. */
export const testOptions = {
  root: new URL("..", import.meta.url).pathname,
  // Real servers start in most files: two at a time is what two cores carry.
  maxWorkers: 2,
  sequence: { sequencer: LongestFirst },
  testTimeout: 60_000,
  hookTimeout: 60_000,
  env: {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    POWERTOOLS_LOG_LEVEL: "SILENT",
  },
};
