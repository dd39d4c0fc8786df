import { newApiKeyBody } from "../../shared/accounts/api-key-schema.ts";
import { createApiKey } from "../../shared/accounts/create-account.ts";
import { presentApiKey } from "../../shared/accounts/present-api-key.ts";
import { route } from "../http/route.ts";
import type { AccountDependencies } from "./dependencies.ts";

/** `POST /v1/api_keys`. Only this response contains the complete key. */
export const createApiKeyRoute = route<AccountDependencies, typeof newApiKeyBody>({
  body: newApiKeyBody,
  async handle({ caller, body: { name } }, dependencies) {
    const account = { id: caller.accountId, demo: caller.demo };
    const { key, ...shown } = await createApiKey({ account, name }, dependencies);
    return { status: 201, body: { ...presentApiKey(shown), key } };
  },
});
