import { concurrencyFor, nextTier } from "../../shared/accounts/account.ts";
import { assert } from "../../shared/base/assert.ts";
import { route } from "../http/route.ts";
import type { AccountDependencies } from "./handler.ts";

/** `GET /v1/account` (specification, section "Account"). */
export const getRoute = route<AccountDependencies>({
  async handle({ caller }, { accounts, endpoints }) {
    const [account, endpointCount] = await Promise.all([
      accounts.get(caller.accountId),
      endpoints.countEndpoints(caller.accountId),
    ]);
    assert(account !== undefined, "a key belongs to an account that exists");
    const next = nextTier(account.lifetime);
    return {
      status: 200,
      body: {
        object: "account",
        id: account.id,
        name: account.name,
        email: account.email,
        credit_balance: account.balance,
        lifetime_credits: account.lifetime,
        credits_spent: account.spent,
        concurrency: {
          limit: concurrencyFor(account.lifetime),
          in_flight: account.inFlight,
          next_tier:
            next === null
              ? null
              : { concurrency: next.concurrency, at_lifetime_credits: next.atLifetimeCredits },
        },
        auto_topup: null,
        webhook_endpoints: endpointCount,
        api_key: { id: caller.keyId, name: caller.keyName, prefix: caller.keyPrefix },
        created_at: account.createdAt,
      },
    };
  },
});
