import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { installPython, type PythonPackages } from "../python/install.ts";

const cache = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));
const requirements = fileURLToPath(
  new URL("../../test/contract/requirements.txt", import.meta.url),
);

/**
 * Installs the Python programs of the contract checks. Returns the folder with their commands, or
 * the reason why they cannot be installed.
 */
export const installContractPython = (): Promise<PythonPackages> =>
  installPython({ cache, name: "contract", requirements });

/**
 * Runs a command with its output on this terminal. Returns its exit code; 1 if a signal ended it.
 * @param words arguments of the command
 * @throws Error if the command cannot be started
 */
export async function spawnCommand(
  command: string,
  words: readonly string[],
  {
    binaries,
    variables = {},
    cwd,
  }: {
    /** A folder that is searched for commands before the folders of PATH. */
    readonly binaries: string;
    readonly variables?: Readonly<Record<string, string>>;
    readonly cwd?: string;
  },
): Promise<number> {
  const path = `${binaries}${delimiter}${process.env["PATH"] ?? ""}`;
  const child = spawn(command, words, {
    stdio: "inherit",
    env: { ...process.env, ...variables, PATH: path },
    ...(cwd === undefined ? {} : { cwd }),
  });
  await once(child, "exit");
  return child.exitCode ?? 1;
}
