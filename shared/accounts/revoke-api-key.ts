import { conflict, type ServiceError, unknownId } from "../base/errors.ts";
import { isId } from "../base/ids.ts";
import type { ApiKeyStore } from "./api-key-store.ts";

/**
 * Revokes an API key of an account permanently.
 * @param revocation.keyId The key to revoke.
 * @param revocation.callingKeyId The key of the current call.
 * @throws 409 CONFLICT if `keyId` is `callingKeyId`, so that a client cannot lose its last access.
 * @throws 404 NOT_FOUND if the account has no such active key.
 */
export async function revokeApiKey(
  revocation: {
    readonly accountId: string;
    readonly keyId: string;
    readonly callingKeyId: string;
    readonly now: Date;
  },
  keys: ApiKeyStore,
): Promise<void> {
  if (revocation.keyId === revocation.callingKeyId) {
    throw conflict(
      `The call uses the key ${revocation.keyId}, which it would revoke. Call with another key of the account.`,
    );
  }
  const { accountId, keyId, now } = revocation;
  const ended = isId("apiKey", keyId) && (await keys.revoke(accountId, keyId, now));
  if (!ended) throw keyNotFound(keyId);
}

/**
 * Builds the error 404 for an unknown key. Does not repeat a string that is not a key ID, because
 * clients may send the secret key by mistake.
 */
const keyNotFound = (keyId: string): ServiceError =>
  unknownId(
    "API key",
    isId("apiKey", keyId) ? keyId : "(not a key ID)",
    "List the keys of the account with GET /v1/api_keys.",
  );
