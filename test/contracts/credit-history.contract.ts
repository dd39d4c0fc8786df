import { beforeEach, describe, expect, it } from "vitest";
import { idPattern, newId } from "../../shared/base/ids.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import type { CreditChange } from "../../tools/credits/credit-changes.ts";
import {
  type ListedTransaction,
  matches,
  type TransactionFilter,
} from "../../shared/credits/credit-history.ts";
import { type CreditSource, entryTypes, type Ledger } from "../../shared/credits/ledger.ts";
import { entriesOf, expectLedgerToBalance, type LedgerWorld } from "./ledger.contract.ts";

const now = systemClock.now();
const expiresAt = new Date(now.getTime() + 60_000);
/**
 * A time after the expiry of all holds. It is more than a second after the expiry, because the
 * ledger stores an expiry in whole seconds.
 */
const expired = new Date(now.getTime() + 61_001);

const call = {
  requestId: newId("request", now, systemRandom),
  endpoint: "POST /v1/products",
  scraper: "retailer_a.lite",
  items: 4,
} as const;
const watchlistId = newId("watchlist", now, systemRandom);
const step = {
  watchlistId,
  runId: "wlrun_1",
  runNumber: 7,
  step: "check",
  scraper: "retailer_d.standard",
  items: 3,
} as const;

const subjects: readonly (readonly [string, CreditSource, TransactionFilter])[] = [
  ["call", call, { requestId: call.requestId }],
  ["watchlist", step, { watchlistId }],
];

/**
 * The actions that bring a hold of 4 credits to a state, and the ledger entries of the hold in this
 * state, newest first.
 */
const states = [
  { state: "open", actions: ["otherCall"], entries: ["reserve 4"] },
  {
    state: "settled in full",
    actions: ["chargeAll", "otherCall"],
    entries: ["charge 4", "reserve 4"],
  },
  {
    state: "settled in part",
    actions: ["otherCall", "chargeSome"],
    entries: ["refund 1", "charge 3", "reserve 4"],
  },
  { state: "released", actions: ["release"], entries: ["refund 4", "reserve 4"] },
  { state: "expired", actions: ["otherCall", "expire"], entries: ["refund 4", "reserve 4"] },
  { state: "canceled while open", actions: ["cancel"], entries: ["refund 4", "reserve 4"] },
  {
    state: "canceled right after its charge",
    actions: ["chargeAll", "cancel"],
    entries: ["refund 4", "charge 4", "reserve 4"],
  },
  {
    state: "canceled after its charge and after another call",
    actions: ["chargeSome", "otherCall", "cancel"],
    entries: ["refund 3", "refund 1", "charge 3", "reserve 4"],
  },
] as const;

const holdIdOf = (source: CreditSource): string =>
  "requestId" in source ? source.requestId : `${source.runId}#${source.step}`;

/**
 * Accounts with 1, 2 and 25 shards. `calls` is the number of calls that reserve credits at the same
 * time: enough to use several shards if the account has several.
 */
const sizes = [
  { shards: "1 shard", purchases: [], calls: 5 },
  { shards: "2 shards", purchases: [25_000], calls: 18 },
  { shards: "25 shards", purchases: [25_000, 10_000_000], calls: 33 },
] as const;

/**
 * Registers the tests that every implementation of the credit history must pass. `openWorld` is
 * called before each test.
 */
export function creditHistoryContract(openWorld: () => LedgerWorld): void {
  let world: LedgerWorld;
  let accountId: string;
  beforeEach(async () => {
    world = openWorld();
    accountId = await world.open(5_000);
  });

  const reserve = (ledger: Ledger, source: CreditSource, credits = 4) => {
    const slot = "requestId" in source;
    const reservation = { accountId, holdId: holdIdOf(source), credits, slot, source };
    return ledger.reserve({ ...reservation, now, expiresAt });
  };
  const settle = (ledger: Ledger, holdId: string, credits: number) =>
    ledger.settle({ accountId, holdId, credits, items: credits, succeeded: true, now });
  const change = (wanted: Pick<CreditChange, "changeId" | "type" | "credits">) =>
    world.changes.apply({ accountId, now, ...wanted });

  /** Returns the entries of all pages, newest first. */
  const list = async (filter: TransactionFilter, limit = 100) => {
    const found: ListedTransaction[] = [];
    for (let startingAfter: string | undefined; ;) {
      const page = await world.history.page(accountId, { limit, startingAfter, filter });
      expect(page.transactions.length).toBeLessThanOrEqual(limit);
      found.push(...page.transactions);
      if (page.next === null) return found;
      // The IDs of an account's entries sort in the order of the entries, so the next page begins
      // at an older entry.
      if (startingAfter !== undefined) expect(page.next < startingAfter).toBe(true);
      startingAfter = page.next;
    }
  };
  const sequencesOf = async (filter: TransactionFilter, limit?: number) =>
    (await list(filter, limit)).map(({ sequence }) => sequence);

  describe("a page of the credit history", () => {
    it("lists entries newest first, and successive pages contain each entry once", async () => {
      const ledger = world.ledger();
      for (const id of ["a", "b", "c"]) await reserve(ledger, { requestId: id }, 2);
      const first = await world.history.page(accountId, { limit: 3 });
      const rest = await world.history.page(accountId, {
        limit: 3,
        startingAfter: first.transactions[2]?.id,
      });
      expect(first.transactions.map(({ sequence }) => sequence)).toEqual([4, 3, 2]);
      expect(first.next).toBe(first.transactions[2]?.id);
      expect(rest).toEqual({
        next: null,
        transactions: [
          {
            id: expect.stringMatching(idPattern("creditTransaction")),
            sequence: 1,
            type: "grant",
            credits: 5_000,
            balanceBefore: 0,
            balanceAfter: 5_000,
            source: null,
            createdAt: expect.any(String),
            chargedAt: null,
          },
        ],
      });
      expect(first.transactions[0]).toMatchObject({
        type: "reserve",
        credits: 2,
        balanceBefore: 4_996,
        balanceAfter: 4_994,
        source: { requestId: "c" },
        createdAt: now.toISOString(),
      });
    });

    it("contains only entries of the requested account, and is empty after the oldest entry", async () => {
      const other = await world.open(7);
      const { transactions } = await world.history.page(other, { limit: 100 });
      expect(transactions).toHaveLength(1);
      const startingAfter = transactions[0]?.id;
      expect(await world.history.page(other, { limit: 1, startingAfter })).toEqual({
        transactions: [],
        next: null,
      });
    });
  });

  /**
   * Settles one call for fewer credits than it reserved, and one step of a run. The settling
   * process is not the reserving process.
   */
  const settleTwoHolds = async (): Promise<void> => {
    await reserve(world.ledger(), call);
    await settle(world.ledger(), call.requestId, 3);
    await reserve(world.ledger(), step, 3);
    await settle(world.ledger(), holdIdOf(step), 3);
  };

  describe("the source of a ledger entry, which is the call or step that caused the entry,", () => {
    it("is the same in the reservation, charge and refund of a hold, and the reservation has no count of charged items", async () => {
      await settleTwoHolds();
      const entries = (await entriesOf(world, accountId)).slice(1);
      expect(entries.map(({ type, source, itemsCharged }) => [type, source, itemsCharged])).toEqual(
        [
          ["reserve", call, undefined],
          ["charge", call, 3],
          ["refund", call, 3],
          ["reserve", step, undefined],
          ["charge", step, 3],
        ],
      );
    });

    it("is stored in the refund of a released hold, together with a count of 0 charged items", async () => {
      await reserve(world.ledger(), call);
      await world.ledger().release({ accountId, holdId: call.requestId, now });
      expect((await entriesOf(world, accountId)).at(-1)).toMatchObject({
        type: "refund",
        source: call,
        itemsCharged: 0,
      });
    });
  });

  describe("the filters `requestId` and `watchlistId` of the credit history", () => {
    it.each([1, 100])(
      "select the entries of one call or one watchlist, with or without a type, in pages of %i entries",
      async (limit) => {
        await settleTwoHolds();
        await change({ changeId: "c1", type: "adjust", credits: -5 });
        await change({ changeId: "c2", type: "purchase", credits: 25_000 });

        expect(await sequencesOf({}, limit)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
        expect(await sequencesOf({ requestId: call.requestId }, limit)).toEqual([4, 3, 2]);
        expect(await sequencesOf({ requestId: call.requestId, type: "charge" }, limit)).toEqual([
          3,
        ]);
        expect(await sequencesOf({ watchlistId }, limit)).toEqual([6, 5]);
        expect(await sequencesOf({ watchlistId, type: "reserve" }, limit)).toEqual([5]);
        expect(await sequencesOf({ type: "grant" }, limit)).toEqual([1]);
        expect(await sequencesOf({ type: "adjust" }, limit)).toEqual([7]);
        expect(await sequencesOf({ type: "purchase" }, limit)).toEqual([8]);
        expect(await sequencesOf({ type: "refund" }, limit)).toEqual([4]);
        expect(await sequencesOf({ type: "purchase", watchlistId }, limit)).toEqual([]);
        expect(
          await sequencesOf({ requestId: newId("request", now, systemRandom) }, limit),
        ).toEqual([]);
      },
    );

    it("select the entries of an open hold, and no entry of another account", async () => {
      await reserve(world.ledger(), call);
      expect(await sequencesOf({ requestId: call.requestId })).toEqual([2]);
      accountId = await world.open(5);
      expect(await sequencesOf({ requestId: call.requestId })).toEqual([]);
      expect(await sequencesOf({ watchlistId })).toEqual([]);
    });
  });

  describe.each(subjects)(
    "the ledger entries of one hold of a call or a watchlist (%s)",
    (_subject, source, filter) => {
      it.each(states)(
        "are all in the credit history if the hold is in the state '$state'",
        async ({ actions, entries }) => {
          const ledger = world.ledger();
          const holdId = holdIdOf(source);
          const act = {
            chargeAll: () => settle(ledger, holdId, 4),
            chargeSome: () => settle(ledger, holdId, 3),
            release: () => ledger.release({ accountId, holdId, now }),
            expire: () => ledger.releaseExpired(accountId, expired),
            cancel: () => ledger.cancel({ accountId, holdId, now }),
            async otherCall() {
              const requestId = newId("request", now, systemRandom);
              await reserve(ledger, { requestId });
              await settle(ledger, requestId, 2);
            },
          };
          await reserve(ledger, source);
          for (const action of actions) await act[action]();

          for (const limit of [1, 100]) {
            const found = await list(filter, limit);
            expect(found.map(({ type, credits }) => `${type} ${credits}`)).toEqual(entries);
            for (const wanted of entryTypes) {
              const ofType = await list({ ...filter, type: wanted }, limit);
              expect(ofType).toEqual(found.filter(({ type }) => type === wanted));
            }
          }
        },
      );
    },
  );

  describe.each(sizes)(
    "the credit history of an account whose ledger has $shards",
    ({ purchases, calls }) => {
      /**
       * Reserves for all calls before it settles any, so that a large account uses several shards.
       */
      const work = async (): Promise<void> => {
        for (const [n, credits] of purchases.entries()) {
          await change({ changeId: `pack_${n}`, type: "purchase", credits });
        }
        const ledger = world.ledger();
        const holdIds = Array.from({ length: calls }, () => newId("request", now, systemRandom));
        for (const requestId of holdIds) await reserve(ledger, { requestId }, 5);
        for (const holdId of holdIds.slice(1)) await settle(ledger, holdId, 3);
        for (const runId of ["wlrun_1", "wlrun_2"]) {
          await reserve(ledger, { ...step, runId }, 3);
          await settle(ledger, `${runId}#check`, 3);
        }
        await change({ changeId: "correction", type: "adjust", credits: -7 });
      };
      // Tests that only read share one account, because the calls that fill the account take most
      // of the time.
      let used: { readonly world: LedgerWorld; readonly accountId: string } | undefined;
      const openUsed = async (): Promise<void> => {
        if (used === undefined) await work();
        used ??= { world, accountId };
        ({ world, accountId } = used);
      };

      it("has entries with consecutive numbers, and each balance follows from the previous entry", async () => {
        await openUsed();
        await expectLedgerToBalance(world, accountId);
        const found = await list({});
        expect(found).toHaveLength(purchases.length + calls * 3 + 4);
        expect(found.map(({ id }) => id)).toEqual(
          found
            .map(({ id }) => id)
            .toSorted()
            .toReversed(),
        );
      });

      it("contains the same entries whatever the page size is", async () => {
        await openUsed();
        const found = await list({});
        expect(await list({}, 7)).toEqual(found);
        for (const limit of [1, 2]) {
          let startingAfter: string | undefined;
          for (let start = 0; start < Math.min(24, found.length); start += limit) {
            const page = await world.history.page(accountId, { limit, startingAfter });
            expect(page.transactions).toEqual(found.slice(start, start + limit));
            startingAfter = page.next ?? undefined;
          }
        }
      });

      it("returns exactly the matching ledger entries for each filter", async () => {
        await openUsed();
        const found = await list({});
        const requestId = found.flatMap(({ source }) =>
          source !== null && "requestId" in source ? [source.requestId] : [],
        )[0];
        expect(requestId).toBeDefined();
        const filters: readonly TransactionFilter[] = [
          ...entryTypes.map((type) => ({ type })),
          { watchlistId },
          { watchlistId, type: "charge" },
          { requestId },
        ];
        for (const filter of filters) {
          const wanted = found.filter((entry) => matches(entry, filter));
          for (const limit of [7, 100]) expect(await list(filter, limit)).toEqual(wanted);
        }
      });

      it("returns entries unchanged and in order while new entries are added", async () => {
        await work();
        const before = await list({});
        const first = await world.history.page(accountId, { limit: 5 });
        await reserve(world.ledger(), call);
        await change({ changeId: "late", type: "grant", credits: 9 });
        await settle(world.ledger(), call.requestId, 2);

        const startingAfter = first.next ?? undefined;
        const rest = await world.history.page(accountId, { limit: 100, startingAfter });
        expect([...first.transactions, ...rest.transactions]).toEqual(before.slice(0, 105));
        expect((await list({})).slice(4)).toEqual(before);
      });
    },
  );
}
