import type { Clock } from "../../base/clock.ts";
import type { SecretReader } from "../../base/secret-reader.ts";
import { type SecretReference, secretReference } from "../../sources/contract/secret-reference.ts";

const cacheMs = 5 * 60 * 1_000;

/**
 * Reads a text value from a store of secrets by its name or ARN. Resolves to undefined if the store
 * returns no text.
 */
export type ReadStored = (name: string) => Promise<string | undefined>;

/** The stores from which secrets are read. */
export interface SecretStores {
  readonly secretsManager: ReadStored;
  readonly parameters: ReadStored;
  /**
   * Environment variables to which references may refer, on a developer's machine.
   * @default no variables
   */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

interface CachedSecret {
  readonly value: Promise<string>;
  readonly until: number;
}

/**
 * Creates a reader of secrets from Secrets Manager, of parameters from SSM and, if
 * `stores.variables` is present, of environment variables. Removes line breaks from the end of a
 * value. Caches each value for five minutes. Parallel reads of a secret share one request. Does not
 * cache failures. A read rejects if the reference is malformed, the value cannot be read, or the
 * value is empty.
 */
export function secretReader(stores: SecretStores): SecretReader {
  const cache = new Map<string, CachedSecret>();
  return {
    async read(reference) {
      const now = stores.clock.now().getTime();
      const cached = cache.get(reference);
      if (cached !== undefined && cached.until > now) return cached.value;
      const value = readSecret(reference, stores);
      cache.set(reference, { value, until: now + cacheMs });
      value.catch(() => cache.delete(reference));
      return value;
    },
  };
}

async function readSecret(reference: string, stores: SecretStores): Promise<string> {
  const parsed = secretReference(reference);
  if (parsed === null) {
    throw new Error(
      "The reference to a source's secret must be an ARN, the name of an SSM parameter that begins with /, or env:NAME. " +
        "The message does not show the reference, because it may be the secret itself.",
    );
  }
  let value: string | undefined;
  try {
    // A secret that was stored from a file often ends with a line break.
    value = (await valueOf(parsed, stores))?.replace(/[\r\n]+$/, "");
  } catch (error) {
    // Omits the store's message, because it may quote the request.
    const why = error instanceof Error ? error.name : "unknown";
    // oxlint-disable-next-line preserve-caught-error -- see above
    throw new Error(
      `The secret ${reference} could not be read (${why}). ` +
        "Check that it exists and that the function may read it.",
    );
  }
  if (value === undefined || value === "")
    throw new Error(`The secret ${reference} is empty. Store its value.`);
  return value;
}

async function valueOf(
  reference: SecretReference,
  stores: SecretStores,
): Promise<string | undefined> {
  switch (reference.kind) {
    case "secret":
      return stores.secretsManager(reference.arn);
    case "parameter":
      return stores.parameters(reference.name);
    case "variable":
      if (stores.variables === undefined)
        throw new RangeError(
          `The secret reference env:${reference.name} works only on a developer's machine. Use the ARN of a secret, or the name of an SSM parameter.`,
        );
      return stores.variables[reference.name];
    default:
      return reference satisfies never;
  }
}
