import { BatchWriteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { journalPageRow } from "../../../shared/aws/ledger/journal-page.ts";
import { shardOf } from "../../../shared/aws/ledger/shard-row.ts";
import { accountKeys } from "../../../shared/aws/table/table.ts";
import { newId } from "../../../shared/base/ids.ts";
import type { CreditSource } from "../../../shared/credits/ledger.ts";
import { Logger } from "@aws-lambda-powertools/logger";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accountRoutes } from "../../../functions/account/handler.ts";
import { groupHandler, type HttpHandler } from "../../../functions/http/group-handler.ts";
import { accountResponse } from "../../../shared/accounts/account-schema.ts";
import {
  apiKeyDeletedResponse,
  apiKeysResponse,
  apiKeyWithKeySchema,
} from "../../../shared/accounts/api-key-schema.ts";
import { purchasePack } from "../../../tools/credits/change-credits.ts";
import { createAccount, createApiKey } from "../../../shared/accounts/create-account.ts";
import { usageResponse } from "../../../shared/accounts/usage-schema.ts";
import {
  dynamoAccountStore,
  dynamoAutoTopUpStore,
} from "../../../shared/aws/accounts/account-store.ts";
import { dynamoApiKeyStore } from "../../../shared/aws/accounts/api-key-store.ts";
import { dynamoEndpointStore } from "../../../shared/aws/deliveries/endpoint-store.ts";
import { dynamoDailyBudgetStore } from "../../../shared/aws/accounts/daily-budget-store.ts";
import { dynamoRunStore } from "../../../shared/aws/runs/run-store.ts";
import { dynamoWatchlistStore } from "../../../shared/aws/watchlists/watchlist-store.ts";
import { dynamoUsageStore } from "../../../shared/aws/accounts/usage-store.ts";
import { systemRandom, systemClock } from "../../../shared/base/system.ts";
import { creditTransactionsResponse } from "../../../shared/credits/credit-transaction-schema.ts";
import { externalIdOf } from "../../../shared/exports/destination.ts";
import { expectDocumented } from "../../support/openapi.ts";
import { fixedClock } from "../../support/clock.ts";
import { reserveForCall } from "../../support/reserve-for-call.ts";
import { type DynamoLedgerWorld, startLedgerWorld } from "../../support/ledger-world.ts";
import { expectShape } from "../../support/group-api.ts";
import { gatewayContext, gatewayEvent } from "../../support/gateway-event.ts";

const clock = fixedClock("2026-03-10T12:00:00Z");
const random = systemRandom;
let world: DynamoLedgerWorld;
let handler: HttpHandler;
let deps: {
  accounts: ReturnType<typeof dynamoAccountStore>;
  clock: typeof clock;
  random: typeof random;
};
let accountId: string;
let key: Awaited<ReturnType<typeof createApiKey>>;

beforeAll(async () => {
  world = await startLedgerWorld();
  const { client, accountsTable, ledgerTable } = world;
  const accounts = dynamoAccountStore(client, { accounts: accountsTable });
  deps = { accounts, clock, random };
  const times = { clock: systemClock, random: systemRandom };
  const usage = dynamoUsageStore(client, { accountsTable, ...times });
  handler = groupHandler({
    group: "account",
    routes: accountRoutes,
    dependencies: {
      ...deps,
      logger: new Logger(),
      apiKeys: dynamoApiKeyStore(client, accountsTable),
      endpoints: dynamoEndpointStore(client, { tableName: ledgerTable, clock, random }),
      history: world.history,
      watchlists: dynamoWatchlistStore(client, { ...times, table: ledgerTable }),
      runs: dynamoRunStore(client, { ...times, table: ledgerTable }),
      usage,
      budgets: dynamoDailyBudgetStore(client, { ...times, accountsTable, ledgerTable, usage }),
    },
  });
});
beforeEach(async () => {
  clock.set("2026-03-10T12:00:00Z");
  // The account is created before the times of all calls, because the stamps of its ledger must
  // increase.
  const opened = { ...deps, clock: fixedClock("2026-03-01T12:00:00Z") };
  const account = await createAccount({ name: "Shop", email: "it@shop.example" }, opened);
  accountId = account.id;
  key = await createApiKey({ account, name: "server" }, deps);
});

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function ask(
  method: string,
  path: string,
  wanted: {
    query?: Record<string, string>;
    body?: unknown;
    key?: string;
    /**
     * True for concurrent calls; otherwise each call is made a little later than the previous call.
     */
    atOnce?: boolean;
  } = {},
): Promise<Answer> {
  if (wanted.atOnce !== true) clock.advance(50);
  const event = gatewayEvent({
    method,
    path: `/v1/${path}`,
    headers: {
      Authorization: `Bearer ${wanted.key ?? key.key}`,
      "Content-Type": "application/json",
    },
    query: wanted.query ?? null,
    body: wanted.body === undefined ? null : JSON.stringify(wanted.body),
  });
  const { statusCode, body } = await handler(event, gatewayContext);
  const answered = JSON.parse(body) as Answer["body"];
  expectDocumented(`${method} /v1/${path}`, statusCode, answered);
  return { status: statusCode, body: answered };
}

async function work(holdId: string, day: string, credits: { held: number; charged: number }) {
  const now = new Date(day);
  const ledger = world.ledger();
  await ledger.reserve({
    accountId,
    holdId,
    credits: credits.held,
    slot: true,
    source: { requestId: holdId },
    now,
    expiresAt: new Date(now.getTime() + 60_000),
  });
  const succeeded = credits.charged > 0;
  await ledger.settle({ accountId, holdId, credits: credits.charged, succeeded, now });
}

const stranger = async (demo = false): Promise<string> => {
  const account = await createAccount({ name: "Other", email: "o@example.com", demo }, deps);
  return (await createApiKey({ account, name: "other" }, deps)).key;
};

describe("GET /v1/account", () => {
  describe("returns 200 and", () => {
    it("returns the balance, the current and the next concurrency limit, and the API key of the call", async () => {
      const answer = await ask("GET", "account");

      expect(answer.status).toBe(200);
      expectShape(accountResponse, answer);
      expect(answer.body).toEqual({
        object: "account",
        id: accountId,
        name: "Shop",
        email: "it@shop.example",
        credit_balance: 5_000,
        credits_held: 0,
        lifetime_credits: 5_000,
        credits_spent: 0,
        concurrency: {
          limit: 5,
          in_flight: 0,
          next_tier: { concurrency: 20, at_lifetime_credits: 25_000 },
        },
        daily_credit_budget: null,
        daily_credits_left: null,
        credits_spent_today: 0,
        forecast: {
          watchlists: 0,
          day: { runs: 0, best: 0, likely: 0, worst: 0 },
          month: { runs: 0, best: 0, likely: 0, worst: 0 },
          balance_runs_out_at: { best: null, likely: null, worst: null },
        },
        auto_topup: null,
        webhook_endpoints: 0,
        s3_external_id: externalIdOf(accountId),
        api_key: {
          id: key.id,
          name: "server",
          prefix: key.key.slice(0, 12),
          scopes: ["read", "spend", "write"],
        },
        created_at: "2026-03-01T12:00:00.000Z",
      });
    });

    it("returns the automatic top-up, and no next concurrency limit if the account has the highest one", async () => {
      const target = { accountId, changeId: "invoice-1" };
      await purchasePack({ ...target, packId: "volume" }, { changes: world.changes, clock });
      await dynamoAutoTopUpStore(world.client, world.accountsTable).setAutoTopUp(accountId, {
        enabled: true,
        thresholdCredits: 500,
        packId: "starter",
      });

      const answer = await ask("GET", "account");

      expectShape(accountResponse, answer);
      expect(answer.body).toMatchObject({
        credit_balance: 10_005_000,
        lifetime_credits: 10_005_000,
        concurrency: { limit: 250, next_tier: null },
        auto_topup: { enabled: true, threshold_credits: 500, pack_id: "starter" },
      });
    });
  });
});

describe("GET /v1/usage", () => {
  describe("returns 200 and", () => {
    it("returns the usage of 30 days by default, with zeros and no success rate for days without calls", async () => {
      const answer = await ask("GET", "usage");

      expectShape(usageResponse, answer);
      expect(answer.body).toMatchObject({
        object: "usage",
        days: 30,
        totals: { requests: 0, successful: 0, failed: 0, credits: 0, success_rate: null },
      });
      const daily = answer.body["daily"] as { date: string }[];
      expect(daily).toHaveLength(30);
      expect(daily[0]?.date).toBe("2026-02-09");
      expect(daily.at(-1)).toEqual({
        date: "2026-03-10",
        requests: 0,
        successful: 0,
        failed: 0,
        credits: 0,
      });
    });

    it("returns only the usage of the requested UTC days", async () => {
      await work("a", "2026-03-08T23:59:59.999Z", { held: 10, charged: 10 });
      await work("b", "2026-03-09T00:00:00.000Z", { held: 10, charged: 7 });
      await work("c", "2026-03-10T12:00:00.000Z", { held: 10, charged: 0 });
      await work("d", "2026-03-10T12:00:00.000Z", { held: 4, charged: 4 });

      const { body } = await ask("GET", "usage", { query: { days: "2" } });

      expect(body).toEqual({
        object: "usage",
        days: 2,
        totals: { requests: 3, successful: 2, failed: 1, credits: 11, success_rate: 2 / 3 },
        daily: [
          { date: "2026-03-09", requests: 1, successful: 1, failed: 0, credits: 7 },
          { date: "2026-03-10", requests: 2, successful: 1, failed: 1, credits: 4 },
        ],
      });
    });
  });

  describe("returns 400 and", () => {
    it.each(["0", "91", "-1", "1.5", "abc", ""])(
      "names 'days' as the invalid parameter for the value %j",
      async (days) => {
        const { status, body } = await ask("GET", "usage", { query: { days } });
        expect(status).toBe(400);
        expect(body["error"]).toMatchObject({ code: "INVALID_PARAM", param: "days" });
      },
    );
  });
});

describe("GET /v1/credit_transactions", () => {
  const idsOf = (answer: Answer): string[] =>
    (answer.body["data"] as { id: string }[]).map(({ id }) => id);

  describe("returns 200 and", () => {
    it("lists ledger entries newest first, with their credits, balances and request IDs", async () => {
      await work("req_1", "2026-03-10T12:00:00.000Z", { held: 10, charged: 7 });

      const answer = await ask("GET", "credit_transactions");

      expectShape(creditTransactionsResponse, answer);
      const data = answer.body["data"] as Record<string, unknown>[];
      expect(data.map(({ type, sequence }) => [type, sequence])).toEqual([
        ["refund", 4],
        ["charge", 3],
        ["reserve", 2],
        ["grant", 1],
      ]);
      expect(data[0]).toEqual({
        object: "credit_transaction",
        id: expect.stringMatching(/^ctx_[0-9a-z]{24}$/),
        type: "refund",
        credits: 3,
        balance_before: 4_990,
        balance_after: 4_993,
        sequence: 4,
        request_id: "req_1",
        created_at: "2026-03-10T12:00:00.000Z",
      });
    });

    it("returns each entry once when a client pages by the last ID while new entries are added", async () => {
      await work("req_1", "2026-03-10T12:00:00.000Z", { held: 10, charged: 7 });
      const all = idsOf(await ask("GET", "credit_transactions"));

      const first = await ask("GET", "credit_transactions", { query: { limit: "2" } });
      await work("req_2", "2026-03-10T12:00:01.000Z", { held: 1, charged: 1 });
      const cursor = idsOf(first).at(-1) ?? "";
      const second = await ask("GET", "credit_transactions", {
        query: { limit: "2", starting_after: cursor },
      });

      expect(first.body["has_more"]).toBe(true);
      expect(second.body["has_more"]).toBe(false);
      expect([...idsOf(first), ...idsOf(second)]).toEqual(all);
    });
  });

  describe("returns 200 and", () => {
    const watchlistId = newId("watchlist", new Date("2026-03-10T11:00:00Z"), random);
    const requestId = newId("request", new Date("2026-03-10T12:00:00Z"), random);
    const now = new Date("2026-03-10T12:00:00Z");
    const hold = (holdId: string, source: CreditSource) => ({
      accountId,
      holdId,
      credits: 4,
      slot: false,
      source,
      now,
      expiresAt: new Date(now.getTime() + 60_000),
    });
    const settled = { credits: 3, items: 3, succeeded: true, now };
    const list = async (query: Record<string, string>) => {
      const answer = await ask("GET", "credit_transactions", { query });
      expect(answer.status).toBe(200);
      expectShape(creditTransactionsResponse, answer);
      return answer.body["data"] as Record<string, unknown>[];
    };

    beforeEach(async () => {
      const ledger = world.ledger();
      const scraper = "retailer_a.lite";
      const call = { requestId, endpoint: "POST /v1/products", scraper, items: 4 } as const;
      const step = { watchlistId, runId: "wlrun_1", runNumber: 7, step: "check" } as const;
      await ledger.reserve(hold(requestId, call));
      await ledger.settle({ ...settled, accountId, holdId: requestId });
      await ledger.reserve(hold("wlrun_1#check", { ...step, scraper, items: 4 }));
      await ledger.settle({ ...settled, accountId, holdId: "wlrun_1#check" });
    });

    it("names the call that caused an entry, with the call's scraper and item counts", async () => {
      const [refund, charge, reserve] = await list({ request_id: requestId });

      const shown = {
        request_id: requestId,
        endpoint: "POST /v1/products",
        scraper: "retailer_a.lite",
        items_requested: 4,
      };
      expect(reserve).toMatchObject({ type: "reserve", ...shown });
      expect(reserve).not.toHaveProperty("items_charged");
      expect(charge).toMatchObject({ type: "charge", ...shown, items_charged: 3 });
      expect(refund).toMatchObject({ type: "refund", ...shown, items_charged: 3 });
    });

    it("names the watchlist, run and step that caused an entry, with their scraper and item counts", async () => {
      const [charge] = await list({ watchlist_id: watchlistId, type: "charge" });

      expect(charge).toMatchObject({
        watchlist_id: watchlistId,
        run_id: "wlrun_1",
        run_number: 7,
        step: "check",
        scraper: "retailer_a.lite",
        items_requested: 4,
        items_charged: 3,
      });
    });

    it("returns the credits of an adjustment as a positive or negative number", async () => {
      const change = { accountId, type: "adjust", now } as const;
      await world.changes.apply({ ...change, changeId: "less", credits: -50 });
      await world.changes.apply({ ...change, changeId: "more", credits: 20 });

      expect((await list({ type: "adjust" })).map(({ credits }) => credits)).toEqual([20, -50]);
    });

    it("omits the scraper of an entry that an earlier release stored with only a request ID", async () => {
      await work("req_old", "2026-03-10T12:00:00.000Z", { held: 2, charged: 2 });

      const [charge] = await list({});

      expect(charge).toMatchObject({ type: "charge", credits: 2, request_id: "req_old" });
      expect(charge).not.toHaveProperty("scraper");
    });

    /** Copies the journal of the account's shard to a page, and adds more pages of records. */
    const addCopiedRecords = async (count: number): Promise<void> => {
      const TableName = world.accountsTable;
      const { Item } = await world.client.send(
        new GetCommand({ TableName, Key: accountKeys.shard(accountId, 0), ConsistentRead: true }),
      );
      const shard = shardOf(Item ?? {});
      const records = Array.from(
        { length: count },
        (_, n) =>
          ({
            type: "reserve",
            at: shard.fence + n + 1,
            holdId: `hold_${n}`,
            credits: 0,
            source: { requestId: `req_${n}` },
          }) as const,
      );
      const pages = [journalPageRow(accountId, shard, shard.journal)];
      for (let start = 0; start < count; start += 20) {
        const journal = records.slice(start, start + 20);
        const sequence = shard.sequence + start + journal.length;
        pages.push(journalPageRow(accountId, { ...shard, journal, sequence }, journal));
      }
      for (let start = 0; start < pages.length; start += 25) {
        const rows = pages.slice(start, start + 25).map((page) => ({ PutRequest: { Item: page } }));
        const RequestItems = { [world.ledgerTable]: rows };
        await world.client.send(new BatchWriteCommand({ RequestItems }));
      }
      const sequence = shard.sequence + count;
      const copied = { ...Item, journal: [], fence: shard.fence + count, sequence };
      await world.client.send(new PutCommand({ TableName, Item: copied }));
    };

    it("reads a limited number of entries for a page with a filter, and returns a cursor to continue", async () => {
      await addCopiedRecords(4_100);
      const query = { watchlist_id: watchlistId };
      const pages: Answer[] = [];
      for (let after: string | null = ""; after !== null && pages.length < 9;) {
        const cursor = after === "" ? {} : { starting_after: after };
        const page = await ask("GET", "credit_transactions", { query: { ...query, ...cursor } });
        pages.push(page);
        after = page.body["next_starting_after"] as string | null;
      }

      expect(
        pages.map(({ body }) => [body["has_more"], idsOf({ status: 200, body }).length]),
      ).toEqual([
        [true, 0],
        [true, 0],
        [false, 3],
      ]);
    });
  });

  describe("returns 400 and", () => {
    it.each([
      ["request_id", "x"],
      ["type", "gift"],
      ["watchlist_id", "wl_1"],
    ])("names the filter '%s' as invalid for the value %j", async (param, value) => {
      const { status, body } = await ask("GET", "credit_transactions", {
        query: { [param]: value },
      });
      expect(status).toBe(400);
      expect(body["error"]).toMatchObject({ code: "INVALID_PARAM", param });
    });

    it("quotes an unknown value of 'type' and suggests the nearest valid one", async () => {
      const { body } = await ask("GET", "credit_transactions", { query: { type: "purchse" } });
      expect(body["error"]).toMatchObject({
        message:
          "'type' must be one of grant, purchase, reserve, charge, refund, adjust " +
          `(got "purchse"). Did you mean 'purchase'?`,
      });
    });
  });

  describe("returns 400 and", () => {
    it.each(["0", "101", "x"])(
      "names 'limit' as the invalid parameter for the value %j",
      async (limit) => {
        const { status, body } = await ask("GET", "credit_transactions", { query: { limit } });
        expect(status).toBe(400);
        expect(body["error"]).toMatchObject({ code: "INVALID_PARAM", param: "limit" });
      },
    );

    it("names 'starting_after' if its value is not the ID of a transaction of the account", async () => {
      const foreign = idsOf(await ask("GET", "credit_transactions", { key: await stranger() }));
      for (const cursor of [...foreign, "ctx_1", "", "x".repeat(300)]) {
        const query = { starting_after: cursor };
        const { status, body } = await ask("GET", "credit_transactions", { query });
        expect(status).toBe(400);
        expect(body["error"]).toMatchObject({ param: "starting_after" });
      }
    });
  });
});

describe("POST /v1/api_keys", () => {
  describe("returns 201 and", () => {
    it("returns a new key that the API accepts, and no later response contains the key", async () => {
      const answer = await ask("POST", "api_keys", { body: { name: " ci " } });

      expect(answer.status).toBe(201);
      expectShape(apiKeyWithKeySchema, answer);
      expect(answer.body).toMatchObject({ object: "api_key", name: "ci", last_used_at: null });
      const made = String(answer.body["key"]);
      expect(answer.body["prefix"]).toBe(made.slice(0, 12));
      expect((await ask("GET", "account", { key: made })).body["id"]).toBe(accountId);
      const listed = await ask("GET", "api_keys");
      expect(JSON.stringify(listed.body)).not.toContain(made);
    });
  });

  describe("returns 400 and", () => {
    it.each([{ name: "" }, { name: "  " }, { name: "x".repeat(101) }, { name: 5 }, {}])(
      "names 'name' as the invalid parameter for the body %j",
      async (body) => {
        const answer = await ask("POST", "api_keys", { body });
        expect(answer.status).toBe(400);
        expect(answer.body["error"]).toMatchObject({ param: "name" });
      },
    );
  });

  describe("returns 403 and", () => {
    it("creates no key if the call uses a key of the demo workspace", async () => {
      const demo = await stranger(true);
      expect((await ask("POST", "api_keys", { body: { name: "x" }, key: demo })).status).toBe(403);
      expect((await ask("DELETE", "api_keys/key_1", { key: demo })).status).toBe(403);
    });
  });

  describe("returns 409 and", () => {
    it("creates no more than 20 keys per account, even for concurrent calls, until a key is revoked", async () => {
      const asked = Array.from({ length: 25 }, (_, n) =>
        ask("POST", "api_keys", { body: { name: `k${n}` }, atOnce: true }),
      );
      const made = (await Promise.all(asked)).filter(({ status }) => status === 201);
      expect(made).toHaveLength(19);
      clock.advance(2_000);

      const refused = await ask("POST", "api_keys", { body: { name: "more" } });
      expect(refused.status).toBe(409);
      expect(refused.body["error"]).toMatchObject({ code: "CONFLICT" });

      await ask("DELETE", `api_keys/${String(made[0]?.body["id"])}`);
      expect((await ask("POST", "api_keys", { body: { name: "more" } })).status).toBe(201);
    });
  });
});

describe("POST /v1/api_keys with 'scopes'", () => {
  const created = async (scopes: unknown, by?: string) =>
    ask("POST", "api_keys", { body: { name: "agent", scopes }, ...(by && { key: by }) });
  const refusalOf = (answer: { body: Record<string, unknown> }) =>
    answer.body["error"] as Record<string, string>;

  it("creates a key that can make only the calls that its scopes allow", async () => {
    const answer = await created(["write", "read", "read"]);

    expect(answer.status).toBe(201);
    expectShape(apiKeyWithKeySchema, answer);
    expect(answer.body["scopes"]).toEqual(["read", "write"]);
    const limited = String((await created(["write"])).body["key"]);
    expect((await ask("PATCH", "account", { body: {}, key: limited })).status).not.toBe(403);
    const refused = await ask("GET", "usage", { key: limited });
    expect(refused.status).toBe(403);
    expect(refusalOf(refused)).toMatchObject({
      code: "UNAUTHORIZED",
      param: "scopes",
      message: expect.stringContaining("lacks the scope 'read'. Nothing was changed or charged."),
    });
    const shown = await ask("GET", "account", { key: String(answer.body["key"]) });
    expect(shown.body["api_key"]).toMatchObject({ scopes: ["read", "write"] });
  });

  it("creates a key with every scope if 'scopes' is absent", async () => {
    const answer = await ask("POST", "api_keys", { body: { name: "server" } });
    expect(answer.body["scopes"]).toEqual(["read", "spend", "write"]);
  });

  it("returns 403 and creates nothing if the calling key lacks a scope that the request names", async () => {
    const limited = String((await created(["read", "write"])).body["key"]);
    const before = (await ask("GET", "api_keys")).body["data"] as unknown[];

    for (const wanted of [["spend"], ["read", "spend", "write"], undefined]) {
      const refused = await created(wanted, limited);
      expect(refused.status).toBe(403);
      expect(refusalOf(refused)).toMatchObject({
        code: "UNAUTHORIZED",
        param: "scopes",
        message: expect.stringContaining("lacks the scope 'spend', so it cannot create"),
      });
    }
    expect((await ask("GET", "api_keys")).body["data"]).toHaveLength(before.length);
    expect((await created(["read"], limited)).status).toBe(201);
  });

  it.each([[[]], [["admin"]], ["read"], [[5]]])("returns 400 for the scopes %j", async (scopes) => {
    const answer = await created(scopes);
    expect(answer.status).toBe(400);
    expect(refusalOf(answer)["param"]).toMatch(/^scopes/);
    expect(refusalOf(answer)["message"]).toContain("read, spend, write");
  });
});

describe("GET /v1/api_keys", () => {
  describe("returns 200 and", () => {
    it("lists the account's keys oldest first, with the time of their last use", async () => {
      clock.advance(1_000);
      const second = await ask("POST", "api_keys", { body: { name: "second" } });
      await stranger();

      const answer = await ask("GET", "api_keys");

      expectShape(apiKeysResponse, answer);
      expect(answer.body).toEqual({
        object: "list",
        has_more: false,
        data: [
          {
            id: key.id,
            object: "api_key",
            name: "server",
            prefix: key.prefix,
            scopes: ["read", "spend", "write"],
            created_at: "2026-03-10T12:00:00.000Z",
            last_used_at: clock.now().toISOString(),
          },
          {
            id: second.body["id"],
            object: "api_key",
            name: "second",
            prefix: second.body["prefix"],
            scopes: ["read", "spend", "write"],
            created_at: "2026-03-10T12:00:01.050Z",
            last_used_at: null,
          },
        ],
      });
    });
  });
});

describe("DELETE /v1/api_keys/{id}", () => {
  describe("returns 200 and", () => {
    it("revokes a key immediately: calls with the key get 401, and the list of keys omits it", async () => {
      const made = await ask("POST", "api_keys", { body: { name: "old" } });
      const old = String(made.body["key"]);
      expect((await ask("GET", "account", { key: old })).status).toBe(200);

      const answer = await ask("DELETE", `api_keys/${String(made.body["id"])}`);

      expect(answer.status).toBe(200);
      expectShape(apiKeyDeletedResponse, answer);
      expect(answer.body).toEqual({ id: made.body["id"], object: "api_key", deleted: true });
      expect((await ask("GET", "account", { key: old })).status).toBe(401);
      expect((await ask("GET", "api_keys")).body["data"]).toHaveLength(1);
    });
  });

  describe("returns 404 and", () => {
    it("returns the same error for an unknown key, another account's key and a deleted key, except for the ID in the error", async () => {
      const foreign = await ask("GET", "api_keys", { key: await stranger() });
      const [theirs] = foreign.body["data"] as { id: string }[];
      const made = await ask("POST", "api_keys", { body: { name: "old" } });
      const deleted = String(made.body["id"]);
      await ask("DELETE", `api_keys/${deleted}`);

      const unknown = `key_${"0".repeat(24)}`;
      const errors = [];
      for (const id of [unknown, theirs?.id ?? "", deleted]) {
        const { status, body } = await ask("DELETE", `api_keys/${id}`);
        expect(status).toBe(404);
        expect(JSON.stringify(body)).toContain(id);
        errors.push(JSON.stringify(body["error"]).replace(id, unknown));
      }

      expect(errors[0]).toContain("NOT_FOUND");
      expect(errors[1]).toBe(errors[0]);
      expect(errors[2]).toBe(errors[0]);
    });

    it("does not quote a secret API key that a client sent instead of a key ID", async () => {
      const { status, body } = await ask("DELETE", "api_keys/svc_live_0123456789abcdef");
      expect(status).toBe(404);
      expect(JSON.stringify(body)).not.toContain("svc_live_0123456789abcdef");
    });
  });

  describe("returns 409 and", () => {
    it("refuses to revoke the key that authenticates the call", async () => {
      const answer = await ask("DELETE", `api_keys/${key.id}`);
      expect(answer.status).toBe(409);
      expect(answer.body["error"]).toMatchObject({ code: "CONFLICT" });
      expect((await ask("GET", "account")).status).toBe(200);
    });
  });
});

describe("PATCH /v1/account", () => {
  const today = "2026-03-10T13:00:00Z";

  /** Reserves credits for a call, as a separate process. */
  const reserve = (holdId: string, credits: number, at = today) =>
    reserveForCall(world.ledger(), { accountId, holdId, credits, now: new Date(at) });

  it("sets a daily budget that refuses reservations of more credits than it has left, and removes the budget if the value in the body is null", async () => {
    const set = await ask("PATCH", "account", { body: { daily_credit_budget: 100 } });
    expect(set).toMatchObject({
      status: 200,
      body: { daily_credit_budget: 100, daily_credits_left: 100, credits_spent_today: 0 },
    });
    expectShape(accountResponse, set);
    expect(await reserve("a", 60)).toEqual({ outcome: "reserved" });
    expect(await reserve("b", 41)).toMatchObject({
      outcome: "over_budget",
      budget: "account",
      limit: 100,
      available: 40,
      balance: 4_940,
    });
    expect((await ask("GET", "account")).body).toMatchObject({ daily_credits_left: 40 });
    const removed = await ask("PATCH", "account", { body: { daily_credit_budget: null } });
    expect(removed.body).toMatchObject({ daily_credit_budget: null, daily_credits_left: null });
    expect(await reserve("b", 41)).toEqual({ outcome: "reserved" });
  });

  it("counts the credits that the account has already spent or reserved today towards a new daily budget", async () => {
    await work("before", today, { held: 50, charged: 30 });
    await reserve("open", 20, "2026-03-10T13:00:01Z");
    const { body } = await ask("PATCH", "account", { body: { daily_credit_budget: 100 } });
    expect(body).toMatchObject({ daily_credits_left: 50, credits_spent_today: 30 });
  });

  it("sets a daily budget that regains refunded credits, and that is fully available again on the next UTC day", async () => {
    await ask("PATCH", "account", { body: { daily_credit_budget: 50 } });
    await work("a", today, { held: 50, charged: 10 });
    expect((await ask("GET", "account")).body).toMatchObject({ daily_credits_left: 40 });
    await work("b", "2026-03-10T14:00:00Z", { held: 40, charged: 40 });
    expect(await reserve("c", 1, "2026-03-10T15:00:00Z")).toMatchObject({ available: 0 });
    expect(await reserve("c", 50, "2026-03-11T00:00:00Z")).toEqual({ outcome: "reserved" });
  });

  it("sets a daily budget that concurrent reservations of several processes cannot exceed", async () => {
    await ask("PATCH", "account", { body: { daily_credit_budget: 20 } });
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, async (_, n) => (await reserve(`many-${n}`, 7)).outcome),
    );
    expect(outcomes.toSorted()).toEqual([
      "over_budget",
      "over_budget",
      "over_budget",
      "reserved",
      "reserved",
    ]);
  });

  it("sets a daily budget that stays in force when a purchase adds shards", async () => {
    await ask("PATCH", "account", { body: { daily_credit_budget: 30 } });
    const target = { accountId, changeId: "pack" };
    await purchasePack({ ...target, packId: "starter" }, { changes: world.changes, clock });
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => (await reserve(`grown-${n}`, 10)).outcome),
    );
    expect(outcomes.filter((outcome) => outcome === "reserved")).toHaveLength(3);
  });

  it.each([0, -1, 1.5, "10"])("returns 400 for a daily budget of %j", async (budget) => {
    const { status, body } = await ask("PATCH", "account", {
      body: { daily_credit_budget: budget },
    });
    expect(status).toBe(400);
    expect(body["error"]).toMatchObject({ param: "daily_credit_budget" });
  });

  it("returns 403 to a key of the demo workspace", async () => {
    const body = { daily_credit_budget: 5 };
    expect((await ask("PATCH", "account", { body, key: await stranger(true) })).status).toBe(403);
  });
});
