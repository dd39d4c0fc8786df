import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type BooksReader, dynamoBooksReader } from "../../shared/aws/books-reader.ts";
import { dynamoDeliveriesReader } from "../../shared/aws/deliveries-reader.ts";
import { dynamoDeliveryStore } from "../../shared/aws/delivery-store.ts";
import { dynamoEndpoints } from "../../shared/aws/endpoint-store.ts";
import { dynamoExportStore } from "../../shared/aws/export-store.ts";
import { dynamoListsReader } from "../../shared/aws/lists-reader.ts";
import { dynamoStepStore } from "../../shared/aws/step-store.ts";
import type { Clock } from "../../shared/base/clock.ts";
import { systemChance } from "../../shared/base/system.ts";
import type { Difference } from "../../shared/base/difference.ts";
import { checkBooks } from "./check-books.ts";
import { checkDeliveries } from "./check-deliveries.ts";
import { checkItems, checkListCount, checkRuns, type RunsWanted } from "./check-lists.ts";

/** The service's tables by their names. */
export interface Tables {
  readonly accounts: string;
  readonly ledger: string;
  readonly watchlists: string;
  readonly deliveries: string;
}

/** How much was compared. */
export interface Tally {
  readonly accounts: number;
  readonly ledgerEntries: number;
  readonly holds: number;
  readonly watchlists: number;
  readonly items: number;
  /** Held to what their steps recorded; of the others only rows and charges are compared. */
  readonly runs: number;
  readonly pendingDeliveries: number;
  readonly feedRuns: number;
  readonly differences: number;
  /** Lists that kept moving, so that their counters could not be compared. */
  readonly unsteady: number;
}

export interface ReconcileRequest {
  /** Null: every account. */
  readonly accountId: string | null;
  /** How many runs of each list, the newest, are held to what their steps recorded. */
  readonly runsMax: number;
  readonly clock: Clock;
  /** Is told each difference as it is found. */
  readonly report: (difference: Difference) => void;
}

export type Counts = { -readonly [Name in keyof Tally]: number };

export const noCounts = (): Counts => ({
  accounts: 0,
  ledgerEntries: 0,
  holds: 0,
  watchlists: 0,
  items: 0,
  runs: 0,
  pendingDeliveries: 0,
  feedRuns: 0,
  differences: 0,
  unsteady: 0,
});

/** Charges of runs that began before are not compared: their steps are forgotten by then. */
const chargedDays = 14;
/** Clocks differ: a run that ended within this time may not be in the ledger that was read. */
const skewMs = 60_000;

/**
 * Compares what the tables keep twice: the ledger with balances, holds and usage, items with their
 * lists' counters, runs with what their steps recorded, what is pending with what is owed. Works
 * through all accounts, one at a time, while the service goes on; changes nothing.
 */
export async function reconcile(
  client: DynamoDBDocumentClient,
  tables: Tables,
  request: ReconcileRequest,
): Promise<Tally> {
  const counts = noCounts();
  const books = dynamoBooksReader(client, {
    accountsTable: tables.accounts,
    ledgerTable: tables.ledger,
  });
  const world: World = { client, tables, request, books, counts, tell: telling(request, counts) };
  for await (const { id, createdAt } of accountsOf(request, books)) {
    counts.accounts += 1;
    const charged = await reconcileBooks(world, id);
    await reconcileLists(world, id, charged);
    const deliveries = deliveriesOf(client, tables.deliveries, request.clock);
    const found = await checkDeliveries({ id, openedAt: createdAt }, deliveries);
    counts.pendingDeliveries += found.pending;
    counts.feedRuns += found.feedRuns;
    world.tell(found.differences);
  }
  return counts;
}

interface World {
  readonly client: DynamoDBDocumentClient;
  readonly tables: Tables;
  readonly request: ReconcileRequest;
  readonly books: BooksReader;
  readonly counts: Counts;
  readonly tell: (differences: readonly Difference[]) => void;
}

const telling =
  ({ report }: ReconcileRequest, counts: Counts) =>
  (differences: readonly Difference[]): void => {
    counts.differences += differences.length;
    for (const difference of differences) report(difference);
  };

/** @throws Error when the account asked for is not there. */
async function* accountsOf({ accountId }: ReconcileRequest, books: BooksReader) {
  let found = 0;
  for await (const account of books.accounts()) {
    if (accountId !== null && account.id !== accountId) continue;
    found += 1;
    yield account;
  }
  if (accountId !== null && found === 0) throw new Error(`There is no account ${accountId}`);
}

async function reconcileBooks(
  { books, counts, tell, request: { clock } }: World,
  id: string,
): Promise<RunsWanted["charged"]> {
  const until = new Date(clock.now().getTime() - skewMs);
  const since = new Date(until.getTime() - chargedDays * 24 * 60 * 60 * 1_000);
  const { sums, holds, differences } = await checkBooks(id, since, { books, clock });
  counts.ledgerEntries += sums?.sequence ?? 0;
  counts.holds += holds;
  tell(differences);
  return sums === null ? null : { sums, since, until };
}

async function reconcileLists(
  { client, tables, request, counts, tell }: World,
  accountId: string,
  charged: RunsWanted["charged"],
): Promise<void> {
  const { clock, runsMax } = request;
  const table = { table: tables.watchlists, clock, chance: systemChance };
  const lists = dynamoListsReader(client, tables.watchlists);
  const dependencies = { lists, steps: dynamoStepStore(client, table), clock };
  tell((await checkListCount(accountId, dependencies)).differences);
  for await (const { list } of lists.lists(accountId)) {
    const ref = { accountId, watchlistId: list.id };
    const items = await checkItems(ref, dependencies);
    const runs = await checkRuns({ ...ref, runsMax, charged }, dependencies);
    counts.watchlists += 1;
    counts.items += items.items;
    counts.runs += runs.runs;
    counts.unsteady += items.isSteady ? 0 : 1;
    tell([...items.differences, ...runs.differences]);
  }
}

/** What the deliveries of an account are compared by. */
export function deliveriesOf(client: DynamoDBDocumentClient, tableName: string, clock: Clock) {
  const table = { tableName, clock, chance: systemChance };
  return {
    rows: dynamoDeliveriesReader(client, tableName),
    endpoints: dynamoEndpoints(client, tableName),
    deliveries: dynamoDeliveryStore(client, table),
    exports: dynamoExportStore(client, tableName),
    clock,
  };
}

/** What was compared, in one line. */
export function tallyLine(tally: Tally): string {
  const compared = [
    [tally.ledgerEntries, "ledger entry", "ledger entries"],
    [tally.holds, "hold"],
    [tally.watchlists, "watchlist"],
    [tally.items, "item"],
    [tally.runs, "run"],
    [tally.pendingDeliveries, "pending delivery", "pending deliveries"],
    [tally.feedRuns, "run in the feed", "runs in the feed"],
  ] as const;
  const counted = [
    counting(tally.accounts, "account"),
    ...compared
      .filter(([count]) => count > 0)
      .map(([count, one, many]) => counting(count, one, many)),
  ];
  const found =
    tally.differences === 0 ? "no differences" : counting(tally.differences, "difference");
  const moving =
    tally.unsteady === 0
      ? ""
      : `; the counters of ${counting(tally.unsteady, "watchlist")} kept moving: try again`;
  return `reconcile: ${counted.join(", ")}: ${found}${moving}`;
}

const counting = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
