import { expect, it } from "vitest";
import { dynamoLedger } from "../../../../shared/aws/ledger/ledger.ts";
import { concurrencyTiers } from "../../../../shared/base/limits.ts";
import { systemRandom, systemClock } from "../../../../shared/base/system.ts";
import { expectLedgerToBalance } from "../../../contracts/ledger.contract.ts";
import { startLedgerWorld } from "../../../support/ledger-world.ts";

/** The number of slots of the account: the number that a concurrency tier has, and at most 250. */
const slots = Number(process.env["LEDGER_SLOTS"] ?? 20);
const now = new Date("2026-03-01T12:00:00Z");
const expiresAt = new Date("2026-03-01T12:01:00Z");

it("concurrent calls of an account each get a slot, and leave the correct balance, if the account has enough slots", async () => {
  const world = await startLedgerWorld();
  const tier = concurrencyTiers.find(({ concurrency }) => concurrency === slots);
  if (tier === undefined) throw new Error(`no tier has ${slots} slots`);
  const granted = tier.atLifetimeCredits;
  const accountId = await world.open(granted);
  const { accountsTable, ledgerTable } = world;
  /**
   * Creates a call in a separate process. The process really waits, but its clock stands still, so
   * a slow machine causes no timeout.
   */
  const newCall = (holdId: string) => {
    const clock = { ...systemClock, now: () => now };
    const options = { accountsTable, ledgerTable, clock, random: systemRandom };
    const ledger = dynamoLedger(world.client, options);
    const hold = { accountId, holdId, now };
    const source = { requestId: holdId };
    return {
      reserve: () => ledger.reserve({ ...hold, credits: 4, slot: true, source, expiresAt }),
      settle: () => ledger.settle({ ...hold, credits: 3, succeeded: true }),
    };
  };
  const calls = Array.from({ length: slots }, (_, n) => newCall(`h${n}`));

  const outcomes = await Promise.all(calls.map((call) => call.reserve()));
  expect(outcomes.filter(({ outcome }) => outcome === "reserved")).toHaveLength(slots);
  expect(await world.account(accountId)).toMatchObject({ inFlight: slots, held: 4 * slots });
  expect((await newCall("one more").reserve()).outcome).toBe("no_slot");

  await Promise.all(calls.map((call) => call.settle()));
  expect(await world.account(accountId)).toMatchObject({
    balance: granted - 3 * slots,
    held: 0,
    spent: 3 * slots,
    inFlight: 0,
  });
  await expectLedgerToBalance(world, accountId);
});
