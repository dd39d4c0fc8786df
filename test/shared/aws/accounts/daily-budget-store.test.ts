import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DailyBudgetStore } from "../../../../shared/accounts/daily-budget-store.ts";
import { dynamoDailyBudgetStore } from "../../../../shared/aws/accounts/daily-budget-store.ts";
import { dynamoUsageStore } from "../../../../shared/aws/accounts/usage-store.ts";
import { systemClock, systemRandom } from "../../../../shared/base/system.ts";
import { reserveForCall } from "../../../support/reserve-for-call.ts";
import { type DynamoLedgerWorld, startLedgerWorld } from "../../../support/ledger-world.ts";

let world: DynamoLedgerWorld;
let budgets: DailyBudgetStore;
let accountId: string;
beforeAll(async () => {
  world = await startLedgerWorld();
  const { client, accountsTable, ledgerTable } = world;
  const options = { accountsTable, ledgerTable, clock: systemClock, random: systemRandom };
  const usage = dynamoUsageStore(client, options);
  budgets = dynamoDailyBudgetStore(client, { ...options, usage });
});
beforeEach(async () => {
  accountId = await world.open(26_000);
});

const evening = new Date("2026-03-01T23:59:00Z");
const morning = new Date("2026-03-02T00:01:00Z");

/** Reserves credits for a call. Each call has a separate process. */
const reserve = (holdId: string, credits: number, now = evening) =>
  reserveForCall(world.ledger(), { accountId, holdId, credits, now });

const settle = (holdId: string, credits: number, now = evening) =>
  world.ledger().settle({ accountId, holdId, credits, succeeded: true, now });

describe("a daily budget in DynamoDB", () => {
  it("counts a hold on the UTC day of its reservation, even if the hold is settled on the next day", async () => {
    await budgets.set(accountId, { budget: 100, now: evening });
    await reserve("late", 80);
    expect(await reserve("early", 100, morning)).toEqual({ outcome: "reserved" });
    await settle("late", 30, morning);
    expect(await budgets.used(accountId, evening)).toBe(30);
    expect(await budgets.used(accountId, morning)).toBe(100);
  });

  it("does not count a charge that was canceled", async () => {
    await budgets.set(accountId, { budget: 100, now: evening });
    await reserve("failed", 40);
    await settle("failed", 25);
    await world.ledger().cancel({ accountId, holdId: "failed", now: evening });
    expect(await budgets.used(accountId, evening)).toBe(0);
  });

  it("does not count the credits of a hold that has expired", async () => {
    await budgets.set(accountId, { budget: 100, now: evening });
    await reserve("abandoned", 70);
    await world.ledger().releaseExpired(accountId, new Date("2026-03-02T00:10:00Z"));
    expect(await budgets.used(accountId, evening)).toBe(0);
  });

  it("is not exceeded by processes that have cached an older budget", async () => {
    await budgets.set(accountId, { budget: 100, now: evening });
    const process = world.ledger();
    const hold = {
      accountId,
      slot: true,
      now: evening,
      expiresAt: new Date(evening.getTime() + 60_000),
    };
    const reserveAs = (holdId: string, credits: number) =>
      process.reserve({ ...hold, holdId, credits, source: { requestId: holdId } });
    expect(await reserveAs("a", 40)).toEqual({ outcome: "reserved" });
    await budgets.set(accountId, { budget: 50, now: evening });
    expect(await reserveAs("b", 20)).toMatchObject({ outcome: "over_budget", available: 10 });
    await budgets.set(accountId, { budget: null, now: evening });
    expect(await reserveAs("b", 20)).toEqual({ outcome: "reserved" });
  });

  it("counts no charge of the day twice if the account removes its daily budget and sets a budget again", async () => {
    await budgets.set(accountId, { budget: 100, now: evening });
    await reserve("first", 30);
    await settle("first", 20);
    await budgets.set(accountId, { budget: null, now: evening });
    await reserve("between", 10);
    await settle("between", 10);
    await budgets.set(accountId, { budget: 100, now: evening });
    expect(await budgets.used(accountId, evening)).toBe(30);
  });
});
