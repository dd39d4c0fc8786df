import { expect, it } from "vitest";
import { dynamoDailyBudgetStore } from "../../../shared/aws/accounts/daily-budget-store.ts";
import { dynamoUsageStore } from "../../../shared/aws/accounts/usage-store.ts";
import { type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

/** CRASH_STEP=1 tests every call at which the process can die, instead of every 6th. */
const step = Number(process.env["CRASH_STEP"] ?? 6);
const tables = openTables();
const skus = ["9000001", "9000002", "9000003", "9000004"];
const fields = { price: { amount: 1, currency: "USD" } };

/** Returns the daily budgets of accounts, in a process that shares no cache with the run engine. */
function budgetsOf({ accountsTable, clock, random, table }: RunBench) {
  const options = { accountsTable, ledgerTable: accountsTable, clock, random };
  const usage = dynamoUsageStore(table.client, options);
  return dynamoDailyBudgetStore(table.client, { ...options, usage });
}

it("a watchlist never exceeds its daily budget and loses no credits if the process of its run dies at any external call", async () => {
  let calls = Infinity;
  for (let call = 1; call <= calls; call += step) {
    for (const when of ["before", "after"] as const) {
      const bench = await startRunBench({ tables, credits: 1_000 });
      const list = await bench.createList(skus, { dailyCreditBudget: 6 });
      bench.answers.product = () => ({ status: "ok", fields });
      const at = `crash ${when} call ${call}`;
      await bench.run(list, { call, when });
      calls = Math.min(calls, bench.calls());
      const day = bench.clock.now();
      const used = await budgetsOf(bench).usedByWatchlists(list.accountId, [list.id], day);
      expect(used.get(list.id), at).toBe(4);
      bench.clock.advance(3_600_000);
      await bench.run(list);
      expect(await bench.account(), at).toMatchObject({ balance: 996, held: 0 });
    }
  }
});
