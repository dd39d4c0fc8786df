import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const filePattern = /\/((?:shared|functions)\/[\w./-]+\.ts)$/;

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

/** Code that only operators' commands run, or that never runs below these handlers. */
const elsewhere: ReadonlySet<string> = new Set([
  "accounts-reader.ts",
  "books-reader.ts",
  "credit-changes.ts",
  "deliveries-reader.ts",
  "lists-reader.ts",
  // What leaves to customers and sources stands behind ports of its own here.
  "customer-bucket.ts",
  "rate-budget.ts",
  "role-credentials.ts",
  "secret-reader.ts",
]);

/** Every place in the adapters that sends a request to AWS. */
export function allCallSites(): readonly string[] {
  const files = globSync("shared/aws/*.ts", { cwd: root }).toSorted();
  return files.flatMap((file) =>
    elsewhere.has(file.slice("shared/aws/".length))
      ? []
      : readFileSync(join(root, file), "utf8")
          .split("\n")
          .flatMap((line, n) => (/\.send\(/.test(line) ? [`${file}:${n + 1}`] : [])),
  );
}
