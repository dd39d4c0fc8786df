import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleEntry, writeBundle } from "../../lib/constructs/function-bundle.ts";

/**
 * Bundles a script as the functions of a deployment are bundled, so that a measurement runs the
 * same code. Deletes the bundle when this process ends.
 * @returns The path of the bundle's first file.
 */
export function bundledScript(script: URL): string {
  const folder = mkdtempSync(join(tmpdir(), "bundled-script-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  writeBundle(script.pathname, folder);
  return join(folder, bundleEntry);
}

/**
 * The options with which Lambda starts Node.js: the old generation of the heap may have 90% of the
 * function's memory, and each semi-space 5%.
 * @param megabytes The memory of the function.
 */
const lambdaHeapOptions = (megabytes: number): string[] => [
  `--max-old-space-size=${Math.floor(megabytes * 0.9)}`,
  `--max-semi-space-size=${Math.floor(megabytes * 0.05)}`,
];

/**
 * Starts a bundled script in a separate process.
 * @param variables Additional environment variables of the process.
 * @param megabytes The memory of the function whose heap limits the process gets. If it is absent,
 * the limits are the defaults of Node.js.
 */
export const startBundled = (
  script: URL,
  variables: Readonly<Record<string, string>>,
  megabytes?: number,
): ChildProcess =>
  fork(bundledScript(script), {
    env: { ...process.env, ...variables },
    execArgv: megabytes === undefined ? [] : lambdaHeapOptions(megabytes),
  });
