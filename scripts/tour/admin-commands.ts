import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TourTarget } from "./runs.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Creates a function that runs `npm run admin` and returns its JSON output. The function rejects if
 * the exit code is not 0. `flags` and `variables` select the stage or local world. `root` is the
 * folder of the release whose command runs.
 */
export function adminCommands(
  flags: readonly string[],
  variables: Readonly<Record<string, string>>,
  root = project,
): TourTarget["admin"] {
  const admin = join(root, "scripts/admin.ts");
  return async (...command) => {
    const { stdout } = await promisify(execFile)(process.execPath, [admin, ...command, ...flags], {
      env: { ...process.env, ...variables },
    });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
}
