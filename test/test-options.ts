import { LongestFirst } from "./support/longest-first.ts";

/** Milliseconds that exceed the duration of any test, even on a busy machine. */
const hangsAfterMs = 600_000;

const slow = ["test/**/*.slow.test.ts", "test/**/*.property.test.ts"];
const dashboard = "test/dashboard/**/*.test.ts";
const clients = "test/clients/end-to-end/**/*.test.ts";
/**
 * These tests change the environment, the limits or the clients of their whole process. Only tests
 * that need a separate process belong here, because each process loads all modules again.
 */
const isolated = [
  "test/functions/{offers,platforms,structured}/**/*.test.ts",
  "test/functions/products/{offers,read,read-sandbox,streaming}.test.ts",
  "test/functions/watchlists/preview-charge.test.ts",
  "test/openapi/answers.test.ts",
  "test/sim/**/*.test.ts",
  "test/tools/local/kill.test.ts",
  "test/world/**/*.test.ts",
];

/** True in `.ci/nightly`, which also runs what takes too long for each change. */
export const isNightly = process.env["NIGHTLY"] === "1";

/**
 * Slow tests that run only at night, because other tests cover most of them for each change: two
 * linters and the project's clients read the OpenAPI document, and a test of the operators' command
 * fills an account as the demo workspace is filled.
 */
const notForEachChange = [
  "test/clients/end-to-end/generated-client.test.ts",
  "test/world/demo-workspace.slow.test.ts",
];
/**
 * The test files that this run leaves out, because they run only with NIGHTLY=1; empty with
 * NIGHTLY=1.
 */
export const nightlyOnly: readonly string[] = isNightly ? [] : notForEachChange;

/**
 * The files of each test run. `npm test` runs `shared`, whose files share the modules of their
 * process, and `isolated`. `npm run test:slow` runs `slow`: the slow tests and the property tests.
 */
export const filesOf = {
  shared: { include: ["test/**/*.test.ts"], exclude: [...isolated, ...slow, dashboard, clients] },
  isolated: { include: isolated, exclude: slow },
  slow: { include: slow, exclude: [] },
  dashboard: { include: [dashboard], exclude: [] },
  clients: { include: [clients], exclude: [] },
};

// A test process spends a quarter of its start compiling modules. The processes share the result.
process.env["NODE_COMPILE_CACHE"] ??= new URL(
  "../node_modules/.cache/compile",
  import.meta.url,
).pathname;

/** The options of every test run. */
export const testOptions = {
  root: new URL("..", import.meta.url).pathname,
  globalSetup: "test/support/dynamodb.ts",
  // A file waits half of its time for a server or a timer, so there may be more workers than cores.
  // The number does not depend on the cores, because most files start real servers.
  maxWorkers: 4,
  sequence: { sequencer: LongestFirst },
  testTimeout: hangsAfterMs,
  hookTimeout: hangsAfterMs,
  expect: { poll: { timeout: hangsAfterMs / 10 } },
  // The default of 40 characters cuts off paths of the API, so different tests have the same name.
  taskTitleValueFormatTruncate: 0,
  env: {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    POWERTOOLS_LOG_LEVEL: "SILENT",
  },
};
