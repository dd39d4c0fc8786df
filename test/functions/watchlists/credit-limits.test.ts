import { beforeEach, describe, expect, it } from "vitest";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";
import { callOnBench } from "./bench-api.ts";

const tables = openTables();
const ids = ["9000001", "9000002", "9000003"];
let bench: RunBench;
let lists = 0;

/** Creates a watchlist with an ID of the form that the API accepts. */
function createList(limits: Partial<Watchlist> = {}): Promise<Watchlist> {
  lists += 1;
  return bench.createList(ids, { id: `wl_${String(lists).padStart(24, "0")}`, ...limits });
}

beforeEach(async () => {
  bench = await startRunBench({ tables });
  bench.answers.product = () => ({
    status: "ok",
    fields: { price: { amount: 5, currency: "USD" } },
  });
});

const read = async ({ id, accountId: account }: Watchlist) =>
  (await callOnBench(bench, "GET", { path: id, account })).body;

describe("a watchlist in an API answer", () => {
  it("shows the credits that its runs used of its daily budget on this UTC day", async () => {
    const list = await createList({ dailyCreditBudget: 10 });
    expect(await read(list)).toMatchObject({ daily_credits_used: 0 });
    await bench.run(list);
    expect(await read(list)).toMatchObject({ daily_credits_used: 3 });
    const { body } = await callOnBench(bench, "GET", { path: "", account: list.accountId });
    expect(body["data"]).toMatchObject([{ id: list.id, daily_credits_used: 3 }]);
    bench.clock.advance(86_400_000);
    expect(await read(list)).toMatchObject({ daily_credits_used: 0 });
  });

  it("shows no used credits without a daily budget", async () => {
    const list = await createList();
    expect(await read(list)).toMatchObject({ daily_credits_used: null, blocked_by_limit: null });
  });

  it.each([
    [{ maxCreditsPerRun: 2 }, "max_credits_per_run"],
    [{ dailyCreditBudget: 2 }, "daily_credit_budget"],
    [{ maxCreditsPerRun: 3, dailyCreditBudget: 3 }, null],
  ] as const)("with the limits %j shows that %s blocks its items", async (limits, blocking) => {
    const list = await createList(limits);
    expect(await read(list)).toMatchObject({ blocked_by_limit: blocking });
  });
});
