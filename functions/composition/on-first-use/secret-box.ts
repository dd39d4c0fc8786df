/**
 * The encryption of the secrets of customers by KMS.
 * The client loads at the first call of the port, so that a cold start does not wait for it.
 */
import type { SecretBox } from "../../../shared/base/secret-box.ts";
import type { Needs } from "../../environment.ts";
import { once } from "../clients.ts";
import type { Overrides } from "../overrides.ts";

/**
 * Creates the port that encrypts and decrypts customers' secrets with KMS. Its client loads at the
 * first call.
 * @param overrides dependencies that tests replace
 */
export function secretBox(environment: Needs<"SECRETS_KEY_ID">, overrides: Overrides): SecretBox {
  const box = once(async () =>
    (await import("../secret-box.ts")).secretBox(environment, overrides),
  );
  return {
    seal: async (plaintext, context) => (await box()).seal(plaintext, context),
    open: async (ciphertext, context) => (await box()).open(ciphertext, context),
  };
}
