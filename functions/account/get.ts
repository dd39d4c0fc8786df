import { presentAccount } from "../../shared/accounts/present-account.ts";
import { assert } from "../../shared/base/assert.ts";
import { externalIdOf } from "../../shared/exports/destination.ts";
import { route } from "../http/route.ts";
import type { AccountDependencies } from "./dependencies.ts";

/** `GET /v1/account` (specification, section "Account"). */
export const getAccountRoute = route<AccountDependencies>({
  async handle({ caller }, { accounts, endpoints }) {
    const [account, webhookEndpoints] = await Promise.all([
      accounts.get(caller.accountId),
      endpoints.countEndpoints(caller.accountId),
    ]);
    assert(account !== undefined, "a key belongs to an account that exists");
    const s3ExternalId = externalIdOf(account.id);
    return {
      status: 200,
      body: presentAccount(account, { key: caller, webhookEndpoints, s3ExternalId }),
    };
  },
});
