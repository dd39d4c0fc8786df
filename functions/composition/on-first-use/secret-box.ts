/**
 * The encryption of the secrets of customers by KMS.
 * The client loads at the first call of the port, so that a cold start does not wait for it.
 */
import type { SecretBox } from "../../../shared/base/secret-box.ts";
import type { Needs } from "../../environment.ts";
import type { Overrides } from "../overrides.ts";
import { portOnFirstUse } from "./port-on-first-use.ts";

/**
 * Creates the port that encrypts and decrypts customers' secrets with KMS. Its client loads at the
 * first call.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function secretBox(environment: Needs<"SECRETS_KEY_ID">, overrides: Overrides): SecretBox {
  return portOnFirstUse(
    async () => (await import("../secret-box.ts")).secretBox(environment, overrides),
    ["seal", "open"],
  );
}
