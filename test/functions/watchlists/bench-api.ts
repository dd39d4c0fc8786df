import { groupHandler } from "../../../functions/http/group-handler.ts";
import { watchlistRoutes } from "../../../functions/watchlists/handler.ts";
import { hashApiKey } from "../../../shared/accounts/api-key.ts";
import { dynamoDailyBudgetStore } from "../../../shared/aws/accounts/daily-budget-store.ts";
import { dynamoBacktestStore } from "../../../shared/aws/backtest/backtest-store.ts";
import { cachedStockStore } from "../../../shared/aws/watchlists/cached-stock.ts";
import { dynamoIdempotencyStore } from "../../../shared/aws/watchlists/idempotency-store.ts";
import { dynamoPurgeStore } from "../../../shared/aws/watchlists/purge-store.ts";
import type { RunQueue } from "../../../shared/runs/run-queue.ts";
import { anAccount } from "../../support/an-account.ts";
import { admittedAccounts, type Answer, groupCaller } from "../../support/group-api.ts";
import { loggedLines } from "../../support/log-lines.ts";
import { expectDocumented } from "../../support/openapi.ts";
import type { RunBench } from "../../support/run-bench.ts";

/** The account whose key the service does not know. */
export const unknownAccount = "acct_unknown";

export interface BenchCall {
  /** The part of the path after `/v1/watchlists/`. Empty for the list of watchlists. */
  readonly path: string;
  readonly account: string;
  readonly body?: unknown;
  readonly query?: Record<string, string> | undefined;
  /** The queue that receives wake-up messages. */
  readonly queue?: RunQueue | undefined;
  /** The daily budget of the account, for its forecasts. */
  readonly budget?: number;
}

/**
 * Calls a route of the watchlists on the tables of a run bench. The response must match the OpenAPI
 * document.
 */
export async function callOnBench(
  bench: RunBench,
  method: "GET" | "POST",
  { path, account, body, query = {}, queue = bench.queue, budget }: BenchCall,
): Promise<Answer> {
  const admitted = admittedAccounts();
  const unknownHash = hashApiKey(admitted.keyOf(unknownAccount));
  const options = { table: bench.table.name, clock: bench.clock, random: bench.random };
  const handler = groupHandler({
    group: "watchlists",
    routes: watchlistRoutes,
    dependencies: {
      ...bench,
      ...bench.sources,
      queue,
      cancels: { send: async () => {} },
      backtests: dynamoBacktestStore(bench.table.client, options),
      backtestQueue: { send: async () => {} },
      stockItems: cachedStockStore({ client: bench.table.client, ...options }, bench.pages),
      keys: dynamoIdempotencyStore(bench.table.client, options),
      purges: dynamoPurgeStore(bench.table.client, options),
      schedules: { put: async () => {}, remove: async () => {} },
      budgets: dynamoDailyBudgetStore(bench.table.client, {
        ...options,
        accountsTable: bench.accountsTable,
        ledgerTable: bench.accountsTable,
        usage: { daily: async () => [] },
      }),
      accounts: {
        get: async (id: string) => anAccount({ id, dailyCreditBudget: budget ?? null }),
        admit: async (hash: string) =>
          hash === unknownHash ? ({ outcome: "unknown" } as const) : admitted.accounts.admit(hash),
      },
      logger: loggedLines("watchlists").logger,
      warn: () => {},
      readHealth: async () => new Map(),
    },
  });
  const ask = groupCaller(handler, admitted.keyOf);
  const called = path === "" ? "watchlists" : `watchlists/${path}`;
  const answer = await ask(method, called, { body, query, account });
  expectDocumented(`${method} /v1/${called}`, answer.status, answer.body);
  return answer;
}
