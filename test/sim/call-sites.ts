import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const filePattern = /\/((?:shared|functions|tools\/(?:reconcile|migrations))\/[\w./-]+\.ts)$/;
/** The file through which all requests to DynamoDB pass. */
const wrapper = "shared/aws/table/versioned-client.ts";

/**
 * Returns the place in product code that sends the current request, as `file:line`; `unknown` if
 * the call stack contains no product code.
 */
export function callSite(): string {
  const { stackTraceLimit } = Error;
  const { value: prepareStackTrace } = Object.getOwnPropertyDescriptor(
    Error,
    "prepareStackTrace",
  ) ?? { value: undefined };
  Error.stackTraceLimit = 20;
  Error.prepareStackTrace = (_, frames) => frames;
  const frames = new Error("here").stack as unknown as readonly NodeJS.CallSite[];
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  for (const frame of frames) {
    const found = filePattern.exec(frame.getFileName() ?? "");
    if (found !== null && found[1] !== wrapper) return `${found[1]}:${frame.getLineNumber()}`;
  }
  return "unknown";
}

/** Files of `shared/aws` whose lines are not call sites. */
const excludedFiles: ReadonlySet<string> = new Set([
  // Only health checks send the read in this file, and the simulation runs no health check.
  "accounts/table-check.ts",
  // A back-test becomes a job if it exceeds a limit of one call. Simulated watchlists are too small
  // for this.
  "queues/backtest-queue.ts",
  "backtest/backtest-store.ts",
  // The simulation replaces these ports, which serve the event bus, customers' systems and sources.
  "event-bus/event-bus.ts",
  "exports/customer-bucket.ts",
  "sources/rate-budget.ts",
  "exports/role-credentials.ts",
  "sources/parameters.ts",
  "sources/secrets-manager.ts",
  // The sources write their health after a read. The simulated sources do not.
  "sources/health-store.ts",
]);

/** Requests that no scenario sends. Each is identified by a string close to it in the code. */
const excludedNearText: readonly string[] = [
  // Only commands of operators send these requests, to set automatic top-ups and to create
  // accounts.
  "SET auto_topup",
  "TransactItems: rows.map((row) => ({",
  // This request needs more delivery targets at the same time than a simulated account has.
  "SET due_at = :due REMOVE lease, lease_until",
  // Batches of the simulation have at most three small items. Only the items of a larger batch are
  // in separate rows, which a discard reads.
  "Key: keyOf({ runId, step, batch }, { attempt, chunk }),",
  // This request needs a watchlist with more than 500 runs.
  "async forget(watchlistId, runNumber)",
];

const nearbyLines = { before: 14, after: 24 } as const;

/**
 * Returns the places in `shared/aws` that send requests to AWS, as `file:line`. Leaves out the
 * places that no scenario can reach.
 * @throws Error if an excluded file or text no longer has a call site
 */
export function allCallSites(): readonly string[] {
  const unused = new Set([...excludedFiles, ...excludedNearText]);
  const isExcluded = (file: string, nearby: string): boolean => {
    const texts = excludedNearText.filter((text) => nearby.includes(text));
    const reasons = excludedFiles.has(file) ? [file, ...texts] : texts;
    for (const reason of reasons) unused.delete(reason);
    return reasons.length > 0;
  };
  const folder = join(root, "shared/aws");
  const sites = globSync("*/*.ts", { cwd: folder })
    .toSorted()
    .flatMap((file) => {
      const lines = readFileSync(join(folder, file), "utf8").split("\n");
      return lines.flatMap((line, n) => {
        if (!/\.send\(/.test(line)) return [];
        const nearby = lines.slice(n - nearbyLines.before, n + nearbyLines.after).join("\n");
        return isExcluded(file, nearby) ? [] : [`shared/aws/${file}:${n + 1}`];
      });
    });
  if (unused.size > 0) {
    throw new Error(
      `These exclusions in test/sim/call-sites.ts match no call site: ${[...unused].join(", ")}. Correct or delete them.`,
    );
  }
  return sites;
}
