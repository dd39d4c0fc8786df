import { assert } from "../../base/assert.ts";
import { stampOf } from "../../credits/journal.ts";
import { shardSlots } from "../../accounts/account.ts";
import type { Row, TransactItem } from "../table/dynamo.ts";
import { accountKeys } from "../table/table.ts";
import { readRow, transactShards, untilDone } from "./change-shard.ts";
import type { LedgerProcess } from "./process.ts";
import { shardCountOf } from "./read-shards.ts";
import { newShardRow } from "./shard-row.ts";

/**
 * Number of calls in flight that exceeds every concurrency limit, so that the previous release
 * refuses all calls of the account with 429.
 */
const fullForPreviousRelease = 1_000_000_000;

/**
 * Moves the credits of an account from its row, where earlier releases stored them, to shards. Uses
 * one transaction, conditional on the row's sequence, so that no change of an earlier release is
 * lost. Does not move entries or the rows of open holds. Returns true if it moved the credits;
 * false, without writing, if the account already has shards.
 * @throws Error if the account does not exist; 503 UNAVAILABLE if the rows stay contended or the
 * retry budget is exhausted
 */
export async function openShards(process: LedgerProcess, accountId: string): Promise<boolean> {
  const done = await untilDone(process, async (note) => {
    const account = await readRow(process, accountKeys.account(accountId));
    assert(account !== undefined, "the account of the credits must exist");
    if (shardCountOf(account) > 0) return { opened: false };
    const items = openingItems(process, accountId, account);
    const transacted = await transactShards(process, accountId, items);
    if (transacted.outcome === "changed") return { opened: true };
    note(transacted.why);
    return "again";
  });
  return done.opened;
}

/** Builds the writes that move the credits of an account from its row to new shards. */
function openingItems(
  { accountsTable, clock }: LedgerProcess,
  accountId: string,
  account: Row,
): readonly TransactItem[] {
  const [balance, held, spent, sequence, inFlight, concurrency] = [
    "balance",
    "held",
    "spent",
    "sequence",
    "in_flight",
    "concurrency",
  ].map((name) => Number(account[name])) as [number, number, number, number, number, number];
  const fence = stampOf(clock.now());
  const { shards: count } = shardSlots(concurrency, 0);
  let left = inFlight;
  const rows = Array.from({ length: count }, (_, number) => {
    // Distributes the unsharded calls in flight over the slots of the shards. Any distribution is
    // correct.
    const oldInFlight = Math.min(left, shardSlots(concurrency, number).slots);
    left -= oldInFlight;
    const first = number === 0 ? { balance, held, spent, sequence } : {};
    return newShardRow({ accountId, number, concurrency, fence, oldInFlight, ...first });
  });
  return [
    {
      Update: {
        TableName: accountsTable,
        Key: accountKeys.account(accountId),
        UpdateExpression:
          "SET shards = :shards, received = :received, in_flight = :full REMOVE balance, held, spent, #sequence",
        ConditionExpression: "#sequence = :sequence AND attribute_not_exists(shards)",
        ExpressionAttributeNames: { "#sequence": "sequence" },
        ExpressionAttributeValues: {
          ":shards": count,
          ":received": balance + held + spent,
          ":full": fullForPreviousRelease,
          ":sequence": sequence,
        },
      },
    },
    ...rows.map((row) => ({
      Put: {
        TableName: accountsTable,
        Item: { ...row },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    })),
  ];
}
