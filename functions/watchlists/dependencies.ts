import type { AccountStore } from "../../shared/accounts/account-store.ts";
import type { DailyBudgetStore } from "../../shared/accounts/daily-budget-store.ts";
import type { BacktestStore } from "../../shared/backtest/backtest-store.ts";
import type { RandomSource, Clock } from "../../shared/base/clock.ts";
import type { Warn } from "../../shared/base/best-effort.ts";
import type { HistoryStore } from "../../shared/history/history-store.ts";
import type { RunQueue } from "../../shared/runs/run-queue.ts";
import type { RunStore } from "../../shared/runs/run-store.ts";
import type { StepStore } from "../../shared/runs/step-store.ts";
import type { IdempotencyStore } from "../../shared/watchlists/idempotency.ts";
import type { PageStore, StockStore } from "../../shared/watchlists/page-store.ts";
import type { PurgeStore } from "../../shared/watchlists/purge-store.ts";
import type { Schedules } from "../../shared/watchlists/schedules.ts";
import type { WatchlistStore } from "../../shared/watchlists/watchlist-store.ts";
import type { EndpointLookup } from "../../shared/webhooks/endpoint-store.ts";

export interface WatchlistDependencies {
  readonly accounts: Pick<AccountStore, "get">;
  readonly budgets: Pick<DailyBudgetStore, "used" | "usedByWatchlists">;
  readonly watchlists: WatchlistStore;
  readonly pages: PageStore;
  readonly stockItems: StockStore;
  readonly purges: PurgeStore;
  readonly keys: IdempotencyStore;
  readonly runs: RunStore;
  readonly steps: StepStore;
  readonly queue: RunQueue;
  readonly schedules: Schedules;
  readonly endpoints: EndpointLookup;
  readonly history: Pick<HistoryStore, "item" | "runs" | "runsAt">;
  readonly backtests: Pick<BacktestStore, "get">;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly warn: Warn;
}
