import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** The paths of installed packages, or the reason why they could not be installed. */
export type PythonPackages =
  | {
      readonly outcome: "installed";
      /** The path of the Python interpreter. */
      readonly python: string;
      /** The folder with the commands of the installed packages. */
      readonly binaries: string;
    }
  | { readonly outcome: "absent"; readonly why: string };

interface PythonEnvironment {
  /** The folder that contains the virtual environments. */
  readonly cache: string;
  /** The name of the virtual environment in that folder. */
  readonly name: string;
  /** The path of a requirements file with exact versions. */
  readonly requirements: string;
}

const installSecondsMax = 300;

/**
 * Installs the packages of a requirements file into a virtual environment. Installs them again only
 * after a change of the file. Returns `installed` with the paths of Python and of the commands, or
 * `absent` with the reason why Python, pip or a package is not available.
 */
export async function installPython({
  cache,
  name,
  requirements,
}: PythonEnvironment): Promise<PythonPackages> {
  const pins = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const folder = join(cache, `${name}-${pins}`);
  const binaries = join(folder, "bin");
  const python = join(binaries, "python");
  const complete = join(folder, "complete");
  if (existsSync(complete)) return { outcome: "installed", python, binaries };
  rmSync(folder, { recursive: true, force: true });
  try {
    await run("python3", ["-m", "venv", folder]);
    await run(python, [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--no-input",
      "--disable-pip-version-check",
      "--requirement",
      requirements,
    ]);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    return { outcome: "absent", why: reasonOf(error) };
  }
  writeFileSync(complete, "");
  return { outcome: "installed", python, binaries };
}

const run = (command: string, words: readonly string[]): Promise<unknown> =>
  promisify(execFile)(command, words, { timeout: installSecondsMax * 1_000 });

/**
 * Describes the failure of a command in one line: its error message, and the last line of its
 * output.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stderr = "stderr" in error && typeof error.stderr === "string" ? error.stderr : "";
  const out = "stdout" in error && typeof error.stdout === "string" ? error.stdout : "";
  const last = `${out}\n${stderr}`
    .split("\n")
    .map((line) => line.trim())
    .findLast((line) => line !== "");
  const [first = ""] = error.message.split("\n");
  return last === undefined || first.includes(last) ? first : `${first}: ${last}`;
}
