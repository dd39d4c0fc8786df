import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleEntry, writeBundle } from "../../lib/constructs/function-bundle.ts";

const bundles = new Map<string, string>();
let folder: string | undefined;

/** Returns the folder of all bundles. Deletes it when this process ends. */
function bundleFolder(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), "bundled-scripts-"));
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  folder = made;
  return made;
}

/**
 * Bundles a script as the functions of a deployment are bundled, so that a measurement runs the
 * same code. A repeated call for the same script returns the first bundle.
 * @returns The path of the bundle's first file.
 */
export function bundledScript({ pathname }: URL): string {
  const known = bundles.get(pathname);
  if (known !== undefined) return known;
  const out = join(bundleFolder(), String(bundles.size));
  writeBundle(pathname, out);
  const first = join(out, bundleEntry);
  bundles.set(pathname, first);
  return first;
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
