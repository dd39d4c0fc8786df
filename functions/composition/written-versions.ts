import { writtenVersions, type WrittenVersions } from "../../shared/base/stored-versions.ts";
import { storedVersionsVariable } from "../environment.ts";

/**
 * Returns which versions of rows and objects this process writes, from the environment variable
 * STORED_VERSIONS: `current` (the default) or `previous`.
 * @param source the environment variables
 * @throws Error for any other value
 */
export function configuredVersions(
  source: Readonly<Record<string, string | undefined>> = process.env,
): WrittenVersions {
  const value = source[storedVersionsVariable] ?? "current";
  const known = writtenVersions.find((one) => one === value);
  if (known !== undefined) return known;
  throw new Error(
    `${storedVersionsVariable} must be ${writtenVersions.join(" or ")} (got "${value}").`,
  );
}
