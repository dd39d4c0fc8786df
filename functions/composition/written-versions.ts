import { writtenVersions, type WrittenVersions } from "../../shared/base/stored-versions.ts";
import { storedVersionsVariable } from "../environment.ts";

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
