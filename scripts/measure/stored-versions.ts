import { storedVersionsVariable } from "../../functions/environment.ts";

const choices = ["current", "next"] as const;
/** Which versions of stored data the measured processes write. */
export type MeasuredVersions = (typeof choices)[number];

/** The command-line option that chooses the versions of stored data. */
export const storedVersionsOption = {
  type: "string",
  value: "<current|next>",
  default: "current",
  about:
    "the context key storedVersions; with `next`, pages have second rows, and archives of small runs are rows",
} as const;

/**
 * Parses the value of the option, and returns the environment variable that makes a process write
 * these versions.
 * @throws Error for any other string
 */
export function storedVersionsEnvironment(text: string): Record<string, string> {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return { [storedVersionsVariable]: choice };
  throw new Error(`--stored-versions must be one of: ${choices.join(", ")} (got "${text}").`);
}
