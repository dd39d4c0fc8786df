import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { concurrencyFor, shardSlots } from "../../shared/accounts/account.ts";
import { assert } from "../../shared/base/assert.ts";
import type { ChangeOutcome, CreditChange, CreditChanges } from "./credit-changes.ts";
import type { ChangeRecord } from "../../shared/credits/journal.ts";
import type { Row, TransactItem } from "../../shared/aws/table/dynamo.ts";
import { accountKeys } from "../../shared/aws/table/table.ts";
import {
  readRow,
  readWithRetry,
  transactShards,
  untilDone,
} from "../../shared/aws/ledger/change-shard.ts";
import { copyJournalOf } from "../../shared/aws/ledger/copy-journal.ts";
import { isShort } from "../../shared/aws/ledger/prepare-home-shard.ts";
import { openShards } from "../../shared/aws/ledger/open-shards.ts";
import {
  type LedgerOptions,
  ledgerProcess,
  type LedgerProcess,
  nextStamp,
  cacheShards,
} from "../../shared/aws/ledger/process.ts";
import { type AccountRows, readAccountRows, sumsOf } from "../../shared/aws/ledger/read-shards.ts";
import { newShardRow, type Shard } from "../../shared/aws/ledger/shard-row.ts";
import { creditUpdate, growUpdate } from "../../shared/aws/ledger/shard-update.ts";
import { gatherCredits } from "../../shared/aws/ledger/transfers.ts";
import { spreadCredits } from "./spread-credits.ts";

/**
 * Creates `CreditChanges` on the tables of the ledger. Each change stores a mark with its change
 * ID, so it cannot be applied twice.
 */
export function dynamoCreditChanges(
  client: DynamoDBDocumentClient,
  options: LedgerOptions,
): CreditChanges {
  const process = ledgerProcess(client, options);
  return { apply: (change) => applyChange(process, change) };
}

function applyChange(process: LedgerProcess, change: CreditChange): Promise<ChangeOutcome> {
  const { accountId, changeId } = change;
  const madeBefore = async (): Promise<ChangeOutcome | undefined> => {
    const mark = await readRow(process, accountKeys.change(accountId, changeId));
    return mark && outcomeOf(mark, change);
  };
  let short: AccountRows | undefined;
  let refusals = 0;
  return untilDone<ChangeOutcome>(process, async (note) => {
    const earlierOutcome = await madeBefore();
    if (earlierOutcome !== undefined) return earlierOutcome;
    const rows = await readAccountRows(process, accountId);
    if (rows === undefined) return { outcome: "unknown_account" };
    if (rows.shards.length === 0) {
      await openShards(process, accountId);
      return "fresh";
    }
    cacheShards(process, accountId, rows.shards);
    const { balance } = sumsOf(rows.shards);
    if (balance + change.credits < 0) {
      const before = short;
      short = rows;
      return isShort(-change.credits, before, rows)
        ? { outcome: "insufficient", balance }
        : "fresh";
    }
    const shard = richestOf(rows.shards);
    if (shard.balance + change.credits < 0) return gather(process, change, { rows, shard });
    const at = nextStamp(
      process,
      { accountId, shards: [shard.number] },
      { now: change.now, refusals },
    );
    const { items, outcome } = changeItems(process, change, { rows, shard, at });
    const transacted = await transactShards(process, accountId, items).catch(
      async (error: unknown) => {
        const previousOutcome = await readWithRetry(process, madeBefore);
        if (previousOutcome === undefined) throw error;
        return { outcome: "found" as const, previousOutcome };
      },
    );
    if (transacted.outcome === "found") return transacted.previousOutcome;
    if (transacted.outcome === "changed") {
      await copyAndSpread(process, change, { rows, shard });
      return outcome;
    }
    note(transacted.why);
    refusals += 1;
    return transacted.refused.includes(true) ? "fresh" : "again";
  });
}

/** The shard to which a credit change applies, with the rows of its account. */
interface ChangedShard {
  readonly rows: AccountRows;
  readonly shard: Shard;
}

/**
 * Transfers credits to the shard that an adjustment debits, because the shard alone cannot cover
 * the adjustment. Returns `fresh` if the transfer took effect: the caller repeats the adjustment at
 * once. Returns `again` if not: the caller pauses before it repeats the adjustment.
 */
async function gather(
  process: LedgerProcess,
  { accountId, credits, now }: CreditChange,
  { rows, shard }: ChangedShard,
): Promise<"fresh" | "again"> {
  const wanted = { accountId, to: shard.number, credits: -credits, now };
  return (await gatherCredits(process, wanted, rows.shards)) ? "fresh" : "again";
}

/**
 * Copies the journal of the changed shard to a page, if the journal is long. If the change gave the
 * account more slots, also spreads the account's credits evenly over all shards. Never rejects: if
 * one of the two fails, later calls repeat it.
 */
async function copyAndSpread(
  process: LedgerProcess,
  change: CreditChange,
  { rows, shard }: ChangedShard,
): Promise<void> {
  const { accountId, now } = change;
  await copyJournalOf(process, accountId, shard.number);
  if (isGrowth(change, rows)) await spreadCredits(process, accountId, now).catch(() => undefined);
}

const richestOf = (shards: readonly Shard[]): Shard => {
  const [richest] = shards.toSorted((a, b) => b.balance - a.balance);
  assert(richest !== undefined, "an account must have a shard");
  return richest;
};

const lifetimeAfter = ({ type, credits }: CreditChange, { account }: AccountRows): number =>
  Number(account["lifetime"]) + (type === "purchase" ? credits : 0);

/** Returns true if a change increases the number of the account's slots. */
const isGrowth = (change: CreditChange, rows: AccountRows): boolean =>
  concurrencyFor(lifetimeAfter(change, rows)) > concurrencyFor(Number(rows.account["lifetime"]));

function outcomeOf(mark: Row, { type, credits }: CreditChange): ChangeOutcome {
  if (mark["type"] !== type || Number(mark["credits"]) !== credits) return { outcome: "id_reused" };
  return {
    outcome: "changed",
    balance: Number(mark["balance_after"]),
    lifetime: Number(mark["lifetime_after"]),
  };
}

function changeItems(
  { accountsTable: table }: LedgerProcess,
  change: CreditChange,
  { rows, shard, at }: { rows: AccountRows; shard: Shard; at: number },
): { readonly items: readonly TransactItem[]; readonly outcome: ChangeOutcome } {
  const { accountId, changeId, type, credits, now } = change;
  assert(credits > 0 || type === "adjust", "only an adjustment may deduct credits");
  const { shards } = rows;
  const lifetime = lifetimeAfter(change, rows);
  const balance = sumsOf(shards).balance + credits;
  const concurrency = concurrencyFor(lifetime);
  const record: ChangeRecord = { type, at, credits, changeId };
  const mark = {
    ...accountKeys.change(accountId, changeId),
    type,
    credits,
    shard: shard.number,
    at,
    balance_after: balance,
    lifetime_after: lifetime,
    created_at: now.toISOString(),
  };
  const isMore = isGrowth(change, rows);
  const count = isMore ? shardSlots(concurrency, 0).shards : shards.length;
  const grownShards = shards.filter(({ number }) => isMore && number !== shard.number);
  const location = { table, accountId, shard: shard.number };
  return {
    outcome: { outcome: "changed", balance, lifetime },
    items: [
      accountItem({ table, accountId, shard }, { credits, lifetime, count }, rows),
      {
        Put: { TableName: table, Item: mark, ConditionExpression: "attribute_not_exists(pk)" },
      },
      {
        Update: creditUpdate(location, {
          moves: { balance: credits },
          record,
          size: isMore ? shardSlots(concurrency, shard.number) : undefined,
        }),
      },
      ...grownShards.map(({ number }) => ({
        Update: growUpdate({ ...location, shard: number }, shardSlots(concurrency, number)),
      })),
      ...newShards(count, shards.length).map((number) => ({
        Put: {
          TableName: table,
          Item: newShardRow({
            accountId,
            number,
            concurrency,
            fence: at,
            budget: shard.budget ?? undefined,
          }),
          ConditionExpression: "attribute_not_exists(pk)",
        },
      })),
    ],
  };
}

/**
 * Builds the update of the account's row. New shards get the account's daily budget, so the budget
 * must not change at the same time.
 */
const accountItem = (
  { table, accountId, shard }: { table: string; accountId: string; shard: Shard },
  { credits, lifetime, count }: { credits: number; lifetime: number; count: number },
  { account, shards }: AccountRows,
): TransactItem => ({
  Update: {
    TableName: table,
    Key: accountKeys.account(accountId),
    UpdateExpression: "SET lifetime = :lifetime, received = received + :credits, shards = :shards",
    ConditionExpression: `lifetime = :before AND shards = :count AND ${
      shard.budget === null
        ? "attribute_not_exists(daily_credit_budget)"
        : "daily_credit_budget = :budget"
    }`,
    ExpressionAttributeValues: {
      ":lifetime": lifetime,
      ":credits": credits,
      ":shards": count,
      ":before": Number(account["lifetime"]),
      ":count": shards.length,
      ...(shard.budget !== null && { ":budget": shard.budget }),
    },
  },
});

const newShards = (count: number, from: number): readonly number[] =>
  Array.from({ length: Math.max(0, count - from) }, (_, n) => from + n);
