import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const filePattern = /\/((?:shared|functions|tools\/reconcile)\/[\w./-]+\.ts)$/;

/** Returns the call site in product code of the current request, as `file:line`. */
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
    if (found !== null) return `${found[1]}:${frame.getLineNumber()}`;
  }
  return "unknown";
}

/** Files of `shared/aws` that no simulated handler runs. */
const excludedFiles: ReadonlySet<string> = new Set([
  // The simulation replaces the ports to customers and sources.
  "exports/customer-bucket.ts",
  "sources/rate-budget.ts",
  "exports/role-credentials.ts",
  "sources/secret-reader.ts",
]);

/** Requests that no scenario reaches, identified by text near them. */
const excludedNearText: readonly string[] = [
  // Only operators open accounts and set top-ups.
  "SET auto_topup",
  "TransactItems: rows.map((row) => ({",
  // Needs more concurrent delivery targets than a simulated account has.
  "SET due_at = :now REMOVE lease, lease_until",
  // Needs a watchlist with more than 500 runs.
  "async forget(watchlistId, runNumber)",
];

const nearbyLines = { before: 14, after: 24 } as const;

/** Returns every call site in the adapters that sends a request to AWS. */
export function allCallSites(): readonly string[] {
  const files = globSync("shared/aws/*/*.ts", { cwd: root }).toSorted();
  return files
    .filter((file) => !excludedFiles.has(file.slice("shared/aws/".length)))
    .flatMap((file) => {
      const lines = readFileSync(join(root, file), "utf8").split("\n");
      return lines.flatMap((line, n) => {
        if (!/\.send\(/.test(line)) return [];
        const nearby = lines.slice(n - nearbyLines.before, n + nearbyLines.after).join("\n");
        return excludedNearText.some((text) => nearby.includes(text)) ? [] : [`${file}:${n + 1}`];
      });
    });
}
