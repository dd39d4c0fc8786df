import {
  type DynamoDBDocumentClient,
  GetCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { assert } from "../base/assert.ts";
import type { Chance, Clock } from "../base/clock.ts";
import { mayRepeatAfter } from "../base/retry-budget.ts";
import type {
  HoldRef,
  Ledger,
  Reservation,
  ReserveOutcome,
  Settled,
  Settlement,
} from "../credits/ledger.ts";
import { dueKeys, dueKeysOf } from "./due-keys.ts";
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
  holdPosition,
  type LedgerTables,
  type LedgerTransaction,
  reserveTransaction,
  settleTransaction,
} from "./ledger-transactions.ts";
import { sourceOf } from "./ledger-entry.ts";
import { refusals, refused } from "./ledger-refusals.ts";
import { accountIdOf, accountKeys, type RowKey } from "./table.ts";

interface Options extends LedgerTables {
  readonly clock: Clock;
  readonly chance: Chance;
}

/** What one process knows between calls; only ever a shortcut, the rows decide. */
interface Process extends Options {
  readonly client: DynamoDBDocumentClient;
  readonly booksOf: Map<string, Books>;
  readonly openHolds: Map<string, Hold>;
}

/**
 * The ledger in DynamoDB. Every transaction is conditional on the account's sequence number, so the
 * entries of an account form one gapless chain. The books of each account are remembered between
 * calls: the first try needs no read, and a refused try brings the current row with it.
 */
export function dynamoLedger(client: DynamoDBDocumentClient, options: Options): Ledger {
  const process: Process = { ...options, client, booksOf: new Map(), openHolds: new Map() };
  return {
    reserve: (reservation) => reserve(process, reservation),
    settle: (settlement) => resolve(process, { settlement, state: "settled" }),
    release: (hold) => release(process, hold),
    releaseExpired: (accountId, now) =>
      releaseExpired(process, accountId, { now, everywhere: true }),
    async accountsWithExpiredHolds(now, limit) {
      const keys = await dueKeys(client, options.accountsTable, { kind: "hold", by: now, limit });
      return [...new Set(keys.map((key) => accountIdOf(key)))];
    },
  };
}

function reserve(process: Process, reservation: Reservation): Promise<ReserveOutcome> {
  const { accountId, holdId, credits, slot, source, now } = reservation;
  let mayRelease = true;
  const againOrFail = refusals(accountId, () => process.booksOf.delete(accountId));
  return untilDone(process, accountId, async (note) => {
    const remembered = process.booksOf.get(accountId);
    const books = remembered ?? (await readBooks(process, accountId));
    const obstacle = obstacleTo(reservation, books);
    if (obstacle !== undefined && remembered !== undefined) {
      // What is remembered may be out of date; only the row refuses.
      process.booksOf.delete(accountId);
      return "again";
    }
    if (obstacle !== undefined) {
      const released = mayRelease
        ? await releaseExpired(process, accountId, { now, everywhere: false })
        : 0;
      mayRelease = false;
      if (released > 0) return "again";
      // An earlier try of the same reservation may have committed without our hearing of it.
      return (await heldBefore(process, reservation)) ?? obstacle;
    }

    const transaction = reserveTransaction(process, reservation, books);
    const result = await commit(process, { accountId, ...transaction }, () =>
      heldBefore(process, reservation),
    );
    if (result === "committed") {
      if (slot) process.openHolds.set(holdId, { credits, slot, source });
      return { outcome: "reserved", balance: transaction.after.balance };
    }
    if ("outcome" in result) return result;
    if (refused(result, holdPosition)) {
      const held = await heldBefore(process, reservation);
      assert(held !== undefined, "a hold that blocks a reservation exists");
      return held;
    }
    return againOrFail(result, books, note);
  });
}

const freshTriesMax = 2;
/** 250 calls may end in the same moment, and each needs the account for some 10 ms. */
const waitMsMax = 3_000;

/**
 * Repeats an attempt until it is decided. A refusal for outdated books brings the current ones,
 * which are good for a moment only: they are tried at once, and forgotten before any wait.
 */
function untilDone<T>(
  process: Process,
  accountId: string,
  attempt: (note: Note) => Promise<T | "again">,
): Promise<T> {
  return untilSettled({ ...process, waitMsMax }, async (note) => {
    for (let tries = 0; tries < freshTriesMax; tries += 1) {
      const result = await orAgain(() => attempt(note), note);
      if (result !== "again") return result;
      if (!process.booksOf.has(accountId)) return "again";
    }
    process.booksOf.delete(accountId);
    return "again";
  });
}

/** A request that was turned away has changed nothing. */
async function orAgain<T>(attempt: () => Promise<T | "again">, note: Note): Promise<T | "again"> {
  try {
    return await attempt();
  } catch (error) {
    if (!isThrottle(error)) throw error;
    note("throttled");
    return "again";
  }
}

/** Why the books do not allow a reservation, if they do not. */
function obstacleTo(
  { credits, slot }: Reservation,
  { balance, inFlight, concurrency }: Books,
): ReserveOutcome | undefined {
  if (balance < credits) return { outcome: "insufficient", balance };
  if (slot && inFlight >= concurrency) return { outcome: "no_slot", limit: concurrency, balance };
  return undefined;
}

async function heldBefore(
  process: Process,
  { accountId, holdId }: Reservation,
): Promise<ReserveOutcome | undefined> {
  const row = await read(process, accountKeys.hold(accountId, holdId));
  return row === undefined
    ? undefined
    : { outcome: "reserved", balance: Number(row["balance_after"]) };
}

function resolve(
  process: Process,
  { settlement, state }: { settlement: Settlement; state: "settled" | "expired" },
): Promise<Settled> {
  const { accountId, holdId, credits } = settlement;
  const stored = async (): Promise<Hold | Settled> =>
    holdOf(await read(process, accountKeys.hold(accountId, holdId)));
  const againOrFail = refusals(accountId, () => process.booksOf.delete(accountId));
  return untilDone(process, accountId, async (note) => {
    const mine = process.openHolds.get(holdId);
    const hold = mine ?? (await stored());
    if ("balance" in hold) return hold;
    assert(credits <= hold.credits, "a charge is at most what was reserved");
    const remembered = process.booksOf.get(accountId);
    const books = remembered ?? (await readBooks(process, accountId));
    if (!holds(books, hold)) {
      // Either these books are older than the hold, or somebody else has resolved it meanwhile.
      if (remembered === undefined) process.openHolds.delete(holdId);
      process.booksOf.delete(accountId);
      note(`${accountId} does not hold ${holdId}`);
      return "again";
    }
    const transaction = settleTransaction(process, { settlement, hold, books, state });
    const result = await commit(process, { accountId, ...transaction }, async () => {
      const now = await stored();
      return "balance" in now ? now : undefined;
    });
    if (result === "committed") {
      process.openHolds.delete(holdId);
      return { credits, balance: transaction.after.balance };
    }
    if ("balance" in result) return result;
    if (refused(result, holdPosition)) {
      process.openHolds.delete(holdId);
      return "again";
    }
    return againOrFail(result, books, note);
  });
}

async function release(process: Process, { accountId, holdId, now }: HoldRef): Promise<void> {
  const row = await read(process, accountKeys.hold(accountId, holdId));
  if (row?.["state"] !== "open") return;
  const settlement = { accountId, holdId, credits: 0, succeeded: false, now };
  await resolve(process, { settlement, state: "settled" });
}

const holds = ({ held, inFlight }: Books, hold: Hold): boolean =>
  held >= hold.credits && inFlight >= (hold.slot ? 1 : 0);

/** A call that finds no credits looks where the account's holds are put: it must be cheap to refuse. */
async function releaseExpired(
  process: Process,
  accountId: string,
  { now, everywhere }: { readonly now: Date; readonly everywhere: boolean },
): Promise<number> {
  // Resolved holds stay for weeks among the account's rows: only the index knows the open ones.
  const keys = await dueKeysOf(process.client, process.accountsTable, {
    kind: "hold",
    by: now,
    pk: accountKeys.account(accountId).pk,
    everywhere,
  });
  const holdIds = keys.map(({ sk }) => sk.slice(accountKeys.hold(accountId, "").sk.length));
  for (const holdId of holdIds) {
    const settlement = { accountId, holdId, credits: 0, succeeded: false, now };
    await resolve(process, { settlement, state: "expired" });
  }
  return holdIds.length;
}

async function read(process: Process, key: RowKey): Promise<Row | undefined> {
  const { Item } = await process.client.send(
    new GetCommand({ TableName: process.accountsTable, Key: key, ConsistentRead: true }),
  );
  return Item;
}

async function readBooks(process: Process, accountId: string): Promise<Books> {
  const row = await read(process, accountKeys.account(accountId));
  assert(row !== undefined, "credits belong to an account that exists");
  return remember(process, accountId, row);
}

function remember(process: Process, accountId: string, row: Row): Books {
  const books = booksIn(row);
  process.booksOf.set(accountId, books);
  return books;
}

/**
 * Runs one transaction; the reasons say why it was refused, and what is known is refreshed. When no
 * answer came at all, `effect` looks whether the transaction took effect nevertheless.
 */
async function commit<Effect extends object>(
  process: Process,
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
      const found = await askPatiently(process, effect);
      if (found === undefined) throw error;
      return found;
    }
    const current = reasons[accountPosition]?.item;
    if (current !== undefined) remember(process, accountId, unmarshall(current));
    return reasons;
  }
}

const asksMax = 4;

/** What took effect without an answer has to be looked up, or nobody knows what was charged. */
async function askPatiently<T>({ clock, chance }: Process, ask: () => Promise<T>): Promise<T> {
  for (let asks = 1; ; asks += 1) {
    const from = clock.now();
    try {
      return await ask();
    } catch (error) {
      const pauseMs = chance.fraction() * 100 * 2 ** asks;
      const mayRepeat = asks < asksMax && (await mayRepeatAfter(pauseMs, { clock, from }));
      if (!mayRepeat) throw error;
    }
  }
}

const turnedAway: readonly CancellationReason[] = [{ code: "ThrottlingError", item: undefined }];

/** The open hold in a row, or what it was resolved to. */
function holdOf(row: Row | undefined): Hold | Settled {
  assert(row !== undefined, "only a hold that exists is resolved");
  if (row["state"] !== "open") {
    return { credits: Number(row["charged"]), balance: Number(row["balance_after"]) };
  }
  const source = sourceOf(row);
  assert(source !== null, "a hold is made for a call or a step");
  return { credits: Number(row["credits"]), slot: row["slot"] === true, source };
}
