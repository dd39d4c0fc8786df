import { LongestFirst } from "./support/longest-first.ts";

const hangsAfterMs = 600_000;

/** What holds for every run of tests. */
export const testOptions = {
  root: new URL("..", import.meta.url).pathname,
  // Real servers start in most files: two at a time is what two cores carry.
  maxWorkers: 2,
  sequence: { sequencer: LongestFirst },
  // Only what hangs is stopped: on a busy machine a test may take many times as long as usual.
  testTimeout: hangsAfterMs,
  hookTimeout: hangsAfterMs,
  expect: { poll: { timeout: hangsAfterMs / 10 } },
  env: {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    POWERTOOLS_LOG_LEVEL: "SILENT",
  },
};
