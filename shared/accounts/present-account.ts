import type { InferOutput } from "valibot";
import { type AccountForecast, presentAccountForecast } from "../credits/forecast.ts";
import { type Account, concurrencyFor, nextTier } from "./account.ts";
import type { accountResponse } from "./account-schema.ts";
import type { KeyOwner } from "./account-store.ts";

interface AccountContext {
  /** The API key of the current call. */
  readonly key: KeyOwner;
  readonly webhookEndpoints: number;
  readonly s3ExternalId: string;
  /** Credits charged on this UTC day. */
  readonly spentToday: number;
  /** Credits that count towards the daily budget on this UTC day: charges and open holds. */
  readonly usedToday: number;
  readonly forecast: AccountForecast;
}

/**
 * Converts an account, with the API key of the call, its endpoint count, today's credit use and its
 * forecast, to its form in API responses.
 */
export function presentAccount(
  account: Account,
  { key, webhookEndpoints, s3ExternalId, spentToday, usedToday, forecast }: AccountContext,
): InferOutput<typeof accountResponse> {
  const { lifetime, autoTopUp, dailyCreditBudget: budget } = account;
  const next = nextTier(lifetime);
  return {
    object: "account",
    id: account.id,
    name: account.name,
    email: account.email,
    credit_balance: account.balance,
    credits_held: account.held,
    lifetime_credits: lifetime,
    credits_spent: account.spent,
    concurrency: {
      limit: concurrencyFor(lifetime),
      in_flight: account.inFlight,
      next_tier:
        next === null
          ? null
          : { concurrency: next.concurrency, at_lifetime_credits: next.atLifetimeCredits },
    },
    daily_credit_budget: budget,
    daily_credits_left: budget === null ? null : Math.max(0, budget - usedToday),
    credits_spent_today: spentToday,
    forecast: presentAccountForecast(forecast),
    auto_topup:
      autoTopUp === null
        ? null
        : {
            enabled: autoTopUp.enabled,
            threshold_credits: autoTopUp.thresholdCredits,
            pack_id: autoTopUp.packId,
          },
    webhook_endpoints: webhookEndpoints,
    s3_external_id: s3ExternalId,
    api_key: {
      id: key.keyId,
      name: key.keyName,
      prefix: key.keyPrefix,
      scopes: [...key.scopes],
    },
    created_at: account.createdAt,
  };
}
