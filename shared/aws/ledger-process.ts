import {
  type DynamoDBDocumentClient,
  GetCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { assert } from "../base/assert.ts";
import type { Chance, Clock } from "../base/clock.ts";
import { repeats } from "../base/retry-budget.ts";
import {
  type CancellationReason,
  cancellationReasons,
  isThrottle,
  type Note,
  type Row,
  untilSettled,
} from "./dynamo.ts";
import {
  accountPosition,
  type Books,
  booksIn,
  type Hold,
  type LedgerTables,
  type LedgerTransaction,
} from "./ledger-transactions.ts";
import { accountKeys, type RowKey } from "./table.ts";

export interface LedgerOptions extends LedgerTables {
  readonly clock: Clock;
  readonly chance: Chance;
}

/** What one process knows between calls; only ever a shortcut, the rows decide. */
export interface LedgerProcess extends LedgerOptions {
  readonly client: DynamoDBDocumentClient;
  readonly booksOf: Map<string, Books>;
  readonly openHolds: Map<string, Hold>;
}

const freshTriesMax = 2;
/** 250 calls may end in the same moment, and each needs the account for some 10 ms. */
const waitMsMax = 3_000;

/**
 * Retries an attempt until it commits or is refused. A refusal because of a stale account balance state returns
 * the current state, which is stale again within milliseconds: use it immediately, discard it before any wait.
 */
export function untilDone<T>(
  process: LedgerProcess,
  accountId: string,
  attempt: (note: Note) => Promise<T | "again">,
): Promise<T> {
  return untilSettled({ ...process, waitMsMax }, async (note) => {
    for (let tries = 0; tries < freshTriesMax; tries += 1) {
      const result = await retryOnThrottle(() => attempt(note), note);
      if (result !== "again") return result;
      if (!process.booksOf.has(accountId)) return "again";
    }
    process.booksOf.delete(accountId);
    return "again";
  });
}

/** A request that was turned away has changed nothing. */
async function retryOnThrottle<T>(
  attempt: () => Promise<T | "again">,
  note: Note,
): Promise<T | "again"> {
  try {
    return await attempt();
  } catch (error) {
    if (!isThrottle(error)) throw error;
    note("throttled");
    return "again";
  }
}

export async function read(process: LedgerProcess, key: RowKey): Promise<Row | undefined> {
  const { Item } = await process.client.send(
    new GetCommand({ TableName: process.accountsTable, Key: key, ConsistentRead: true }),
  );
  return Item;
}

export async function readBooks(process: LedgerProcess, accountId: string): Promise<Books> {
  const row = await read(process, accountKeys.account(accountId));
  assert(row !== undefined, "credits belong to an account that exists");
  return remember(process, accountId, row);
}

function remember(process: LedgerProcess, accountId: string, row: Row): Books {
  const books = booksIn(row);
  process.booksOf.set(accountId, books);
  return books;
}

/**
 * Runs one transaction and updates the cached account balance state. Returns the cancellation reasons of a
 * refused transaction. If there was no response, `effect` checks whether the transaction committed.
 */
export async function commit<Effect extends object>(
  process: LedgerProcess,
  { accountId, writes, after }: LedgerTransaction & { readonly accountId: string },
  effect: () => Promise<Effect | undefined>,
): Promise<readonly CancellationReason[] | "committed" | Effect> {
  try {
    await process.client.send(new TransactWriteCommand({ TransactItems: writes }));
    process.booksOf.set(accountId, after);
    return "committed";
  } catch (error) {
    const reasons = cancellationReasons(error);
    // Without an answer nothing is known of the books any more.
    process.booksOf.delete(accountId);
    if (reasons === undefined) {
      if (isThrottle(error)) return turnedAway;
      const found = await readWithRetry(process, effect);
      if (found === undefined) throw error;
      return found;
    }
    const current = reasons[accountPosition]?.item;
    if (current !== undefined) remember(process, accountId, unmarshall(current));
    return reasons;
  }
}

/** Reads with retries whether a transaction without a response committed; the charge depends on it. */
async function readWithRetry<T>(process: LedgerProcess, ask: () => Promise<T>): Promise<T> {
  const mayRepeat = repeats(process, { triesMax: 4, pauseMs: 200 });
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(await mayRepeat())) throw error;
    }
  }
}

const turnedAway: readonly CancellationReason[] = [{ code: "ThrottlingError", item: undefined }];
