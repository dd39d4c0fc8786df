import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAccount } from "../../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../../shared/aws/accounts/account-store.ts";
import { dynamoLedger } from "../../../shared/aws/ledger/ledger.ts";
import { systemRandom, systemClock } from "../../../shared/base/system.ts";
import type { CancelQueue } from "../../../shared/credits/cancel-queue.ts";
import type { Ledger } from "../../../shared/credits/ledger.ts";
import { type ProductsRead, readProducts } from "../../../shared/items/read-products.ts";
import type { Answer, ReadStatus, Scraper } from "../../../shared/scrapers/scraper.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();
let names: { accounts: string; ledger: string };
let ledger: Ledger;
let accountId: string;
let calls = 0;

const granted = 100;
const fetchedAt = "2026-03-01T12:00:00.000Z";
const allStatuses: readonly ReadStatus[] = ["ok", "partial", "not_found", "unavailable"];

const account = (): ReturnType<typeof dynamoAccountStore> =>
  dynamoAccountStore(tables.client, names);

beforeAll(async () => {
  names = { accounts: await tables.create(), ledger: await tables.create() };
  ledger = dynamoLedger(tables.client, {
    accountsTable: names.accounts,
    ledgerTable: names.ledger,
    clock: systemClock,
    random: systemRandom,
  });
});
beforeEach(async () => {
  const created = await createAccount(
    { name: "Test", email: "test@example.com", signupCredits: granted },
    { accounts: account(), clock: systemClock, random: systemRandom },
  );
  accountId = created.id;
});

const answerOf = (id: string, status: ReadStatus): Answer =>
  status === "ok" || status === "partial"
    ? { id, status, fetchedAt, fields: { title: `Lamp ${id}`, secretCost: 3 } }
    : { id, status, fetchedAt };

/** Returns a source that answers the IDs, in order, with these statuses. */
const answering = (statuses: readonly ReadStatus[]): Scraper => ({
  read: async ({ ids }) => ids.map((id, n) => answerOf(id, statuses[n] ?? "unavailable")),
});

const read = (
  scraper: Scraper,
  count: number,
  {
    through = ledger,
    answerBytesMax,
    cancels = { send: async () => {} },
    msToAnswer = () => 30_000,
  }: {
    through?: Ledger;
    answerBytesMax?: number;
    cancels?: CancelQueue;
    msToAnswer?: () => number;
  } = {},
): Promise<ProductsRead> => {
  calls += 1;
  const now = systemClock.now();
  return readProducts(
    {
      request: {
        platform: "retailer_d",
        marketplace: "us",
        tier: "standard",
        scraper: "retailer_d.standard",
        ids: Array.from({ length: count }, (_, n) => String(6_000_000 + n)),
      },
      accountId,
      apiKeyId: "key_1",
      requestId: `req_${calls}`,
      endpoint: "POST /v1/products",
      now,
      deadline: new Date(now.getTime() + 30_000),
      msToAnswer,
    },
    { ledger: through, cancels, scraperFor: () => scraper, clock: systemClock, answerBytesMax },
  );
};

describe("a read of products", () => {
  it("charges the items that were found and the items that do not exist, and refunds all other items", async () => {
    const { body, credits, balance } = await read(
      answering(["ok", "partial", "not_found", "unavailable"]),
      4,
    );
    expect({ credits, balance }).toEqual({ credits: 2, balance: granted - 2 });
    expect(body).toMatchObject({
      platform: "retailer_d",
      marketplace: "us",
      tier: "standard",
      stats: { requested: 4, ok: 1, partial: 1, notFound: 1, unavailable: 1 },
      credits: 2,
    });
    expect(await account().get(accountId)).toMatchObject({ held: 0, spent: 2, inFlight: 0 });
  });

  it("returns results in the order of the request, with only the fields of the specification", async () => {
    const { body } = await read(answering(["ok", "not_found", "unavailable"]), 3);
    expect(body.results).toEqual([
      { id: "6000000", status: "ok", fetchedAt, title: "Lamp 6000000" },
      { id: "6000001", status: "not_found", fetchedAt },
      { id: "6000002", status: "unavailable", fetchedAt },
    ]);
  });

  it("charges nothing if the response would be too large to send", async () => {
    const reading = read(answering(["ok", "ok", "ok"]), 3, { answerBytesMax: 4_200 });
    await expect(reading).rejects.toMatchObject({ status: 400, details: { param: "ids" } });
    expect(await account().get(accountId)).toMatchObject({
      balance: granted,
      held: 0,
      inFlight: 0,
    });
  });

  it("holds one slot and the maximum cost of all IDs while it is in progress", async () => {
    let during: unknown;
    const scraper: Scraper = {
      async read({ ids }) {
        during = await account().get(accountId);
        return ids.map((id) => answerOf(id, "ok"));
      },
    };
    await read(scraper, 30);
    expect(during).toMatchObject({ balance: granted - 30, held: 30, inFlight: 1 });
  });

  it("charges according to its status counts, whose sum is the number of items, and leaves no hold", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...allStatuses), { minLength: 1, maxLength: 3 }),
        async (statuses) => {
          const before = await account().get(accountId);
          const { body, credits } = await read(answering(statuses), statuses.length);
          const { requested, ok, partial, notFound, unavailable, elapsedMs } = body.stats;
          expect(requested).toBe(statuses.length);
          expect(ok + partial + notFound + unavailable).toBe(requested);
          expect(elapsedMs).toBeGreaterThanOrEqual(0);
          expect(credits).toBe(ok + notFound);
          expect(credits).toBeLessThanOrEqual(requested);
          const after = await account().get(accountId);
          expect(after).toMatchObject({ held: 0, inFlight: 0 });
          expect(after?.balance).toBe((before?.balance ?? 0) - credits);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe("a read of products without enough credits or slots", () => {
  it("fails with 402 if the balance is too low, and does not read from the source", async () => {
    const scraper: Scraper = { read: () => Promise.reject(new Error("It was read")) };
    await expect(read(scraper, granted + 1)).rejects.toMatchObject({
      status: 402,
      code: "INSUFFICIENT_CREDITS",
    });
    expect(await account().get(accountId)).toMatchObject({ balance: granted, inFlight: 0 });
  });

  it("fails with 429 if all slots are taken, and does not read from the source", async () => {
    const busy = Promise.withResolvers<void>();
    let reading = 0;
    const scraper: Scraper = {
      async read({ ids }) {
        reading += 1;
        await busy.promise;
        return ids.map((id) => answerOf(id, "ok"));
      },
    };
    const five = Array.from({ length: 5 }, async () => read(scraper, 1));
    await expect.poll(() => reading).toBe(5);
    await expect(read(scraper, 1)).rejects.toMatchObject({
      status: 429,
      code: "CONCURRENCY_LIMIT",
    });
    busy.resolve();
    await Promise.all(five);
    expect(reading).toBe(5);
    expect(await account().get(accountId)).toMatchObject({ spent: 5, inFlight: 0 });
  });
});

describe("a read of products with a broken scraper", () => {
  it.each([
    ["throws", () => Promise.reject(new Error("broken configuration"))],
    ["returns too few answers", async () => []],
    ["returns an answer for another ID", async () => [answerOf("9999999", "ok")]],
  ])(
    "refunds all credits when the scraper misbehaves (the scraper %s)",
    async (_case, broken: Scraper["read"]) => {
      await expect(read({ read: broken }, 1)).rejects.toThrow(/broken/i);
      expect(await account().get(accountId)).toMatchObject({
        balance: granted,
        held: 0,
        spent: 0,
        inFlight: 0,
      });
    },
  );

  it("fails with the error of the scraper even if the refund fails too", async () => {
    const failing: Ledger = {
      ...ledger,
      settle: () => Promise.reject(new Error("the ledger is down")),
    };
    const scraper: Scraper = { read: () => Promise.reject(new Error("the cause")) };
    await expect(read(scraper, 1, { through: failing })).rejects.toThrow("the cause");
  });
});

describe("a read of products that gets no response from the ledger", () => {
  const noAnswer = () =>
    Promise.reject(Object.assign(new Error("no response"), { name: "TimeoutError" }));
  /** IDs of the holds in the cancel messages that were sent, in order. */
  const handedOver: string[] = [];
  const cancels: CancelQueue = { send: async ({ holdId }) => void handedOver.push(holdId) };
  const isUnreachable: CancelQueue = { send: noAnswer };
  beforeEach(() => void handedOver.splice(0));
  const untouched = { balance: granted, held: 0, spent: 0, inFlight: 0 };
  /** Cancels the holds in the queue, as the worker does. */
  async function drain(): Promise<void> {
    for (const holdId of handedOver) {
      await ledger.cancel({ accountId, holdId, now: systemClock.now() });
    }
  }

  it.each(["before", "after"])(
    "refunds all credits if both the settlement and the cancellation of the hold take effect (the settlement %s the cancellation)",
    async (when) => {
      const late: (() => Promise<unknown>)[] = [];
      const through: Ledger = {
        ...ledger,
        async settle(settlement) {
          late.push(() => ledger.settle(settlement));
          return noAnswer();
        },
      };
      const reading = read(answering(["ok", "ok", "ok"]), 3, { through, cancels });
      await expect(reading).rejects.toMatchObject({ name: "TimeoutError" });
      if (when === "before") for (const settle of late) await settle();
      await drain();
      if (when === "after") for (const settle of late) await settle();
      expect(await account().get(accountId)).toMatchObject(untouched);
    },
  );

  it("fails with an error that names a possible charge if the cancel message cannot be sent", async () => {
    const through: Ledger = { ...ledger, settle: noAnswer };
    const reading = read(answering(["ok"]), 1, { through, cancels: isUnreachable });
    await expect(reading).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining("is not known"),
      details: { isUnconfirmed: true, retryAfterSeconds: 1 },
    });
  });

  it("cancels the hold that its reservation may have created, and does not read from the source", async () => {
    const through: Ledger = {
      ...ledger,
      async reserve(reservation) {
        await ledger.reserve(reservation);
        return noAnswer();
      },
    };
    const unread: Scraper = { read: () => Promise.reject(new Error("It was read")) };
    await expect(read(unread, 1, { through, cancels })).rejects.toMatchObject({
      name: "TimeoutError",
    });
    await drain();
    expect(await account().get(accountId)).toMatchObject(untouched);
  });

  it("sends a message that cancels its hold if the read fails and the ledger does not confirm the release", async () => {
    const broken: Scraper = { read: () => Promise.reject(new Error("the cause")) };
    const through: Ledger = { ...ledger, settle: noAnswer };
    await expect(read(broken, 1, { through, cancels })).rejects.toThrow("the cause");
    await drain();
    expect(await account().get(accountId)).toMatchObject(untouched);
  });
});

describe("a read of products that is too late to send its response", () => {
  /**
   * Returns the deadline of a call. `msToAnswer` returns the milliseconds that are left.
   * `standStill` lets the deadline pass, as if the process had been suspended.
   */
  function standingStill() {
    let msLeft = 20_000;
    return { msToAnswer: () => msLeft, standStill: () => void (msLeft = -60_000) };
  }

  it("is not charged if the scraper took too long", async () => {
    const { msToAnswer, standStill } = standingStill();
    const slow: Scraper = {
      async read({ ids }) {
        standStill();
        return ids.map((id) => answerOf(id, "ok"));
      },
    };
    await expect(read(slow, 3, { msToAnswer })).rejects.toMatchObject({ status: 503 });
    expect(await account().get(accountId)).toMatchObject({ balance: granted, held: 0, spent: 0 });
  });

  it("is not charged if the settlement took too long", async () => {
    const { msToAnswer, standStill } = standingStill();
    const through: Ledger = {
      ...ledger,
      async settle(settlement) {
        const settled = await ledger.settle(settlement);
        standStill();
        return settled;
      },
    };
    const reading = read(answering(["ok", "ok"]), 2, { through, msToAnswer });
    await expect(reading).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining("Nothing was charged"),
    });
    expect(await account().get(accountId)).toMatchObject({ balance: granted, held: 0, spent: 0 });
  });
});
