import type { WrittenVersions } from "../../shared/base/stored-versions.ts";
import { storedVersionsVariable } from "../environment.ts";

/**
 * Returns which versions of rows and objects this process writes, from its environment.
 * @throws Error if the variable is set to another value
 */
export function writtenVersions(
  source: Readonly<Record<string, string | undefined>> = process.env,
): WrittenVersions {
  const value = source[storedVersionsVariable] ?? "current";
  if (value === "current" || value === "previous") return value;
  throw new Error(`${storedVersionsVariable} must be current or previous (got "${value}")`);
}
