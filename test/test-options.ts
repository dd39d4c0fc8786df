import { LongestFirst } from "./support/longest-first.ts";

const hangsAfterMs = 600_000;

const slow = "test/**/*.slow.test.ts";
const dashboard = "test/dashboard/**/*.test.ts";
const clients = "test/clients/**/*.test.ts";
/** They change what a whole process shares: its environment, its limits, the clients of its functions. */
const isolated = [
  "test/functions/{offers,platforms,products,structured}/**/*.test.ts",
  "test/openapi/**/*.test.ts",
  "test/scripts/admin/**/*.test.ts",
  "test/sim/**/*.test.ts",
  "test/tools/local/kill.test.ts",
  "test/world/**/*.test.ts",
];

/**
 * Which run has which files. `npm test` has `shared`, whose files share the modules of their process, and
 * `isolated`. `npm run test:slow` has the long proofs, and the property tests again with more runs.
 */
export const filesOf = {
  shared: { include: ["test/**/*.test.ts"], exclude: [...isolated, slow, dashboard, clients] },
  isolated: { include: isolated, exclude: [slow] },
  slow: { include: [slow, "test/**/*.property.test.ts"], exclude: [] },
  dashboard: { include: [dashboard], exclude: [] },
  clients: { include: [clients], exclude: [] },
};

/** What holds for every run of tests. */
export const testOptions = {
  root: new URL("..", import.meta.url).pathname,
  globalSetup: "test/support/dynamodb.ts",
  // Two for each of two cores: half of the time a file waits for a server or a timer.
  maxWorkers: 4,
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
