import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type AccountsReader, dynamoAccountsReader } from "./readers/accounts.ts";
import { type AccountLine, type LedgerReader, dynamoLedgerReader } from "./readers/ledger.ts";
import { dynamoDeliveriesReader } from "./readers/deliveries.ts";
import { dynamoDeliveryStore } from "../../shared/aws/deliveries/delivery-store.ts";
import { dynamoEndpoints } from "../../shared/aws/deliveries/endpoint-store.ts";
import { dynamoExportStore } from "../../shared/aws/exports/export-store.ts";
import { dynamoListsReader } from "./readers/lists.ts";
import { dynamoStepStore } from "../../shared/aws/runs/step-store.ts";
import type { Clock } from "../../shared/base/clock.ts";
import { systemRandom } from "../../shared/base/system.ts";
import type { Difference } from "./rules/difference.ts";
import { unreadable } from "./rules/runs.ts";
import type { EndedRun } from "./rules/delivery.ts";
import { checkLedger } from "./checks/ledger.ts";
import { checkDeliveries } from "./checks/deliveries.ts";
import { checkItems, checkListCount, checkRuns, type RunsCheck } from "./checks/lists.ts";
import { everyAccount, oneAccount } from "./checks/accounts.ts";
import { orUnreadable } from "./checks/unreadable.ts";

/** The names of the service's tables. */
export interface Tables {
  readonly accounts: string;
  readonly ledger: string;
  readonly watchlists: string;
  readonly deliveries: string;
}

/** The numbers of compared accounts, ledger entries and other records, by kind. */
export interface Tally {
  readonly accounts: number;
  readonly ledgerEntries: number;
  readonly holds: number;
  readonly watchlists: number;
  readonly items: number;
  /**
   * The number of runs that were compared with the records of their steps. Of older runs, only the
   * rows and charges are compared.
   */
  readonly runs: number;
  readonly pendingDeliveries: number;
  readonly feedRuns: number;
  readonly differences: number;
  /** The number of watchlists whose counters could not be compared, because they kept changing. */
  readonly unsteady: number;
  /** The IDs of the watchlists that `unsteady` counts. */
  readonly moving: readonly string[];
}

/** What to reconcile, and where to report differences. */
export interface ReconcileRequest {
  /** The ID of the account to check; null to check all accounts. */
  readonly accountId: string | null;
  /** For each watchlist, the number of newest runs whose results and deliveries are compared. */
  readonly runsMax: number;
  readonly clock: Clock;
  /** Called with each difference as soon as it is found. */
  readonly report: (difference: Difference) => void;
  /** Called before each account. */
  readonly begin?: (accountId: string) => void;
}

/** A tally that a reconciliation changes while it runs. */
export type Counts = { -readonly [Name in Exclude<keyof Tally, "moving">]: number } & {
  readonly moving: string[];
};

/** Returns counts in which every number is 0. */
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
  moving: [],
});

const dayMs = 24 * 60 * 60 * 1_000;
/** Days for which charges are compared with runs. The step records of older runs have expired. */
const chargedDays = 14;
/**
 * Days for which resolved holds are compared. They expire after 30 days, and DynamoDB may delete
 * expired rows later.
 */
const resolvedDays = 28;
/**
 * The largest difference between clocks, in milliseconds. The ledger may lack the charge of a run
 * that ended within this time before the ledger was read.
 */
const skewMs = 60_000;

/**
 * Compares all data that the tables store twice:
 * - the ledger with balances, holds and usage;
 * - items with watchlist counters;
 * - runs with step records and with the feed;
 * - pending deliveries with outboxes.
 * Checks one account at a time while the service runs, and only reads. Reports an unreadable row as
 * a difference. Returns the numbers of compared rows.
 * @throws Error if `request.accountId` does not exist
 */
export async function reconcile(
  client: DynamoDBDocumentClient,
  tables: Tables,
  request: ReconcileRequest,
): Promise<Tally> {
  const counts = noCounts();
  const ledgerTables = { accountsTable: tables.accounts, ledgerTable: tables.ledger };
  const accounts = dynamoAccountsReader(client, ledgerTables);
  const ledgerReader = dynamoLedgerReader(client, ledgerTables);
  const strayKeys = new Set<string>();
  const report = differenceReporter(request, counts);
  const world: World = {
    client,
    tables,
    request,
    accounts,
    ledgerReader,
    counts,
    report,
    strayKeys,
  };
  const { accountId } = request;
  for await (const account of accountId === null
    ? everyAccount(world)
    : oneAccount(accountId, world)) {
    counts.accounts += 1;
    request.begin?.(account.id);
    report(await orUnreadable(account.id, () => reconcileAccount(world, account)));
  }
  return counts;
}

interface World {
  readonly client: DynamoDBDocumentClient;
  readonly tables: Tables;
  readonly request: ReconcileRequest;
  readonly accounts: AccountsReader;
  readonly ledgerReader: LedgerReader;
  readonly counts: Counts;
  readonly report: (differences: readonly Difference[]) => void;
  /** IDs of the API keys with a reported difference. */
  readonly strayKeys: Set<string>;
}

const differenceReporter =
  ({ report }: ReconcileRequest, counts: Counts) =>
  (differences: readonly Difference[]): void => {
    counts.differences += differences.length;
    for (const difference of differences) report(difference);
  };

/**
 * Checks an account and reports its differences. Returns no differences, because all are reported
 * already.
 */
async function reconcileAccount(
  world: World,
  { id, createdAt: openedAt }: AccountLine,
): Promise<readonly Difference[]> {
  const { client, tables, request, counts, report } = world;
  const charged = await reconcileLedger(world, id);
  const ended = await reconcileLists(world, id, charged);
  const deliveries = deliveriesOf(client, tables.deliveries, request.clock);
  const result = await checkDeliveries({ id, openedAt, ended }, deliveries);
  counts.pendingDeliveries += result.pending;
  counts.feedRuns += result.feedRuns;
  report(result.differences);
  return [];
}

async function reconcileLedger(
  { ledgerReader, counts, report, strayKeys, request: { clock } }: World,
  id: string,
): Promise<RunsCheck["charged"]> {
  const until = new Date(clock.now().getTime() - skewMs);
  const since = new Date(until.getTime() - chargedDays * dayMs);
  const resolved = new Date(until.getTime() - resolvedDays * dayMs);
  const result = await checkLedger(id, { charges: since, resolved }, { ledgerReader, clock });
  const { sums } = result;
  counts.ledgerEntries += sums?.sequence ?? 0;
  counts.holds += result.holds;
  for (const keyId of result.strayKeys) strayKeys.add(keyId);
  report(result.differences);
  return sums === null ? null : { sums, since, until };
}

/**
 * Checks an account's watchlists. Returns the finished runs whose events must be in the account's
 * feed.
 */
async function reconcileLists(
  { client, tables, request, counts, report }: World,
  accountId: string,
  charged: RunsCheck["charged"],
): Promise<readonly EndedRun[]> {
  const { clock, runsMax } = request;
  const table = { table: tables.watchlists, clock, random: systemRandom };
  const lists = dynamoListsReader(client, tables.watchlists);
  const dependencies = { lists, steps: dynamoStepStore(client, table), clock };
  const ended: EndedRun[] = [];
  const damaged = (watchlistId: string): void => report([unreadable(watchlistId)]);
  report((await checkListCount(accountId, dependencies)).differences);
  for await (const { watchlist } of lists.lists(accountId, damaged)) {
    const ref = { accountId, watchlistId: watchlist.id };
    counts.watchlists += 1;
    const look = async (): Promise<readonly Difference[]> => {
      const items = await checkItems(ref, dependencies);
      counts.items += items.items;
      if (!items.isSteady) counts.moving.push(watchlist.id);
      const runs = await checkRuns({ ...ref, runsMax, charged }, dependencies);
      counts.runs += runs.runs;
      ended.push(...runs.ended);
      return [...items.differences, ...runs.differences];
    };
    report(await orUnreadable(watchlist.id, look));
  }
  counts.unsteady = counts.moving.length;
  return ended;
}

/** Creates the readers of the table `tableName` for the check of an account's deliveries. */
export function deliveriesOf(client: DynamoDBDocumentClient, tableName: string, clock: Clock) {
  const table = { tableName, clock, random: systemRandom };
  return {
    rows: dynamoDeliveriesReader(client, tableName),
    endpoints: dynamoEndpoints(client, table),
    deliveries: dynamoDeliveryStore(client, table),
    exports: dynamoExportStore(client, tableName),
    clock,
  };
}

/**
 * Formats the result of a reconciliation as one line: the numbers of compared accounts, holds,
 * watchlists, runs and other records, the number of differences, and what was not compared.
 */
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
  const outcome =
    tally.differences === 0 ? "no differences" : counting(tally.differences, "difference");
  return `reconcile: ${counted.join(", ")}: ${outcome}${notCompared(tally)}`;
}

function notCompared({ unsteady, moving }: Tally): string {
  if (unsteady === 0) return "";
  const which = moving.length === 0 ? "" : ` (${moving.join(", ")})`;
  const lists = counting(unsteady, "watchlist");
  return ` in what was compared. NOT compared: the counters of ${lists}${which}, because they kept changing. Run the command again.`;
}

const counting = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
