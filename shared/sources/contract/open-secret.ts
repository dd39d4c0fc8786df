import type { SecretReader } from "../../base/secret-reader.ts";
import type { SecretUse } from "./secret-reference.ts";

/**
 * Opens a secret. Returns null and warns the operator if it cannot be opened. Without its secret a
 * source is not called, and its items are unavailable.
 */
export type OpenSecret = () => Promise<string | null>;

/**
 * Creates an opener that reads the secret at every call. `warn` receives warnings for the operator;
 * an error of the reader names only the reference.
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
