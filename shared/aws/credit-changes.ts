import {
  type DynamoDBDocumentClient,
  GetCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import { concurrencyFor } from "../accounts/account.ts";
import { assert } from "../base/assert.ts";
import type { Chance, Clock } from "../base/clock.ts";
import type { ChangeOutcome, CreditChange, CreditChanges } from "../credits/credit-changes.ts";
import { cancellationReasons, isThrottle, type Note, type Row, untilSettled } from "./dynamo.ts";
import {
  accountUpdate,
  appendEntry,
  booksIn,
  type LedgerTables,
  type Write,
} from "./ledger-transactions.ts";
import { refusals, refused } from "./ledger-refusals.ts";
import { accountKeys, type RowKey } from "./table.ts";

interface Options extends LedgerTables {
  readonly clock: Clock;
  readonly chance: Chance;
}

/** Position of the mark in the transaction, between account and entry. */
const markPosition = 1;

/** Grants, purchases and adjustments in DynamoDB; a mark below the account makes each happen once. */
export function dynamoCreditChanges(
  client: DynamoDBDocumentClient,
  options: Options,
): CreditChanges {
  const read = async (key: RowKey): Promise<Row | undefined> => {
    const { Item } = await client.send(
      new GetCommand({ TableName: options.accountsTable, Key: key, ConsistentRead: true }),
    );
    return Item;
  };
  const madeBefore = async (change: CreditChange): Promise<ChangeOutcome | undefined> => {
    const mark = await read(accountKeys.change(change.accountId, change.changeId));
    return mark === undefined ? undefined : outcomeOf(mark, change);
  };
  const attempt = async (
    change: CreditChange,
    againOrFail: ReturnType<typeof refusals>,
    note: Note,
  ): Promise<ChangeOutcome | "again"> => {
    const made = await madeBefore(change);
    if (made !== undefined) return made;
    const account = await read(accountKeys.account(change.accountId));
    if (account === undefined) return { outcome: "unknown_account" };
    const { balance } = booksIn(account);
    if (balance + change.credits < 0) return { outcome: "insufficient", balance };
    const { writes, outcome } = changeTransaction(options, change, account);
    try {
      await client.send(new TransactWriteCommand({ TransactItems: writes }));
      return outcome;
    } catch (error) {
      if (isThrottle(error)) return "again";
      const reasons = cancellationReasons(error);
      if (reasons !== undefined) {
        // The mark is there: the change was made meanwhile.
        if (refused(reasons, markPosition)) return "again";
        return againOrFail(reasons, booksIn(account), note);
      }
      // No answer: the mark says whether the change was made nevertheless.
      const found = await madeBefore(change);
      if (found === undefined) throw error;
      return found;
    }
  };
  return {
    apply(change) {
      // Every attempt reads the account anew.
      const againOrFail = refusals(change.accountId, () => {});
      return untilSettled(options, (note) => attempt(change, againOrFail, note));
    },
  };
}

function outcomeOf(mark: Row, { type, credits }: CreditChange): ChangeOutcome {
  if (mark["type"] !== type || Number(mark["credits"]) !== credits) return { outcome: "id_reused" };
  return {
    outcome: "changed",
    balance: Number(mark["balance_after"]),
    lifetime: Number(mark["lifetime_after"]),
  };
}

function changeTransaction(
  tables: LedgerTables,
  change: CreditChange,
  account: Row,
): { readonly writes: Write[]; readonly outcome: ChangeOutcome } {
  const { accountId, changeId, type, credits, now } = change;
  assert(credits > 0 || type === "adjust", "only an adjustment takes credits away");
  const before = booksIn(account);
  const lifetime = Number(account["lifetime"]) + (type === "purchase" ? credits : 0);
  const after = {
    ...before,
    balance: before.balance + credits,
    sequence: before.sequence + 1,
    concurrency: Math.max(before.concurrency, concurrencyFor(lifetime)),
  };
  const createdAt = now.toISOString();
  const mark = {
    ...accountKeys.change(accountId, changeId),
    type,
    credits,
    sequence: after.sequence,
    balance_after: after.balance,
    lifetime_after: lifetime,
    created_at: createdAt,
  };
  const entry = {
    accountId,
    changeId,
    type,
    createdAt,
    sequence: after.sequence,
    credits: Math.abs(credits),
    balanceBefore: before.balance,
    balanceAfter: after.balance,
  };
  return {
    outcome: { outcome: "changed", balance: after.balance, lifetime },
    writes: [
      accountUpdate(tables, { accountId, before, after, lifetime }),
      {
        Put: {
          TableName: tables.accountsTable,
          Item: mark,
          ConditionExpression: "attribute_not_exists(pk)",
        },
      },
      appendEntry(tables, entry),
    ],
  };
}
