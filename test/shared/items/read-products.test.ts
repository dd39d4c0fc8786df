import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAccount } from "../../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../../shared/aws/account-store.ts";
import { dynamoLedger } from "../../../shared/aws/ledger.ts";
import { systemChance, systemClock } from "../../../shared/base/system.ts";
import type { Ledger } from "../../../shared/credits/ledger.ts";
import { type ProductsRead, readProducts } from "../../../shared/items/read-products.ts";
import type { Answer, ReadStatus, Scraper } from "../../../shared/scrapers/scraper.ts";
import { startTables, type TestTables } from "../../support/tables.ts";

let tables: TestTables;
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
  tables = await startTables();
  names = { accounts: await tables.create(), ledger: await tables.create() };
  ledger = dynamoLedger(tables.client, {
    accountsTable: names.accounts,
    ledgerTable: names.ledger,
    clock: systemClock,
    chance: systemChance,
  });
});
afterAll(() => tables.stop());
beforeEach(async () => {
  const created = await createAccount(
    { name: "Test", email: "test@example.com", signupCredits: granted },
    { accounts: account(), clock: systemClock, chance: systemChance },
  );
  accountId = created.id;
});

const answerOf = (id: string, status: ReadStatus): Answer =>
  status === "ok" || status === "partial"
    ? { id, status, fetchedAt, fields: { title: `Lamp ${id}`, secretCost: 3 } }
    : { id, status, fetchedAt };

/** A source that answers the ids, in order, with these statuses. */
const answering = (statuses: readonly ReadStatus[]): Scraper => ({
  read: async ({ ids }) => ids.map((id, n) => answerOf(id, statuses[n] ?? "unavailable")),
});

const read = (
  scraper: Scraper,
  count: number,
  { through = ledger, answerBytesMax }: { through?: Ledger; answerBytesMax?: number } = {},
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
      requestId: `req_${calls}`,
      now,
      deadline: new Date(now.getTime() + 30_000),
    },
    { ledger: through, scraperFor: () => scraper, clock: systemClock, answerBytesMax },
  );
};

describe("reading products", () => {
  it("charges what was found and what does not exist, and gives back the rest", async () => {
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

  it("answers in request order, and only what results may hold", async () => {
    const { body } = await read(answering(["ok", "not_found", "unavailable"]), 3);
    expect(body.results).toEqual([
      { id: "6000000", status: "ok", fetchedAt, title: "Lamp 6000000" },
      { id: "6000001", status: "not_found", fetchedAt },
      { id: "6000002", status: "unavailable", fetchedAt },
    ]);
  });

  it("charges nothing for an answer that is too large to send", async () => {
    const reading = read(answering(["ok", "ok", "ok"]), 3, { answerBytesMax: 4_200 });
    await expect(reading).rejects.toMatchObject({ status: 400, details: { param: "ids" } });
    expect(await account().get(accountId)).toMatchObject({
      balance: granted,
      held: 0,
      inFlight: 0,
    });
  });

  it("holds what all ids would cost, and a slot, while it reads", async () => {
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

  it("counts add up, the charge follows from them, and nothing stays held", async () => {
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

describe("a call that cannot be paid for", () => {
  it("answers 402 without reading, and changes nothing", async () => {
    const scraper: Scraper = { read: () => Promise.reject(new Error("It was read")) };
    await expect(read(scraper, granted + 1)).rejects.toMatchObject({
      status: 402,
      code: "INSUFFICIENT_CREDITS",
    });
    expect(await account().get(accountId)).toMatchObject({ balance: granted, inFlight: 0 });
  });

  it("answers 429 without reading when every slot is taken", async () => {
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

describe("a scraper that breaks its promises", () => {
  it.each([
    ["throws", () => Promise.reject(new Error("broken configuration"))],
    ["answers too few", async () => []],
    ["answers another id", async () => [answerOf("9999999", "ok")]],
  ])("gives everything back when it %s", async (_case, broken: Scraper["read"]) => {
    await expect(read({ read: broken }, 1)).rejects.toThrow(/broken/i);
    expect(await account().get(accountId)).toMatchObject({
      balance: granted,
      held: 0,
      spent: 0,
      inFlight: 0,
    });
  });

  it("claims nothing of its charge when nobody answered for it", async () => {
    const failing: Ledger = {
      ...ledger,
      settle: () => Promise.reject(new Error("no answer")),
    };
    const scraper: Scraper = {
      read: async ({ ids }) => ids.map((id) => ({ id, status: "not_found", fetchedAt })),
    };
    await expect(read(scraper, 1, { through: failing })).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining("is not known"),
      details: { isUnconfirmed: true },
    });
  });

  it("shows the scraper's error, not that of giving back", async () => {
    const failing: Ledger = {
      ...ledger,
      settle: () => Promise.reject(new Error("the ledger is down")),
    };
    const scraper: Scraper = { read: () => Promise.reject(new Error("the cause")) };
    await expect(read(scraper, 1, { through: failing })).rejects.toThrow("the cause");
  });
});
