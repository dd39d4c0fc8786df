import type { SecretReader } from "../../base/secret-reader.ts";
import type { SecretUse } from "./secret-reference.ts";

/**
 * Returns the value of a secret. If the secret cannot be read, warns the operator and returns null.
 * The adapter then does not call its source, and its items are `unavailable`.
 */
export type OpenSecret = () => Promise<string | null>;

/**
 * Creates a function that reads a secret at every call. If the secret cannot be read, the function
 * calls `warn` and returns null. The text for `warn` contains the reference of the secret and never
 * its value.
 */
export const openSecret =
  ({ reference }: SecretUse, secrets: SecretReader, warn: (problem: string) => void): OpenSecret =>
  async () => {
    try {
      return await secrets.read(reference);
    } catch (error) {
      warn(error instanceof Error ? error.message : `The secret ${reference} could not be read`);
      return null;
    }
  };
