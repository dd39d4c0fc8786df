import { KMSClient } from "@aws-sdk/client-kms";
import { kmsSecretBox } from "../../shared/aws/deliveries/secret-box.ts";
import { clientSettings } from "../../shared/aws/sdk/client-settings.ts";
import type { SecretBox } from "../../shared/base/secret-box.ts";
import { client } from "./clients.ts";
import type { Needs } from "../environment.ts";
import { clock, type Overrides } from "./overrides.ts";

const kms = /* @__PURE__ */ client("kms", () => new KMSClient(clientSettings()));

/**
 * Creates the port that encrypts and decrypts customers' secrets with KMS.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const secretBox = (environment: Needs<"SECRETS_KEY_ID">, overrides: Overrides): SecretBox =>
  kmsSecretBox(kms(overrides), { keyId: environment.SECRETS_KEY_ID, clock: clock(overrides) });
