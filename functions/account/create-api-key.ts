import { newApiKeyBody } from "../../shared/accounts/api-key-schema.ts";
import { createApiKey } from "../../shared/accounts/create-account.ts";
import { missingScopes } from "../../shared/accounts/scopes.ts";
import { scopesNotHeld } from "../../shared/base/errors.ts";
import { presentApiKey } from "../../shared/accounts/present-api-key.ts";
import { route } from "../http/route.ts";
import type { AccountDependencies } from "./dependencies.ts";

/** `POST /v1/api_keys`. Only this response contains the complete key. */
export const createApiKeyRoute = route<AccountDependencies, typeof newApiKeyBody>({
  body: newApiKeyBody,
  async handle({ caller, body: { name, scopes } }, dependencies) {
    const missing = missingScopes(scopes, caller.scopes);
    if (missing.length > 0) throw scopesNotHeld(missing, caller.scopes);
    const account = { id: caller.accountId, demo: caller.demo };
    const { key, ...shown } = await createApiKey({ account, name, scopes }, dependencies);
    return { status: 201, body: { ...presentApiKey(shown), key } };
  },
});
