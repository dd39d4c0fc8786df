import { DeleteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, expect } from "vitest";
import { reconcile, type Tables } from "../../../tools/reconcile/reconcile.ts";
import { dynamoCreditChanges } from "../../../tools/credits/dynamo-credit-changes.ts";
import { dynamoDeliveryStore } from "../../../shared/aws/deliveries/delivery-store.ts";
import { dynamoEndpointStore } from "../../../shared/aws/deliveries/endpoint-store.ts";
import { dynamoEventFeed } from "../../../shared/aws/deliveries/event-feed.ts";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import type { RowKey } from "../../../shared/aws/table/table.ts";
import { type Difference, differenceLine } from "../../../tools/reconcile/rules/difference.ts";
import { lastEventId } from "../../../shared/events/event.ts";
import type { Run } from "../../../shared/runs/run.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { newDelivery } from "../../../shared/webhooks/delivery.ts";
import { anEndpoint } from "../../support/an-endpoint.ts";
import { countingRandom } from "../../support/clock.ts";
import { type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();
export const { client } = tables;
export let names: Tables;

/** Registers a hook that creates separate tables before the tests of a file. */
export const withTables = (): void => {
  beforeAll(async () => {
    names = {
      accounts: await tables.create(),
      ledger: await tables.create(),
      watchlists: await tables.create(),
      deliveries: await tables.create(),
    };
  });
};

/** An account whose watchlist has run three times, with one pending webhook delivery. */
export interface World {
  readonly bench: RunBench;
  readonly accountId: string;
  readonly list: Watchlist;
  readonly runs: readonly Run[];
}

export const ids = ["1000001", "1000002", "1000003", "1000004", "1000005"] as const;
const standard = (amount: number): Record<string, unknown> => ({
  price: { amount, currency: "USD" },
  availability: { inStock: true, message: "" },
  retailer_d: { state: "ADD_TO_CART", regularPrice: 20, purchasable: true },
});

/**
 * Creates the account and runs its watchlist three times. In the second run, a price changes. In
 * the third, one item is delisted and another gets no answer.
 */
export async function startWorld(): Promise<World> {
  const given = [names.accounts, names.ledger, names.watchlists];
  const create = async (): Promise<string> => given.shift() ?? "";
  const bench = await startRunBench({ tables: { ...tables, create }, batchIdsMax: 2 });
  const { id: accountId } = await bench.account();
  const list = await bench.createList(ids);
  const runs: Run[] = [];
  const world: World = { bench, accountId, list, runs };
  await openEndpoint(world);
  for (const run of [1, 2, 3]) {
    bench.answers.product = (id) => {
      if (run === 3 && id === ids[1]) return { status: "not_found" };
      if (run === 3 && id === ids[2]) return { status: "unavailable" };
      return { status: "ok", fields: standard(id === ids[0] ? run : 10) };
    };
    await bench.run(list);
    const ended = await bench.lastRun(list);
    runs.push(ended);
    await publish(world, ended);
    bench.clock.advance(3_600_000);
  }
  const store = dynamoDeliveryStore(client, deliveryOptions(world));
  await store.requestRedelivery(accountId, deliveryOf(world), bench.clock.now());
  await useCredits(world);
  return world;
}

export const endpointId = "we_0123456789abcdefghjkmnpq";
const deliveryOptions = ({ bench }: Pick<World, "bench">) => ({
  tableName: names.deliveries,
  clock: bench.clock,
  random: countingRandom(),
});

async function openEndpoint(world: World): Promise<void> {
  const longAgo = "2026-02-01T00:00:00.000Z";
  const endpoint = anEndpoint({
    id: endpointId,
    accountId: world.accountId,
    url: "https://hooks.example.com/",
    createdAt: longAgo,
  });
  await dynamoEndpointStore(client, deliveryOptions(world)).create(world.accountId, endpoint);
}

/** Returns the end of a run, ISO 8601. */
export const endedAt = (run: Run | undefined): string => String(run?.finishedAt);

/** Adds a run to the event feed, and stores its delivery as delivered. */
async function publish(world: World, run: Run): Promise<void> {
  const { bench, accountId, list } = world;
  await dynamoEventFeed(client, deliveryOptions(world)).append(accountId, {
    runId: run.id,
    watchlistId: list.id,
    webhookEndpointId: null,
    createdAt: endedAt(run),
    types: ["watchlist.run.completed"],
  });
  bench.clock.advance(1_000);
  const store = dynamoDeliveryStore(client, deliveryOptions(world));
  await store.put(accountId, { ...deliveryOf(world, run), state: "delivered" });
}

/** Returns the pending delivery of a run's last event. By default, the run is the first one. */
export function deliveryOf({ list, runs }: World, run = runs[0]) {
  const runId = String(run?.id);
  const event = {
    id: lastEventId({ runId, endedAt: endedAt(run) }),
    type: "watchlist.run.completed" as const,
    createdAt: endedAt(run),
  };
  return newDelivery({ event, watchlistId: list.id, runId, endpointId });
}

/** Makes a purchase, a correction, a call that stays open, and a call that is refunded in part. */
async function useCredits({ bench, accountId }: World): Promise<void> {
  const [now, ledger] = [bench.clock.now(), bench.ledger];
  const changes = dynamoCreditChanges(client, {
    accountsTable: names.accounts,
    ledgerTable: names.ledger,
    clock: bench.clock,
    random: countingRandom(),
  });
  await changes.apply({ accountId, changeId: "inv-1", type: "purchase", credits: 25_000, now });
  await changes.apply({ accountId, changeId: "fix-1", type: "adjust", credits: -300, now });
  for (const [holdId, credits] of [
    ["req_open", 40],
    ["req_done", 10],
  ] as const) {
    const expiresAt = new Date(now.getTime() + 600_000);
    const source = { requestId: holdId };
    await ledger.reserve({ accountId, holdId, credits, slot: true, source, now, expiresAt });
  }
  await ledger.settle({ accountId, holdId: "req_done", credits: 3, succeeded: true, now });
}

/**
 * Returns the lines that a reconciliation of the test's tables prints, for the test's account alone
 * or for all accounts.
 */
export async function found(
  { bench, accountId }: World,
  which: "account" | "everything" = "account",
): Promise<string[]> {
  const differences: Difference[] = [];
  const tally = await reconcile(client, names, {
    accountId: which === "account" ? accountId : null,
    runsMax: 20,
    clock: bench.clock,
    report: (difference) => differences.push(difference),
  });
  expect(tally).toMatchObject({ differences: differences.length, unsteady: 0 });
  return differences.map(differenceLine);
}

/**
 * Reads a row.
 * @throws Error if the row does not exist
 */
export async function rowAt(table: string, Key: RowKey): Promise<Row> {
  const { Item } = await client.send(new GetCommand({ TableName: table, Key: { ...Key } }));
  if (Item === undefined) throw new Error(`There is no row ${Key.pk} ${Key.sk}`);
  return Item;
}

/** Replaces attributes of a stored row by the attributes that `to` returns. */
export async function damage(table: string, key: RowKey, to: (row: Row) => Row): Promise<void> {
  const row = await rowAt(table, key);
  await client.send(new PutCommand({ TableName: table, Item: { ...row, ...to(row) } }));
}

/** Deletes a row. */
export const remove = (table: string, Key: RowKey): Promise<unknown> =>
  client.send(new DeleteCommand({ TableName: table, Key: { ...Key } }));

/** Returns a change that adds a number to an attribute, for `damage`. */
export const more =
  (name: string, by: number) =>
  (row: Row): Row => ({ [name]: Number(row[name]) + by });

type Place = readonly [table: string, key: RowKey];
/** Returns the changed row, or null to delete it. */
export type Change = (row: Row) => Row | null;

/** Stores a row, and replaces a row with the same key. */
export const put = (table: string, row: Row): Promise<unknown> =>
  client.send(new PutCommand({ TableName: table, Item: row }));

/**
 * Changes or deletes rows, returns the differences that a reconciliation then finds, and restores
 * the rows.
 */
export async function differencesAfter(
  world: World,
  places: readonly (readonly [...Place, Change])[],
  which: "account" | "everything" = "everything",
): Promise<string[]> {
  const before = await Promise.all(places.map(([table, at]) => rowAt(table, at)));
  try {
    for (const [n, [table, at, change]] of places.entries()) {
      const row = change({ ...before[n] });
      await (row === null ? remove(table, at) : put(table, row));
    }
    return await found(world, which);
  } finally {
    for (const [n, [table]] of places.entries()) await put(table, before[n] ?? {});
  }
}

export const deleted: Change = () => null;
export const set =
  (attributes: Row): Change =>
  (row) => ({ ...row, ...attributes });
export const without =
  (...attributes: string[]): Change =>
  (row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !attributes.includes(name)));
/**
 * Returns a change that adds a number to an attribute, for `differencesAfter`. The number may be
 * negative.
 */
export const add =
  (name: string, by: number): Change =>
  (row) => ({ ...row, ...more(name, by)(row) });
