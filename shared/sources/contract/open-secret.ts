import type { SecretReader } from "../../base/secret-reader.ts";
import type { SecretUse } from "./secret-reference.ts";

/**
 * Opens a secret whenever it is needed; null where it cannot be opened, of which the operator has
 * been told. A source is not asked without its secret, so that its items are unavailable.
 */
export type OpenSecret = () => Promise<string | null>;

/** `tell` is what an operator hears by; an error of the reader names the reference only. */
export const openSecret =
  ({ reference }: SecretUse, secrets: SecretReader, tell: (problem: string) => void): OpenSecret =>
  async () => {
    try {
      return await secrets.read(reference);
    } catch (error) {
      tell(error instanceof Error ? error.message : `The secret ${reference} could not be read`);
      return null;
    }
  };
