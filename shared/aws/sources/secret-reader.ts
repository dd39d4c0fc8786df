import { GetSecretValueCommand, type SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { GetParameterCommand, type SSMClient } from "@aws-sdk/client-ssm";
import type { Clock } from "../../base/clock.ts";
import type { SecretReader } from "../../base/secret-reader.ts";
import { type SecretReference, secretReference } from "../../sources/contract/secret-reference.ts";

const cacheMs = 5 * 60 * 1_000;

export interface SecretStores {
  readonly secretsManager: () => Pick<SecretsManagerClient, "send">;
  readonly parameters: () => Pick<SSMClient, "send">;
  /**
   * Variables that references may name, on a developer's machine.
   * @default - none may be named
   */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

interface Kept {
  readonly value: Promise<string>;
  readonly until: number;
}

/**
 * Reads secrets of Secrets Manager and parameters of SSM, and keeps each for five minutes. Those who
 * want one that is being read wait for that reading; a failure is not kept.
 */
export function secretReader(stores: SecretStores): SecretReader {
  const kept = new Map<string, Kept>();
  return {
    async read(reference) {
      const now = stores.clock.now().getTime();
      const known = kept.get(reference);
      if (known !== undefined && known.until > now) return known.value;
      const value = open(reference, stores);
      kept.set(reference, { value, until: now + cacheMs });
      value.catch(() => kept.delete(reference));
      return value;
    },
  };
}

async function open(reference: string, stores: SecretStores): Promise<string> {
  const parsed = secretReference(reference);
  if (parsed === null) throw new Error("A reference to a secret is of no known form");
  let value: string | undefined;
  try {
    // Whoever stores a secret from a file easily stores the end of its last line too.
    value = (await valueOf(parsed, stores))?.replace(/[\r\n]+$/, "");
  } catch (error) {
    // What a store says is left out: nobody promises that it never quotes what it was given.
    const why = error instanceof Error ? error.name : "unknown";
    // oxlint-disable-next-line preserve-caught-error -- see above
    throw new Error(`The secret ${reference} could not be read: ${why}`);
  }
  if (value === undefined || value === "") throw new Error(`The secret ${reference} is empty`);
  return value;
}

async function valueOf(
  reference: SecretReference,
  stores: SecretStores,
): Promise<string | undefined> {
  switch (reference.kind) {
    case "secret": {
      const command = new GetSecretValueCommand({ SecretId: reference.arn });
      return (await stores.secretsManager().send(command)).SecretString;
    }
    case "parameter": {
      const command = new GetParameterCommand({ Name: reference.name, WithDecryption: true });
      return (await stores.parameters().send(command)).Parameter?.Value;
    }
    case "variable":
      if (stores.variables === undefined) throw new RangeError("variables are not allowed here");
      return stores.variables[reference.name];
    default:
      return reference satisfies never;
  }
}
