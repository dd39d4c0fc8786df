import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { clientSettings } from "../sdk/client-settings.ts";
import type { ReadStored } from "./secret-reader.ts";

/** Creates a function that reads a secret of Secrets Manager by its ARN. */
export function secretsManagerSecrets(
  client: Pick<SecretsManagerClient, "send"> = new SecretsManagerClient(clientSettings()),
): ReadStored {
  return async (arn) => {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: arn }));
    return SecretString;
  };
}
