import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { assert } from "../base/assert.ts";
import type { CreditSource, Reservation, Settlement } from "../credits/ledger.ts";
import { dueAt } from "./due-partitions.ts";
import type { Row } from "./dynamo.ts";
import { type Entry, ledgerEntry, sourceRow } from "./ledger-entry.ts";
import { accountKeys, epochSeconds } from "./table.ts";

export type Write = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** The tables that a ledger transaction writes to. */
export interface LedgerTables {
  readonly accountsTable: string;
  readonly ledgerTable: string;
}

/** The part of the account row that a ledger transaction starts from. */
export interface Books {
  readonly balance: number;
  readonly held: number;
  readonly spent: number;
  readonly sequence: number;
  readonly inFlight: number;
  readonly concurrency: number;
}

export const booksIn = (account: Row): Books => ({
  balance: Number(account["balance"]),
  held: Number(account["held"]),
  spent: Number(account["spent"]),
  sequence: Number(account["sequence"]),
  inFlight: Number(account["in_flight"]),
  concurrency: Number(account["concurrency"]),
});

export interface Hold {
  readonly credits: number;
  readonly slot: boolean;
  readonly source: CreditSource;
}

/** The writes of one transaction, and the books after it. */
export interface LedgerTransaction {
  readonly writes: Write[];
  readonly after: Books;
}

/** Which writes of a transaction guard what, for reading why it was refused. */
export const accountPosition = 0;
export const holdPosition = 1;

/** How long a resolved hold is kept, and with it the way to its entries. */
export const resolvedHoldDays = 30;

/** Moves the account from some books to the next, and from no others. */
export function accountUpdate(
  tables: LedgerTables,
  change: { accountId: string; before: Books; after: Books; lifetime?: number },
): Write {
  const { before, after, lifetime } = change;
  return {
    Update: {
      TableName: tables.accountsTable,
      Key: accountKeys.account(change.accountId),
      UpdateExpression:
        "SET balance = :balance, held = :held, spent = :spent, #sequence = :sequence, in_flight = :inFlight" +
        (lifetime === undefined ? "" : ", lifetime = :lifetime, concurrency = :concurrency"),
      ConditionExpression: "#sequence = :expected",
      ExpressionAttributeNames: { "#sequence": "sequence" },
      ExpressionAttributeValues: {
        ":balance": after.balance,
        ":held": after.held,
        ":spent": after.spent,
        ":sequence": after.sequence,
        ":inFlight": after.inFlight,
        ":expected": before.sequence,
        ...(lifetime === undefined
          ? {}
          : { ":lifetime": lifetime, ":concurrency": after.concurrency }),
      },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    },
  };
}

export function appendEntry(tables: LedgerTables, entry: Entry): Write {
  return {
    Put: {
      TableName: tables.ledgerTable,
      Item: ledgerEntry(entry),
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}

/** Moves credits from the balance into a new hold, and takes a slot for it. */
export function reserveTransaction(
  tables: LedgerTables,
  reservation: Reservation,
  before: Books,
): LedgerTransaction {
  const { accountId, holdId, credits, slot, source, now, expiresAt } = reservation;
  const after: Books = {
    ...before,
    balance: before.balance - credits,
    held: before.held + credits,
    sequence: before.sequence + 1,
    inFlight: before.inFlight + (slot ? 1 : 0),
  };
  assert(after.balance >= 0, "a balance is never negative");
  const key = accountKeys.hold(accountId, holdId);
  const hold = {
    ...key,
    ...dueAt("hold", key, expiresAt),
    account_id: accountId,
    hold_id: holdId,
    state: "open",
    credits,
    slot,
    balance_after: after.balance,
    created_at: now.toISOString(),
    // Finds the entries of a call without a walk through the ledger.
    sequence: after.sequence,
    ...sourceRow(source),
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
      accountUpdate(tables, { accountId, before, after }),
      {
        Put: {
          TableName: tables.accountsTable,
          Item: hold,
          ConditionExpression: "attribute_not_exists(pk)",
        },
      },
      appendEntry(tables, entry),
    ],
  };
}

export interface Resolution {
  readonly settlement: Settlement;
  readonly hold: Hold;
  readonly books: Books;
  readonly state: "settled" | "expired";
}

/** Resolves an open hold: charges part of it, gives back the rest and the slot. */
export function settleTransaction(tables: LedgerTables, resolution: Resolution): LedgerTransaction {
  const { settlement, hold, books: before } = resolution;
  const { accountId, holdId, credits, now } = settlement;
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
      accountUpdate(tables, { accountId, before, after }),
      {
        Update: {
          TableName: tables.accountsTable,
          Key: accountKeys.hold(accountId, holdId),
          UpdateExpression:
            "SET #state = :state, charged = :charged, balance_after = :balance, resolved_at = :now, resolved_sequence = :first, #ttl = :ttl REMOVE due_kind, due_at",
          ConditionExpression: "#state = :open",
          ExpressionAttributeNames: { "#state": "state", "#ttl": "ttl" },
          ExpressionAttributeValues: {
            ":state": resolution.state,
            ":open": "open",
            ":charged": credits,
            ":balance": after.balance,
            ":now": now.toISOString(),
            ":first": before.sequence + 1,
            ":ttl": epochSeconds(now) + resolvedHoldDays * 86_400,
          },
        },
      },
      ...entries.map((entry) => appendEntry(tables, entry)),
      usageUpdate(tables, resolution),
    ],
  };
}

/**
 * A charge moves credits from the hold to spent, a refund from the hold to the balance. There is
 * always one of them: only an entry moves the sequence on, and with it what other processes know.
 */
function resolutionEntries({ settlement, hold, books }: Resolution): Entry[] {
  const { accountId, holdId, credits, now } = settlement;
  const refund = hold.credits - credits;
  const itemsCharged = settlement.items ?? (credits === 0 ? 0 : undefined);
  const parts = [
    { type: "charge" as const, credits, moves: 0 },
    { type: "refund" as const, credits: refund, moves: refund },
  ].filter((part) => part.credits > 0 || (part.type === "charge" && hold.credits === 0));
  return parts.map((part, index) => ({
    accountId,
    holdId,
    source: hold.source,
    itemsCharged,
    createdAt: now.toISOString(),
    type: part.type,
    credits: part.credits,
    sequence: books.sequence + 1 + index,
    balanceBefore: books.balance,
    balanceAfter: books.balance + part.moves,
  }));
}

function usageUpdate(tables: LedgerTables, { settlement }: Resolution): Write {
  const date = settlement.now.toISOString().slice(0, 10);
  return {
    Update: {
      TableName: tables.accountsTable,
      Key: accountKeys.usage(settlement.accountId, date),
      UpdateExpression: "ADD requests :one, successful :ok, failed :failed, credits :credits",
      ExpressionAttributeValues: {
        ":one": 1,
        ":ok": settlement.succeeded ? 1 : 0,
        ":failed": settlement.succeeded ? 0 : 1,
        ":credits": settlement.credits,
      },
    },
  };
}

/** A settled hold whose charge is taken back. */
export interface ChargedHold {
  readonly accountId: string;
  readonly holdId: string;
  readonly charged: number;
  /** When it was charged, ISO 8601 UTC. */
  readonly chargedAt: string;
  readonly source: CreditSource;
}

/** Takes back what a hold was charged: as if the call behind it had failed before it was settled. */
export function cancelTransaction(
  tables: LedgerTables,
  { hold, books: before, now }: { hold: ChargedHold; books: Books; now: Date },
): LedgerTransaction {
  const { accountId, holdId, charged, chargedAt, source } = hold;
  const after: Books = {
    ...before,
    balance: before.balance + charged,
    spent: before.spent - charged,
    sequence: before.sequence + 1,
  };
  assert(after.spent >= 0, "what was spent is never negative");
  const entry: Entry = {
    accountId,
    holdId,
    source,
    chargedAt,
    type: "refund",
    credits: charged,
    sequence: after.sequence,
    balanceBefore: before.balance,
    balanceAfter: after.balance,
    createdAt: now.toISOString(),
  };
  return {
    after,
    writes: [
      accountUpdate(tables, { accountId, before, after }),
      {
        Update: {
          TableName: tables.accountsTable,
          Key: accountKeys.hold(accountId, holdId),
          UpdateExpression:
            "SET #state = :cancelled, charged = :nothing, balance_after = :balance, cancelled_at = :now, cancelled_sequence = :refund",
          ConditionExpression: "#state = :settled AND charged = :charged",
          ExpressionAttributeNames: { "#state": "state" },
          ExpressionAttributeValues: {
            ":cancelled": "cancelled",
            ":settled": "settled",
            ":charged": charged,
            ":nothing": 0,
            ":balance": after.balance,
            ":now": now.toISOString(),
            ":refund": after.sequence,
          },
        },
      },
      appendEntry(tables, entry),
      {
        Update: {
          TableName: tables.accountsTable,
          // The day on which it was counted as a success.
          Key: accountKeys.usage(accountId, chargedAt.slice(0, 10)),
          UpdateExpression: "ADD successful :less, failed :one, credits :back",
          ExpressionAttributeValues: { ":less": -1, ":one": 1, ":back": -charged },
        },
      },
    ],
  };
}
