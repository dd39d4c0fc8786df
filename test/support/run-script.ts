import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { root } from "../readme/pages.ts";

/** The exit code and the output of a command that has ended. */
export interface Ended {
  readonly code: unknown;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs a script of the project to its end, in a separate process without input. The process has
 * only the given environment variables, and the compile cache of the test run, which halves its
 * start.
 */
export async function runScript(
  file: string,
  args: readonly string[],
  settings: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string },
): Promise<Ended> {
  const child = spawn(process.execPath, [`${root}${file}`, ...args], {
    ...settings,
    env: { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], ...settings.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<unknown[]>,
  ]);
  return { code, out, err };
}
