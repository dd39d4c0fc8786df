import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Chance, Clock } from "../base/clock.ts";
import { timeOf } from "../base/ids.ts";
import {
  type CreditHistory,
  type CreditTransaction,
  type HistoryPage,
  matches,
  type TransactionFilter,
} from "../credits/credit-history.ts";
import type { Row } from "./dynamo.ts";
import { transactionOf } from "./ledger-entry.ts";
import type { LedgerTables } from "./ledger/process.ts";
import { resolvedHoldDays } from "./ledger/row-holds.ts";
import { firstRows, queryRows } from "./query-rows.ts";
import { rowsByKey } from "./rows-by-key.ts";
import { accountKeys, ledgerKeys } from "./table.ts";

interface Options extends LedgerTables {
  readonly clock: Clock;
  readonly chance: Chance;
}

/** Entries that a page with a filter reads before it ends early: some 900 KB, 225 read units. */
const scannedEntriesMax = 2_000;
const rowsPerQuery = 500;
/** Marks that a page reads, some 250 KB. Automatic top-ups add a mark each. */
const marksMax = 1_000;
/** What one read by keys takes. */
const keysMax = 100;
const dayMs = 24 * 60 * 60 * 1_000;
/** An entry may be dated before the id that it names was made: clocks differ by less. */
const skewMs = 60 * 60 * 1_000;

interface Wanted {
  readonly accountId: string;
  readonly limit: number;
  /** Exclusive. */
  readonly before: number;
  readonly filter: TransactionFilter;
}

/**
 * The ledger's entries in DynamoDB, which sort by their sequence. The entries of a call are found by
 * its hold, and up to `marksMax` grants, purchases and adjustments by their marks; for every other
 * filter the ledger is read newest first, `scannedEntriesMax` entries a page.
 */
export function dynamoCreditHistory(
  client: DynamoDBDocumentClient,
  options: Options,
): CreditHistory {
  return {
    async page(accountId, { limit, before = ledgerKeys.sequenceMax + 1, filter = {} }) {
      const wanted = { accountId, limit, before, filter };
      const sequences = await knownSequences(client, options, wanted);
      return sequences === undefined
        ? scan(client, options, wanted)
        : readKnown(client, options, { ...wanted, sequences });
    },
  };
}

/** Sequences that hold every entry that the filter lets through; undefined when they are not known. */
async function knownSequences(
  client: DynamoDBDocumentClient,
  options: Options,
  { accountId, filter: { requestId, type } }: Wanted,
): Promise<readonly number[] | undefined> {
  if (requestId !== undefined) return sequencesOfCall(client, options, { accountId, requestId });
  if (type === "grant" || type === "purchase" || type === "adjust") {
    return sequencesOfChanges(client, options, { accountId, type });
  }
  return undefined;
}

async function sequencesOfCall(
  client: DynamoDBDocumentClient,
  { accountsTable, clock }: Options,
  { accountId, requestId }: { readonly accountId: string; readonly requestId: string },
): Promise<readonly number[] | undefined> {
  const { Item: hold } = await client.send(
    new GetCommand({
      TableName: accountsTable,
      Key: accountKeys.hold(accountId, requestId),
      ConsistentRead: true,
    }),
  );
  if (hold === undefined) {
    const keptSince = clock.now().getTime() - resolvedHoldDays * dayMs + skewMs;
    const madeAt = timeOf("request", requestId)?.getTime() ?? 0;
    // A hold is kept longer than that: the call has reserved nothing.
    return madeAt > keptSince ? [] : undefined;
  }
  const { sequence, resolved_sequence: first, cancelled_sequence: refund, state } = hold;
  // An earlier release wrote the row, or resolved or cancelled it.
  if (typeof sequence !== "number") return undefined;
  if (state === "open") return [sequence];
  if (typeof first !== "number") return undefined;
  if (state !== "cancelled") return [first + 1, first, sequence];
  // A charge of all that was held has no refund beside it: the entry after it may be this one.
  if (typeof refund === "number") return [...new Set([refund, first + 1, first, sequence])];
  return undefined;
}

/** Marks are kept for good, in no order. The entry that opens an account has none. */
async function sequencesOfChanges(
  client: DynamoDBDocumentClient,
  { accountsTable }: Options,
  { accountId, type }: { readonly accountId: string; readonly type: string },
): Promise<readonly number[] | undefined> {
  const { pk, sk } = accountKeys.change(accountId, "");
  const query = {
    TableName: accountsTable,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :change)",
    ExpressionAttributeValues: { ":pk": pk, ":change": sk },
    ProjectionExpression: "#type, #sequence",
    ExpressionAttributeNames: { "#type": "type", "#sequence": "sequence" },
  };
  const marks = await firstRows(client, query, marksMax + 1);
  if (marks.length > marksMax) return undefined;
  const sequences = marks
    .filter((mark) => mark["type"] === type)
    .map((mark) => Number(mark["sequence"]));
  return [...sequences, ...(type === "grant" ? [1] : [])].toSorted((a, b) => b - a);
}

async function readKnown(
  client: DynamoDBDocumentClient,
  { ledgerTable, clock, chance }: Options,
  wanted: Wanted & { readonly sequences: readonly number[] },
): Promise<HistoryPage> {
  const { accountId, limit, before, filter, sequences } = wanted;
  const left = sequences.filter((sequence) => sequence < before);
  const some = left.slice(0, Math.min(limit, keysMax));
  const keys = some.map((sequence) => ledgerKeys.entry(accountId, sequence));
  const rows = await rowsByKey(client, { table: ledgerTable, clock, chance }, keys);
  const transactions = rows
    .map(transactionOf)
    .filter((transaction) => matches(transaction, filter))
    .toSorted((a, b) => b.sequence - a.sequence);
  return { transactions, next: left.length > some.length ? (some.at(-1) ?? null) : null };
}

async function scan(
  client: DynamoDBDocumentClient,
  { ledgerTable }: Options,
  { accountId, limit, before, filter }: Wanted,
): Promise<HistoryPage> {
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const rows = queryRows(client, {
    TableName: ledgerTable,
    ConsistentRead: true,
    ScanIndexForward: false,
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :oldest AND :newest",
    ExpressionAttributeValues: {
      ":pk": ledgerKeys.entry(accountId, 1).pk,
      ":oldest": ledgerKeys.entry(accountId, 0).sk,
      ":newest": ledgerKeys.entry(accountId, Math.max(0, before - 1)).sk,
    },
    // One more than fits tells whether there are more.
    Limit: isFiltered ? rowsPerQuery : limit + 1,
  });
  const since = earliest(filter);
  const transactions: CreditTransaction[] = [];
  let last = before;
  let looked = 0;
  for await (const row of rows) {
    if (isBefore(row, since)) break;
    const transaction = transactionOf(row);
    if (matches(transaction, filter)) {
      if (transactions.length === limit) return { transactions, next: last };
      transactions.push(transaction);
    }
    last = transaction.sequence;
    looked += 1;
    if (isFiltered && looked === scannedEntriesMax) return { transactions, next: last };
  }
  return { transactions, next: null };
}

/** No entry names an id before it was made, and ids tell when that was. */
function earliest({ requestId, watchlistId }: TransactionFilter): string {
  const made = [
    requestId === undefined ? undefined : timeOf("request", requestId),
    watchlistId === undefined ? undefined : timeOf("watchlist", watchlistId),
  ];
  const latest = Math.max(0, ...made.map((at) => at?.getTime() ?? 0));
  return new Date(Math.max(0, latest - skewMs)).toISOString();
}

/** The clock that dates a grant, purchase or adjustment is the operator's, which may be far off. */
const isBefore = (row: Row, since: string): boolean =>
  row["hold_id"] !== undefined && String(row["created_at"]) < since;
