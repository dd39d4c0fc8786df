import { conflict, notFound } from "../base/errors.ts";
import { isId } from "../base/ids.ts";
import type { ApiKeyStore } from "./api-key-store.ts";

/**
 * Revokes an API key of an account.
 * @throws 409 CONFLICT for the key of the call itself, so that a client cannot lose its last access;
 * 404 NOT_FOUND, also for a key of another account.
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
    throw conflict("A key cannot delete itself. Make the call with another key of the account.");
  }
  const { accountId, keyId, now } = wanted;
  const ended = isId("apiKey", keyId) && (await keys.revoke(accountId, keyId, now));
  if (!ended) throw notFound("This API key");
}
