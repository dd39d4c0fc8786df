import { presentApiKey } from "../../shared/accounts/present-api-key.ts";
import { route } from "../http/route.ts";
import type { AccountDependencies } from "./dependencies.ts";

/** `GET /v1/api_keys`. Returns all keys of the account, the oldest first. */
export const listApiKeysRoute = route<AccountDependencies>({
  async handle({ caller }, { apiKeys }) {
    const keys = await apiKeys.list(caller.accountId);
    return {
      status: 200,
      body: { object: "list", data: keys.map(presentApiKey), has_more: false },
    };
  },
});
