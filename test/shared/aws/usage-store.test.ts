import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { UsageStore } from "../../../shared/accounts/usage-store.ts";
import { dynamoUsageStore } from "../../../shared/aws/usage-store.ts";
import type { Ledger } from "../../../shared/credits/ledger.ts";
import { type DynamoLedgerWorld, startLedgerWorld } from "../../support/ledger-world.ts";

let world: DynamoLedgerWorld;
let ledger: Ledger;
let usage: UsageStore;
let accountId: string;
beforeAll(async () => {
  world = await startLedgerWorld();
  ledger = world.ledger();
  usage = dynamoUsageStore(world.client, world.accountsTable);
});
afterAll(() => world.stop());
beforeEach(async () => {
  accountId = await world.open(5_000);
});

/** Billed work that is reserved and settled at that time. */
async function work(holdId: string, time: string, credits: number): Promise<void> {
  const now = new Date(time);
  const expiresAt = new Date(now.getTime() + 60_000);
  const source = { requestId: holdId };
  await ledger.reserve({ accountId, holdId, credits: 10, slot: true, source, now, expiresAt });
  await ledger.settle({ accountId, holdId, credits, succeeded: credits > 0, now });
}

describe("dynamoUsageStore", () => {
  it("counts billed work on its UTC day, in the transaction that settles it", async () => {
    await work("h1", "2026-03-01T00:00:00.000Z", 8);
    // Settled a second time, which changes nothing.
    await work("h1", "2026-03-01T12:00:00.000Z", 8);
    await work("h2", "2026-03-01T23:59:59.999Z", 0);

    expect(await usage.daily(accountId, { from: "2026-03-01", to: "2026-03-01" })).toEqual([
      { date: "2026-03-01", requests: 2, successful: 1, failed: 1, credits: 8 },
    ]);
  });

  it("gives the days from one date to another, both included, oldest first, without idle ones", async () => {
    for (const day of ["05", "02", "04", "01"]) {
      await work(`h${day}`, `2026-03-${day}T12:00:00.000Z`, Number(day));
    }

    const days = await usage.daily(accountId, { from: "2026-03-02", to: "2026-03-04" });
    expect(days.map(({ date, credits }) => [date, credits])).toEqual([
      ["2026-03-02", 2],
      ["2026-03-04", 4],
    ]);
  });

  it("keeps the days of accounts apart", async () => {
    await work("h1", "2026-03-01T12:00:00.000Z", 8);
    const other = await world.open(5_000);

    expect(await usage.daily(other, { from: "2026-01-01", to: "2026-12-31" })).toEqual([]);
  });
});
