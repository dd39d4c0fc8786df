import { conflict, notFound } from "../base/errors.ts";
import { isId } from "../base/ids.ts";
import type { ApiKeyStore } from "./api-key-store.ts";

/**
 * Revokes an API key of an account permanently.
 * @throws 409 CONFLICT for the key of the current call, so that a client cannot lose its last
 * access; 404 NOT_FOUND if the account has no such active key
 */
export async function revokeApiKey(
  wanted: {
    readonly accountId: string;
    readonly keyId: string;
    readonly callingKeyId: string;
    readonly now: Date;
  },
  keys: ApiKeyStore,
): Promise<void> {
  if (wanted.keyId === wanted.callingKeyId) {
    throw conflict("A key cannot revoke itself. Use another key of the account for this call.");
  }
  const { accountId, keyId, now } = wanted;
  const ended = isId("apiKey", keyId) && (await keys.revoke(accountId, keyId, now));
  if (!ended) throw notFound("This API key", "List the keys of the account with GET /v1/api_keys.");
}
