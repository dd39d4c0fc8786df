import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TourTarget } from "./runs.ts";

const admin = fileURLToPath(new URL("../admin.ts", import.meta.url));

/**
 * Creates a function that runs `npm run admin` and returns its JSON output. `flags` and `variables`
 * select the world.
 */
export function adminCommands(
  flags: readonly string[],
  variables: Readonly<Record<string, string>>,
): TourTarget["admin"] {
  return async (...command) => {
    const { stdout } = await promisify(execFile)(process.execPath, [admin, ...command, ...flags], {
      env: { ...process.env, ...variables },
    });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
}
