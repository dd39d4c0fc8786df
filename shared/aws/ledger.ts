import {
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { assert } from "../base/assert.ts";
import type { Chance, Clock } from "../base/clock.ts";
import type {
  CreditSource,
  Ledger,
  Reservation,
  ReserveOutcome,
  Settled,
  Settlement,
} from "../credits/ledger.ts";
import {
  type CancellationReason,
  cancellationReasons,
  isContention,
  type Row,
  untilSettled,
} from "./dynamo.ts";
import { dueKeys } from "./due-keys.ts";
import { type Entry, ledgerEntry } from "./ledger-entry.ts";
import { accountIdOf, accountKeys, dueAt, epochSeconds } from "./table.ts";

interface Options {
  readonly accountsTable: string;
  readonly ledgerTable: string;
  readonly clock: Clock;
  readonly chance: Chance;
}

/** The part of the account row that a ledger transaction starts from. */
interface Books {
  readonly balance: number;
  readonly held: number;
  readonly spent: number;
  readonly sequence: number;
  readonly inFlight: number;
  readonly concurrency: number;
}

interface Hold {
  readonly credits: number;
  readonly slot: boolean;
  readonly source: CreditSource;
}

const resolvedHoldDays = 30;
const accountPosition = 0;
const holdPosition = 1;

/**
 * The ledger in DynamoDB. Every transaction is conditional on the account's sequence number, so the
 * entries of an account form one gapless chain. The books of each account are remembered between
 * calls: the first try needs no read, and a refused try brings the current row with it.
 */
export function dynamoLedger(client: DynamoDBDocumentClient, options: Options): Ledger {
  const booksOf = new Map<string, Books>();
  const openHolds = new Map<string, Hold>();

  const readBooks = async (accountId: string): Promise<Books> => {
    const { Item } = await client.send(
      new GetCommand({
        TableName: options.accountsTable,
        Key: accountKeys.account(accountId),
        ConsistentRead: true,
      }),
    );
    assert(Item !== undefined, "a key belongs to an account that exists");
    return remember(accountId, Item);
  };
  const remember = (accountId: string, row: Row): Books => {
    const books: Books = {
      balance: Number(row["balance"]),
      held: Number(row["held"]),
      spent: Number(row["spent"]),
      sequence: Number(row["sequence"]),
      inFlight: Number(row["in_flight"]),
      concurrency: Number(row["concurrency"]),
    };
    booksOf.set(accountId, books);
    return books;
  };
  const readHold = async (accountId: string, holdId: string): Promise<Row | undefined> => {
    const { Item } = await client.send(
      new GetCommand({
        TableName: options.accountsTable,
        Key: accountKeys.hold(accountId, holdId),
        ConsistentRead: true,
      }),
    );
    return Item;
  };

  /** Runs one transaction; false says that it was refused and what is known was refreshed. */
  const commit = async (
    accountId: string,
    transaction: { readonly writes: TransactItems; readonly after: Books },
  ): Promise<readonly CancellationReason[] | "committed"> => {
    try {
      await client.send(new TransactWriteCommand({ TransactItems: transaction.writes }));
      booksOf.set(accountId, transaction.after);
      return "committed";
    } catch (error) {
      const reasons = cancellationReasons(error);
      if (reasons === undefined) throw error;
      const current = reasons[accountPosition]?.item;
      if (current === undefined) booksOf.delete(accountId);
      else remember(accountId, unmarshall(current));
      return reasons;
    }
  };

  const reserve = (reservation: Reservation): Promise<ReserveOutcome> => {
    const { accountId, holdId, credits, slot, source } = reservation;
    let releasedExpired = false;
    return untilSettled(options, async () => {
      const remembered = booksOf.get(accountId);
      const books = remembered ?? (await readBooks(accountId));
      const short = books.balance < credits;
      const full = slot && books.inFlight >= books.concurrency;
      if (short || full) {
        if (remembered !== undefined) {
          booksOf.delete(accountId);
          return "again";
        }
        if (!releasedExpired) {
          releasedExpired = true;
          if ((await releaseExpired(accountId, reservation.now)) > 0) return "again";
        }
        // An earlier try of the same reservation may have committed without our hearing of it.
        const earlier = await readHold(accountId, holdId);
        if (earlier !== undefined) return heldAlready(earlier);
        return short
          ? { outcome: "insufficient", balance: books.balance }
          : { outcome: "no_slot", limit: books.concurrency };
      }
      const transaction = reserveTransaction(options, reservation, books);
      const result = await commit(accountId, transaction);
      if (result === "committed") {
        openHolds.set(holdId, { credits, slot, source });
        return { outcome: "reserved", balance: transaction.after.balance };
      }
      if (result[holdPosition]?.code === "ConditionalCheckFailed") {
        const earlier = await readHold(accountId, holdId);
        assert(earlier !== undefined, "a hold that blocks a reservation exists");
        return heldAlready(earlier);
      }
      return isContention(result) || isStale(result) ? "again" : failOn(result);
    });
  };

  const settle = (settlement: Settlement): Promise<Settled> =>
    resolve(settlement, settlement.credits, "settled");

  const resolve = (
    settlement: Settlement,
    credits: number,
    state: "settled" | "expired",
  ): Promise<Settled> =>
    untilSettled(options, async () => {
      const { accountId, holdId } = settlement;
      const hold = openHolds.get(holdId) ?? holdOf(await readHold(accountId, holdId));
      if ("credits" in hold && "balance" in hold) return hold;
      assert(credits <= hold.credits, "a charge is at most what was reserved");
      const books = booksOf.get(accountId) ?? (await readBooks(accountId));
      const transaction = settleTransaction(options, { settlement, credits, hold, books, state });
      const result = await commit(accountId, transaction);
      if (result === "committed") {
        openHolds.delete(holdId);
        return { credits, balance: transaction.after.balance };
      }
      if (result[holdPosition]?.code === "ConditionalCheckFailed") {
        openHolds.delete(holdId);
        const resolved = holdOf(await readHold(accountId, holdId));
        if ("balance" in resolved) return resolved;
      }
      return isContention(result) || isStale(result) ? "again" : failOn(result);
    });

  const releaseExpired = async (accountId: string, now: Date): Promise<number> => {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: options.accountsTable,
        ConsistentRead: true,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :hold)",
        FilterExpression: "#state = :open AND due_at < :now",
        ExpressionAttributeNames: { "#state": "state" },
        ExpressionAttributeValues: {
          ":pk": accountKeys.account(accountId).pk,
          ":hold": accountKeys.hold(accountId, "").sk,
          ":open": "open",
          ":now": now.toISOString(),
        },
      }),
    );
    for (const row of Items) {
      const settlement = { accountId, holdId: String(row["hold_id"]), now };
      await resolve({ ...settlement, credits: 0, succeeded: false }, 0, "expired");
    }
    return Items.length;
  };

  const accountsWithExpiredHolds = async (now: Date, limit: number): Promise<readonly string[]> => {
    const keys = await dueKeys(client, options.accountsTable, { kind: "hold", by: now, limit });
    return [...new Set(keys.map((key) => accountIdOf(key)))];
  };

  return { reserve, settle, accountsWithExpiredHolds, releaseExpired };
}

type TransactItems = ConstructorParameters<typeof TransactWriteCommand>[0]["TransactItems"];

const isStale = (reasons: readonly CancellationReason[]): boolean =>
  reasons[accountPosition]?.code === "ConditionalCheckFailed" ||
  // The ledger row of the next sequence exists: somebody else appended it.
  reasons.slice(holdPosition + 1).some((reason) => reason?.code === "ConditionalCheckFailed");

function failOn(reasons: readonly CancellationReason[]): never {
  throw new Error(
    `Ledger transaction refused: ${reasons.map((reason) => reason?.code ?? "None").join(", ")}`,
  );
}

const heldAlready = (row: Row): ReserveOutcome => ({
  outcome: "reserved",
  balance: Number(row["balance_after"]),
});

/** The open hold in a row, or what it was resolved to. */
function holdOf(row: Row | undefined): Hold | Settled {
  assert(row !== undefined, "only a hold that exists is resolved");
  if (row["state"] !== "open") {
    return { credits: Number(row["charged"]), balance: Number(row["balance_after"]) };
  }
  const source: CreditSource =
    typeof row["request_id"] === "string"
      ? { requestId: row["request_id"] }
      : { runId: String(row["run_id"]), step: String(row["step"]) };
  return { credits: Number(row["credits"]), slot: row["slot"] === true, source };
}

function accountUpdate(
  options: Options,
  change: { accountId: string; before: Books; after: Books },
): NonNullable<TransactItems>[number] {
  const { before, after } = change;
  return {
    Update: {
      TableName: options.accountsTable,
      Key: accountKeys.account(change.accountId),
      UpdateExpression:
        "SET balance = :balance, held = :held, spent = :spent, #sequence = :sequence, in_flight = :inFlight",
      ConditionExpression: "#sequence = :expected",
      ExpressionAttributeNames: { "#sequence": "sequence" },
      ExpressionAttributeValues: {
        ":balance": after.balance,
        ":held": after.held,
        ":spent": after.spent,
        ":sequence": after.sequence,
        ":inFlight": after.inFlight,
        ":expected": before.sequence,
      },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    },
  };
}

function appendEntry(options: Options, entry: Entry): NonNullable<TransactItems>[number] {
  return {
    Put: {
      TableName: options.ledgerTable,
      Item: ledgerEntry(entry),
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}

function reserveTransaction(
  options: Options,
  reservation: Reservation,
  before: Books,
): { writes: TransactItems; after: Books } {
  const { accountId, holdId, credits, slot, source, now, expiresAt } = reservation;
  const after: Books = {
    ...before,
    balance: before.balance - credits,
    held: before.held + credits,
    sequence: before.sequence + 1,
    inFlight: before.inFlight + (slot ? 1 : 0),
  };
  assert(after.balance >= 0, "a balance is never negative");
  const hold = {
    ...accountKeys.hold(accountId, holdId),
    ...(expiresAt === null ? {} : dueAt("hold", expiresAt)),
    account_id: accountId,
    hold_id: holdId,
    state: "open",
    credits,
    slot,
    balance_after: after.balance,
    created_at: now.toISOString(),
    request_id: "requestId" in source ? source.requestId : undefined,
    run_id: "runId" in source ? source.runId : undefined,
    step: "runId" in source ? source.step : undefined,
  };
  const entry: Entry = {
    accountId,
    sequence: after.sequence,
    type: "reserve",
    credits,
    balanceBefore: before.balance,
    balanceAfter: after.balance,
    createdAt: now.toISOString(),
    holdId,
    source,
  };
  return {
    after,
    writes: [
      accountUpdate(options, { accountId, before, after }),
      {
        Put: {
          TableName: options.accountsTable,
          Item: hold,
          ConditionExpression: "attribute_not_exists(pk)",
        },
      },
      appendEntry(options, entry),
    ],
  };
}

interface Resolution {
  readonly settlement: Settlement;
  readonly credits: number;
  readonly hold: Hold;
  readonly books: Books;
  readonly state: "settled" | "expired";
}

function settleTransaction(
  options: Options,
  resolution: Resolution,
): { writes: TransactItems; after: Books } {
  const { settlement, credits, hold, books: before } = resolution;
  const { accountId, holdId, now } = settlement;
  const refund = hold.credits - credits;
  const entries = resolutionEntries(resolution);
  const after: Books = {
    ...before,
    balance: before.balance + refund,
    held: before.held - hold.credits,
    spent: before.spent + credits,
    sequence: before.sequence + entries.length,
    inFlight: before.inFlight - (hold.slot ? 1 : 0),
  };
  assert(after.held >= 0, "open holds are never negative");
  assert(after.inFlight >= 0, "slots in use are never negative");
  return {
    after,
    writes: [
      accountUpdate(options, { accountId, before, after }),
      {
        Update: {
          TableName: options.accountsTable,
          Key: accountKeys.hold(accountId, holdId),
          UpdateExpression:
            "SET #state = :state, charged = :charged, balance_after = :balance, resolved_at = :now, #ttl = :ttl REMOVE due_kind, due_at",
          ConditionExpression: "#state = :open",
          ExpressionAttributeNames: { "#state": "state", "#ttl": "ttl" },
          ExpressionAttributeValues: {
            ":state": resolution.state,
            ":open": "open",
            ":charged": credits,
            ":balance": after.balance,
            ":now": now.toISOString(),
            ":ttl": epochSeconds(now) + resolvedHoldDays * 86_400,
          },
        },
      },
      ...entries.map((entry) => appendEntry(options, entry)),
      usageUpdate(options, resolution),
    ],
  };
}

/** A charge moves credits from the hold to spent, a refund from the hold to the balance. */
function resolutionEntries({ settlement, credits, hold, books }: Resolution): Entry[] {
  const { accountId, holdId, now } = settlement;
  const refund = hold.credits - credits;
  const base = { accountId, holdId, source: hold.source, createdAt: now.toISOString() };
  const parts = [
    { type: "charge" as const, credits, moves: 0 },
    { type: "refund" as const, credits: refund, moves: refund },
  ].filter((part) => part.credits > 0);
  return parts.map((part, index) => ({
    ...base,
    type: part.type,
    credits: part.credits,
    sequence: books.sequence + 1 + index,
    balanceBefore: books.balance,
    balanceAfter: books.balance + part.moves,
  }));
}

function usageUpdate(
  options: Options,
  { settlement, credits }: Resolution,
): NonNullable<TransactItems>[number] {
  const date = settlement.now.toISOString().slice(0, 10);
  return {
    Update: {
      TableName: options.accountsTable,
      Key: accountKeys.usage(settlement.accountId, date),
      UpdateExpression: "ADD requests :one, successful :ok, failed :failed, credits :credits",
      ExpressionAttributeValues: {
        ":one": 1,
        ":ok": settlement.succeeded ? 1 : 0,
        ":failed": settlement.succeeded ? 0 : 1,
        ":credits": credits,
      },
    },
  };
}
