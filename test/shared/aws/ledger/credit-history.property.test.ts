import fc from "fast-check";
import { expect, it } from "vitest";
import type { ListedTransaction } from "../../../../shared/credits/credit-history.ts";
import { systemClock } from "../../../../shared/base/system.ts";
import { entriesOf, expectLedgerToBalance } from "../../../contracts/ledger.contract.ts";
import { startLedgerWorld } from "../../../support/ledger-world.ts";

/** HISTORY_RUNS=100 plays 100 random sequences instead of 2. */
const numRuns = Number(process.env["HISTORY_RUNS"] ?? 2);

const actions = fc.array(
  fc.record({
    process: fc.nat(2),
    action: fc.constantFrom("reserve", "reserve", "settle", "settle", "list"),
    credits: fc.integer({ min: 0, max: 9_000 }),
  }),
  { minLength: 40, maxLength: 60 },
);

it("the ledger never changes an entry that it has listed, even if processes with different clocks write to it", async () => {
  const world = await startLedgerWorld();
  const start = new Date(systemClock.now().getTime() + 60_000);
  const seconds = (n: number): Date => new Date(start.getTime() + n * 1_000);
  const play = async (steps: typeof actions extends fc.Arbitrary<infer T> ? T : never) => {
    const accountId = await world.open(0);
    const change = { accountId, type: "purchase", now: start } as const;
    await world.changes.apply({ ...change, changeId: "pack", credits: 25_000 });
    const processes = [0, -5_000, 3_000].map((skew) => ({ skew, ledger: world.ledger() }));
    const open: string[] = [];
    const listed = new Map<string, ListedTransaction>();
    for (const [n, { process, action, credits }] of steps.entries()) {
      const { skew, ledger } = processes[process] ?? { skew: 0, ledger: world.ledger() };
      const now = new Date(start.getTime() + n * 100 + skew);
      const holdId = action === "settle" ? open.splice(credits % open.length, 1)[0] : `call_${n}`;
      if (action === "list") {
        for (const entry of await entriesOf(world, accountId)) {
          expect(listed.get(entry.id) ?? entry).toEqual(entry);
          listed.set(entry.id, entry);
        }
      } else if (action === "reserve") {
        const source = { requestId: `call_${n}` };
        const hold = { accountId, holdId: `call_${n}`, credits, slot: true, source, now };
        const { outcome } = await ledger.reserve({ ...hold, expiresAt: seconds(600) });
        if (outcome === "reserved") open.push(`call_${n}`);
      } else if (holdId !== undefined) {
        await ledger.settle({ accountId, holdId, credits: 0, succeeded: true, now });
      }
    }
    await expectLedgerToBalance(world, accountId);
  };
  await fc.assert(fc.asyncProperty(actions, play), { numRuns, endOnFailure: true });
});
