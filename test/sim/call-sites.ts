import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const filePattern = /\/((?:shared|functions|tools\/reconcile)\/[\w./-]+\.ts)$/;

/** Where in the product's code a request is sent from, as `file:line`. */
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

/** Code that never runs below these handlers. */
const elsewhere: ReadonlySet<string> = new Set([
  // What leaves to customers and sources stands behind ports of its own here.
  "exports/customer-bucket.ts",
  "sources/rate-budget.ts",
  "exports/role-credentials.ts",
  "sources/secret-reader.ts",
]);

/** Single requests that nothing here comes to, by what stands beside them. */
const elsewhereBeside: readonly string[] = [
  // Operators open accounts and set top-ups.
  "SET auto_topup",
  "TransactItems: rows.map((row) => ({",
  // More targets of an account have to be at work at once than it may have here.
  "/** Takes a claim back",
  // A list has to have more than 500 runs.
  "async forget(watchlistId, runNumber)",
];

const linesBeside = { before: 14, after: 24 } as const;

/** Every place in the adapters that sends a request to AWS. */
export function allCallSites(): readonly string[] {
  const files = globSync("shared/aws/*/*.ts", { cwd: root }).toSorted();
  return files
    .filter((file) => !elsewhere.has(file.slice("shared/aws/".length)))
    .flatMap((file) => {
      const lines = readFileSync(join(root, file), "utf8").split("\n");
      return lines.flatMap((line, n) => {
        if (!/\.send\(/.test(line)) return [];
        const beside = lines.slice(n - linesBeside.before, n + linesBeside.after).join("\n");
        return elsewhereBeside.some((text) => beside.includes(text)) ? [] : [`${file}:${n + 1}`];
      });
    });
}
