import type { AccountStore } from "../../shared/accounts/account-store.ts";
import type { ApiKeyStore } from "../../shared/accounts/api-key-store.ts";
import type { DailyBudgetStore } from "../../shared/accounts/daily-budget-store.ts";
import type { UsageStore } from "../../shared/accounts/usage-store.ts";
import type { RandomSource, Clock } from "../../shared/base/clock.ts";
import type { CreditHistory } from "../../shared/credits/credit-history.ts";
import type { ForecastDependencies } from "../../shared/runs/forecast-runs.ts";
import type { EndpointLookup } from "../../shared/webhooks/endpoint-store.ts";

/** The dependencies of `GET /v1/account`. */
export interface AccountViewDependencies extends ForecastDependencies {
  readonly accounts: Pick<AccountStore, "getWithUsage">;
  readonly endpoints: Pick<EndpointLookup, "countEndpoints">;
  readonly budgets: Pick<DailyBudgetStore, "used" | "usedByWatchlists">;
}

export interface AccountDependencies extends AccountViewDependencies {
  readonly accounts: AccountStore;
  readonly apiKeys: ApiKeyStore;
  readonly endpoints: EndpointLookup;
  readonly history: CreditHistory;
  readonly usage: UsageStore;
  readonly budgets: DailyBudgetStore;
  readonly clock: Clock;
  readonly random: RandomSource;
}
