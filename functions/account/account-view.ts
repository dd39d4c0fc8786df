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
  const { accounts, endpoints, budgets } = dependencies;
  const { accountId } = caller;
  const [stored, webhookEndpoints, usedToday] = await Promise.all([
    accounts.getWithUsage(accountId, dayOf(now)),
    endpoints.countEndpoints(accountId),
    budgets.used(accountId, now),
  ]);
  assert(stored !== undefined, "the account of an API key must exist");
  const { account, creditsCharged: spentToday } = stored;
  const s3ExternalId = externalIdOf(account.id);
  const forecast = await forecastAccount({ ...account, usedToday, accountId, now }, dependencies);
  return presentAccount(account, {
    key: caller,
    webhookEndpoints,
    s3ExternalId,
    spentToday,
    usedToday,
    forecast,
  });
}
