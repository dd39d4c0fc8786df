import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Account } from "../../shared/accounts/account.ts";
import type { CreditChange, CreditChanges } from "../../tools/credits/credit-changes.ts";
import type {
  CreditHistory,
  CreditTransaction,
  ListedTransaction,
} from "../../shared/credits/credit-history.ts";
import type { Ledger } from "../../shared/credits/ledger.ts";

/** Accounts with credits, and the ledgers of several processes on these accounts. */
export interface LedgerWorld {
  /** Creates the ledger of a separate process, which shares no cached state with other ledgers. */
  ledger(): Ledger;
  readonly changes: CreditChanges;
  readonly history: CreditHistory;
  /** Opens an account with a signup grant. Returns the account's ID. */
  open(signupCredits: number): Promise<string>;
  account(accountId: string): Promise<Account | undefined>;
}

const now = new Date("2026-03-01T12:00:00Z");
const later = (ms: number): Date => new Date(now.getTime() + ms);
const expiry = 60_000;

/** Returns all ledger entries of an account, oldest first. */
export async function entriesOf(
  world: Pick<LedgerWorld, "history">,
  accountId: string,
): Promise<readonly ListedTransaction[]> {
  const found: ListedTransaction[] = [];
  let startingAfter: string | undefined;
  for (;;) {
    const page = await world.history.page(accountId, { limit: 100, startingAfter });
    found.push(...page.transactions);
    if (page.next === null) return found.toReversed();
    startingAfter = page.next;
  }
}

/**
 * Expects that balance + open holds + spent = granted + purchased + adjusted, and that the entries
 * have no gap.
 */
export async function expectLedgerToBalance(
  world: Pick<LedgerWorld, "history" | "account">,
  accountId: string,
): Promise<void> {
  const account = await world.account(accountId);
  if (account === undefined) throw new Error(`The test account ${accountId} does not exist`);
  const entries = await entriesOf(world, accountId);
  expect(account.balance).toBeGreaterThanOrEqual(0);
  expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, n) => n + 1));
  expect(entries.map(({ balanceBefore }) => balanceBefore)).toEqual(
    [0, ...entries.map(({ balanceAfter }) => balanceAfter)].slice(0, -1),
  );
  expect(entries.at(-1)?.balanceAfter).toBe(account.balance);
  const moved = (...types: string[]): number =>
    entries
      .filter(({ type }) => types.includes(type))
      .reduce((sum, { balanceBefore, balanceAfter }) => sum + balanceAfter - balanceBefore, 0);
  const sum = (some: readonly CreditTransaction[]): number =>
    some.reduce((total, { credits }) => total + credits, 0);
  const charged = sum(entries.filter(({ type }) => type === "charge"));
  const takenBack = sum(entries.filter(({ chargedAt }) => chargedAt !== null));
  expect(charged - takenBack).toBe(account.spent);
  expect(account.balance + account.held + account.spent).toBe(moved("grant", "purchase", "adjust"));
}

/**
 * Registers the tests that every implementation of `Ledger` and its implementation of
 * `CreditChanges` must pass. `openWorld` is called before each test.
 */
export function ledgerContract(openWorld: () => LedgerWorld): void {
  let world: LedgerWorld;
  let accountId: string;
  beforeEach(async () => {
    world = openWorld();
    accountId = await world.open(5_000);
  });

  const reserveAt = (ledger: Ledger, at: Date, hold: { id: string; credits: number }) =>
    ledger.reserve({
      accountId,
      holdId: hold.id,
      credits: hold.credits,
      slot: true,
      source: { requestId: hold.id },
      now: at,
      expiresAt: new Date(at.getTime() + expiry),
    });
  const reserve = (ledger: Ledger, id: string, credits: number) =>
    reserveAt(ledger, now, { id, credits });
  const settle = (ledger: Ledger, holdId: string, credits: number) =>
    ledger.settle({ accountId, holdId, credits, succeeded: true, now });
  const movements = async () =>
    (await entriesOf(world, accountId)).map(({ type, credits }) => [type, credits]);

  describe("Ledger.reserve", () => {
    it("deducts the credits from the balance and occupies a slot", async () => {
      expect(await reserve(world.ledger(), "h1", 120)).toEqual({ outcome: "reserved" });
      expect(await world.account(accountId)).toMatchObject({
        balance: 4_880,
        held: 120,
        inFlight: 1,
      });
      await expectLedgerToBalance(world, accountId);
    });

    it("occupies no slot for a hold of a run step", async () => {
      await world.ledger().reserve({
        accountId,
        holdId: "run#check",
        credits: 3,
        slot: false,
        source: { runId: "run", step: "check" },
        now,
        expiresAt: later(expiry),
      });
      expect(await world.account(accountId)).toMatchObject({ held: 3, inFlight: 0 });
      expect((await entriesOf(world, accountId)).at(-1)?.source).toEqual({
        runId: "run",
        step: "check",
      });
    });

    it("reserves credits exactly once for a hold ID, even if another process repeats the reservation", async () => {
      await reserve(world.ledger(), "h1", 120);
      const repeated = await reserve(world.ledger(), "h1", 120);
      expect(repeated).toEqual({ outcome: "reserved" });
      expect(await world.account(accountId)).toMatchObject({ held: 120, inFlight: 1 });
    });

    it("reserves nothing if the balance is lower than the requested credits", async () => {
      const outcome = await reserve(world.ledger(), "h1", 5_001);
      expect(outcome).toEqual({ outcome: "insufficient", balance: 5_000 });
      expect(await movements()).toEqual([["grant", 5_000]]);
    });

    it("can reserve the entire balance, and then refuses further reservations", async () => {
      expect(await reserve(world.ledger(), "all", 5_000)).toEqual({ outcome: "reserved" });
      expect(await world.account(accountId)).toMatchObject({ balance: 0, held: 5_000 });
      const outcome = await reserve(world.ledger(), "more", 1);
      expect(outcome).toEqual({ outcome: "insufficient", balance: 0 });
      await expectLedgerToBalance(world, accountId);
    });

    it("refuses a sixth concurrent call of a new account until the holds of earlier calls expire", async () => {
      const ledger = world.ledger();
      for (const id of ["a", "b", "c", "d", "e"]) await reserve(ledger, id, 1);
      expect(await reserve(world.ledger(), "f", 1)).toEqual({
        outcome: "no_slot",
        limit: 5,
        balance: 4_995,
      });
      const afterExpiry = await reserveAt(world.ledger(), later(expiry + 1_000), {
        id: "g",
        credits: 1,
      });
      expect(afterExpiry).toEqual({ outcome: "reserved" });
      expect(await world.account(accountId)).toMatchObject({ inFlight: 1, held: 1, spent: 0 });
      await expectLedgerToBalance(world, accountId);
    });
  });

  describe("Ledger.settle", () => {
    it("charges the answered items, refunds the rest of the hold and frees the slot", async () => {
      const ledger = world.ledger();
      await reserve(ledger, "h1", 100);
      expect(await settle(ledger, "h1", 70)).toEqual({ credits: 70, balance: 4_930 });
      expect(await movements()).toEqual([
        ["grant", 5_000],
        ["reserve", 100],
        ["charge", 70],
        ["refund", 30],
      ]);
      expect(await world.account(accountId)).toMatchObject({ held: 0, spent: 70, inFlight: 0 });
      await expectLedgerToBalance(world, accountId);
    });

    it("charges a hold exactly once if two processes settle the hold", async () => {
      await reserve(world.ledger(), "h1", 100);
      await settle(world.ledger(), "h1", 70);
      expect(await settle(world.ledger(), "h1", 100)).toEqual({ credits: 70, balance: 4_930 });
      await expectLedgerToBalance(world, accountId);
    });

    it("settles a hold that another process reserved after this process had cached the account", async () => {
      const other = world.ledger();
      await reserve(other, "h1", 10);
      await settle(other, "h1", 10);
      await reserve(world.ledger(), "h2", 100);
      expect(await settle(other, "h2", 60)).toEqual({ credits: 60, balance: 4_930 });
      await expectLedgerToBalance(world, accountId);
    });

    it("reports a hold as resolved after another process settled the hold", async () => {
      const [starter, step] = [world.ledger(), world.ledger()];
      await reserve(starter, "A", 10);
      await settle(step, "A", 7);
      await reserve(starter, "B", 1);
      await settle(step, "B", 1);
      expect(await settle(starter, "A", 7)).toEqual({ credits: 7, balance: 4_992 });
      await expectLedgerToBalance(world, accountId);
    });

    it("records a reservation and a charge of 0 for a hold of 0 credits", async () => {
      const ledger = world.ledger();
      await reserve(ledger, "nothing", 0);
      expect(await settle(ledger, "nothing", 0)).toEqual({ credits: 0, balance: 5_000 });
      expect(await movements()).toEqual([
        ["grant", 5_000],
        ["reserve", 0],
        ["charge", 0],
      ]);
      await expectLedgerToBalance(world, accountId);
    });

    it("frees the slot of a hold of 0 credits", async () => {
      const [one, other] = [world.ledger(), world.ledger()];
      await reserve(one, "nothing", 0);
      await reserve(other, "something", 1);
      await settle(one, "nothing", 0);
      await reserve(other, "more", 1);
      expect(await world.account(accountId)).toMatchObject({ inFlight: 2, held: 2 });
      await expectLedgerToBalance(world, accountId);
    });

    it("charges nothing for a hold that expired and was released", async () => {
      const owner = world.ledger();
      await reserve(owner, "h1", 100);
      expect(await world.ledger().releaseExpired(accountId, later(expiry + 1))).toBe(1);
      expect(await settle(owner, "h1", 70)).toEqual({ credits: 0, balance: 5_000 });
      await expectLedgerToBalance(world, accountId);
    });
  });

  describe("Ledger.release", () => {
    const release = (holdId: string): Promise<void> =>
      world.ledger().release({ accountId, holdId, now });

    it("returns the credits of an open hold exactly once, without a charge", async () => {
      await reserve(world.ledger(), "h1", 100);
      await release("h1");
      await release("h1");
      expect(await movements()).toEqual([
        ["grant", 5_000],
        ["reserve", 100],
        ["refund", 100],
      ]);
      expect(await world.account(accountId)).toMatchObject({ held: 0, spent: 0, inFlight: 0 });
      await expectLedgerToBalance(world, accountId);
    });

    it("changes nothing if the hold does not exist or was settled", async () => {
      await reserve(world.ledger(), "h1", 100);
      await settle(world.ledger(), "h1", 70);
      const before = await movements();
      await release("h1");
      await release("never reserved");
      expect(await movements()).toEqual(before);
      await expectLedgerToBalance(world, accountId);
    });
  });

  describe("Ledger.cancel", () => {
    const cancel = (holdId: string, at = now): Promise<void> =>
      world.ledger().cancel({ accountId, holdId, now: at });

    it("releases an open hold, and a later settlement charges nothing", async () => {
      const owner = world.ledger();
      await reserve(owner, "h1", 100);
      await cancel("h1");
      expect(await settle(owner, "h1", 70)).toEqual({ credits: 0, balance: 5_000 });
      expect(await world.account(accountId)).toMatchObject({ held: 0, spent: 0, inFlight: 0 });
      await expectLedgerToBalance(world, accountId);
    });

    it("refunds a settled charge exactly once, even if the cancel is repeated", async () => {
      await reserve(world.ledger(), "h1", 100);
      await settle(world.ledger(), "h1", 70);
      const ledger = world.ledger();
      await Promise.all(Array.from({ length: 8 }, () => cancel("h1", later(5_000))));
      await ledger.cancel({ accountId, holdId: "h1", now: later(6_000) });

      expect(await movements()).toEqual([
        ["grant", 5_000],
        ["reserve", 100],
        ["charge", 70],
        ["refund", 30],
        ["refund", 70],
      ]);
      expect((await entriesOf(world, accountId)).at(-1)).toMatchObject({
        source: { requestId: "h1" },
        chargedAt: now.toISOString(),
        createdAt: later(5_000).toISOString(),
      });
      expect(await world.account(accountId)).toMatchObject({ balance: 5_000, held: 0, spent: 0 });
      await expectLedgerToBalance(world, accountId);
    });

    it("prevents the charge of a later settlement, even in the process that reserved the hold", async () => {
      const owner = world.ledger();
      await reserve(owner, "h1", 100);
      await settle(world.ledger(), "h1", 70);
      await cancel("h1");
      expect(await settle(owner, "h1", 70)).toEqual({ credits: 0, balance: 5_000 });
    });

    it("changes nothing if the hold does not exist, was charged 0 credits, or expired", async () => {
      const ledger = world.ledger();
      await reserve(ledger, "free", 100);
      await settle(ledger, "free", 0);
      await reserve(ledger, "expired", 100);
      await ledger.releaseExpired(accountId, later(expiry + 1));
      const before = await movements();
      for (const holdId of ["free", "expired", "never reserved"]) await cancel(holdId);
      expect(await movements()).toEqual(before);
      await expectLedgerToBalance(world, accountId);
    });

    it("leaves the other holds of the account unchanged", async () => {
      const ledger = world.ledger();
      for (const id of ["h1", "h2", "h3"]) await reserve(ledger, id, 10);
      for (const id of ["h1", "h2"]) await settle(ledger, id, 10);
      await cancel("h1");
      expect(await world.account(accountId)).toMatchObject({ held: 10, spent: 10, inFlight: 1 });
      await expectLedgerToBalance(world, accountId);
    });
  });

  it("a process cannot charge its hold after the hold expired and was released, even if other calls hold credits", async () => {
    const [owner, other] = [world.ledger(), world.ledger()];
    await reserve(owner, "h1", 100);
    await reserveAt(other, later(30_000), { id: "h2", credits: 500 });
    expect(await other.releaseExpired(accountId, later(expiry + 1))).toBe(1);
    expect(await settle(owner, "h1", 70)).toEqual({ credits: 0, balance: 4_500 });
    expect(await world.account(accountId)).toMatchObject({ held: 500, spent: 0, inFlight: 1 });
    await expectLedgerToBalance(world, accountId);
  });

  describe("expired holds in the ledger", () => {
    it("are listed with their accounts, and are each released exactly once", async () => {
      await reserve(world.ledger(), "h1", 10);
      const [early, late] = [later(expiry - 1), later(expiry + 1)];
      expect(await world.ledger().accountsWithExpiredHolds(early, 100)).not.toContain(accountId);
      expect(await world.ledger().releaseExpired(accountId, early)).toBe(0);
      expect(await world.ledger().accountsWithExpiredHolds(late, 100)).toContain(accountId);
      expect(await world.ledger().releaseExpired(accountId, late)).toBe(1);
      expect(await world.ledger().releaseExpired(accountId, late)).toBe(0);
      expect(await world.ledger().accountsWithExpiredHolds(late, 100)).not.toContain(accountId);
      await expectLedgerToBalance(world, accountId);
    });

    it("of one account stay open when the expired holds of another account are released", async () => {
      await reserve(world.ledger(), "h1", 10);
      const other = await world.open(5_000);
      expect(await world.ledger().releaseExpired(other, later(expiry + 1))).toBe(0);
      expect(await world.account(accountId)).toMatchObject({ held: 10 });
    });
  });

  const change = (wanted: Partial<CreditChange>) =>
    world.changes.apply({
      accountId,
      changeId: "c1",
      type: "purchase",
      credits: 25_000,
      now,
      ...wanted,
    });

  describe("a credit change in the ledger", () => {
    it("of the type 'purchase' increases the balance, the lifetime credits and, from the next reservation on, the slots", async () => {
      const ledger = world.ledger();
      for (const id of ["a", "b", "c", "d", "e"]) await reserve(ledger, id, 1);
      expect(await change({})).toEqual({ outcome: "changed", balance: 29_995, lifetime: 30_000 });
      expect(await reserve(ledger, "f", 1)).toMatchObject({ outcome: "reserved" });
      expect(await world.account(accountId)).toMatchObject({ lifetime: 30_000, inFlight: 6 });
      await expectLedgerToBalance(world, accountId);
    });

    it("of the type 'grant' increases only the balance", async () => {
      const outcome = await change({ type: "grant", credits: 500_000 });
      expect(outcome).toEqual({ outcome: "changed", balance: 505_000, lifetime: 5_000 });
      await expectLedgerToBalance(world, accountId);
    });

    it("of the type 'adjust' changes the balance up or down, but never lifetime credits or slots", async () => {
      await change({});
      await change({ changeId: "c2", type: "adjust", credits: -29_000 });
      const outcome = await change({ changeId: "c3", type: "adjust", credits: 5 });
      expect(outcome).toEqual({ outcome: "changed", balance: 1_005, lifetime: 30_000 });
      const ledger = world.ledger();
      for (let n = 0; n < 20; n += 1) {
        expect((await reserve(ledger, `h${n}`, 1)).outcome).toBe("reserved");
      }
      await expectLedgerToBalance(world, accountId);
    });

    it("of the type 'adjust' never deducts more than the balance", async () => {
      const outcome = await change({ type: "adjust", credits: -5_001 });
      expect(outcome).toEqual({ outcome: "insufficient", balance: 5_000 });
    });

    it("takes effect exactly once for each change ID, even if the change is requested several times in parallel", async () => {
      const outcomes = await Promise.all([change({}), change({}), change({})]);
      for (const outcome of outcomes) {
        expect(outcome).toEqual({ outcome: "changed", balance: 30_000, lifetime: 30_000 });
      }
      expect(await movements()).toEqual([
        ["grant", 5_000],
        ["purchase", 25_000],
      ]);
    });

    it("is refused if the change ID was used for another change", async () => {
      await change({});
      expect(await change({ credits: 150_000 })).toEqual({ outcome: "id_reused" });
      expect(await change({ type: "grant" })).toEqual({ outcome: "id_reused" });
    });

    it("is refused for an account that does not exist", async () => {
      expect(await change({ accountId: "acct_none" })).toEqual({ outcome: "unknown_account" });
    });
  });

  describe("parallel calls and credit changes", () => {
    it("keep the account balance equal to the sum of the ledger entries in any order of execution", async () => {
      const call = fc.record({
        process: fc.nat({ max: 2 }),
        credits: fc.integer({ min: 0, max: 900 }),
        answered: fc.double({ min: 0, max: 1, noNaN: true }),
        settles: fc.boolean(),
        twice: fc.boolean(),
        buys: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: 8 }), async (calls) => {
          accountId = await world.open(2_000);
          const processes = [world.ledger(), world.ledger(), world.ledger()];
          await Promise.all(
            calls.map(async (one, n) => {
              const ledger = processes[one.process] ?? world.ledger();
              if (one.buys) await change({ changeId: `c${n}`, type: "grant", credits: 10 });
              const held = await reserve(ledger, `hold-${n}`, one.credits);
              if (held.outcome !== "reserved" || !one.settles) return;
              const charge = Math.floor(one.credits * one.answered);
              await settle(ledger, `hold-${n}`, charge);
              if (one.twice) await settle(processes[0] ?? ledger, `hold-${n}`, charge);
            }),
          );
          expect((await world.account(accountId))?.inFlight).toBeLessThanOrEqual(5);
          await expectLedgerToBalance(world, accountId);
        }),
        { numRuns: 15 },
      );
    });
  });
}
