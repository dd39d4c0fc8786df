import { writtenVersions, type WrittenVersions } from "../../shared/base/stored-versions.ts";
import { storedVersionsVariable } from "../environment.ts";
import type { Overrides } from "./overrides.ts";

/**
 * Returns which versions of rows and objects this process writes: the value of STORED_VERSIONS, or
 * `current` if the variable is not set.
 * @throws Error if the variable has a value that is not in `writtenVersions`
 */
export function configuredVersions(
  source: Readonly<Record<string, string | undefined>> = process.env,
): WrittenVersions {
  const value = source[storedVersionsVariable] ?? "current";
  const known = writtenVersions.find((one) => one === value);
  if (known !== undefined) return known;
  throw new Error(
    `${storedVersionsVariable} must be one of: ${writtenVersions.join(", ")} (got "${value}").`,
  );
}

/**
 * Returns which versions of rows and objects a function writes: those in the overrides, or
 * otherwise the configured ones.
 * @throws Error if STORED_VERSIONS has a value that is not in `writtenVersions`
 */
export const versionsToWrite = (overrides: Overrides): WrittenVersions =>
  overrides.writes ?? configuredVersions();
