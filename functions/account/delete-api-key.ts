import { revokeApiKey } from "../../shared/accounts/revoke-api-key.ts";
import { route } from "../http/route.ts";
import type { AccountDependencies } from "./dependencies.ts";

/**
 * `DELETE /v1/api_keys/{id}`. Revokes an API key: the service then refuses all calls with this key.
 */
export const deleteApiKeyRoute = route<AccountDependencies>({
  async handle({ caller, path, now }, { apiKeys }) {
    const { accountId, keyId: callingKeyId } = caller;
    const id = path["id"] ?? "";
    await revokeApiKey({ accountId, keyId: id, callingKeyId, now }, apiKeys);
    return { status: 200, body: { id, object: "api_key", deleted: true } };
  },
});
