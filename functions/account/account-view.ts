import { presentAccount } from "../../shared/accounts/present-account.ts";
import type { KeyOwner } from "../../shared/accounts/account-store.ts";
import { assert } from "../../shared/base/assert.ts";
import { dayOf } from "../../shared/base/day.ts";
import { forecastAccount } from "../../shared/runs/forecast-runs.ts";
import { externalIdOf } from "../../shared/exports/destination.ts";
import type { AccountViewDependencies } from "./dependencies.ts";

/**
 * Reads the account of the caller and its usage on the current UTC day. Returns the account in the
 * form of `GET /v1/account`, with the forecast of its balance.
 * @throws Error if the account does not exist
 */
export async function accountView(
  caller: KeyOwner,
  now: Date,
  dependencies: AccountViewDependencies,
) {
  const { accounts, endpoints, usage, budgets } = dependencies;
  const { accountId } = caller;
  const date = dayOf(now);
  const [account, webhookEndpoints, days, usedToday] = await Promise.all([
    accounts.get(accountId),
    endpoints.countEndpoints(accountId),
    usage.daily(accountId, { from: date, to: date }),
    budgets.used(accountId, now),
  ]);
  assert(account !== undefined, "the account of an API key must exist");
  const s3ExternalId = externalIdOf(account.id);
  const forecast = await forecastAccount({ ...account, usedToday, accountId, now }, dependencies);
  const spentToday = days[0]?.credits ?? 0;
  return presentAccount(account, {
    key: caller,
    webhookEndpoints,
    s3ExternalId,
    spentToday,
    usedToday,
    forecast,
  });
}
