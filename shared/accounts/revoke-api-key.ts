import { conflict, notFound } from "../base/errors.ts";
import { isId } from "../base/ids.ts";
import type { ApiKeyStore } from "./api-key-store.ts";

/**
 * Ends one of the account's keys.
 * @throws 409 CONFLICT for the key that makes the call, so that nobody locks themselves out; 404
 * NOT_FOUND, the same for a missing key and for one of another account.
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
