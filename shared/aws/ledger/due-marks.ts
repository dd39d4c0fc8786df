import { UpdateCommand, type UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import { retryOnConflict, conditionalWrite } from "../table/dynamo.ts";
import { accountKeys } from "../table/table.ts";
import type { LedgerProcess } from "./process.ts";
import { readAccountRows } from "./read-shards.ts";
import type { Shard } from "./shard-row.ts";

/** Milliseconds until the sweeper repeats the check of a shard that changed during the check. */
const nextCheckMs = 60_000;

/**
 * Updates the due marks of those shards of an account whose check is due. The due mark of a shard
 * is the time of the shard's next check. For a shard with holds, the new time is the earliest
 * expiry of its holds. For a shard without holds, the mark is removed. If a shard without holds
 * changes during this update, the mark stays, and the sweeper checks the shard again after a
 * minute.
 */
export async function moveDueMarks(
  process: LedgerProcess,
  accountId: string,
  now: Date,
): Promise<void> {
  const rows = await readAccountRows(process, accountId);
  for (const shard of rows?.shards ?? []) {
    if (shard.dueAt !== null && shard.dueAt <= now.toISOString()) {
      await moveDueMark(process, { accountId, shard, now });
    }
  }
}

/** Updates the due mark of one shard. */
async function moveDueMark(
  process: LedgerProcess,
  { accountId, shard, now }: { accountId: string; shard: Shard; now: Date },
): Promise<void> {
  const row = {
    TableName: process.accountsTable,
    Key: accountKeys.shard(accountId, shard.number),
  };
  const update = (change: Omit<UpdateCommandInput, "TableName" | "Key">): Promise<boolean> => {
    const command = new UpdateCommand({ ...row, ...change });
    return conditionalWrite(() => retryOnConflict(process, () => process.client.send(command)));
  };
  const expiries = [...shard.holds.values()].map(({ expiresAt }) => expiresAt.getTime());
  const isRemoved =
    expiries.length === 0 &&
    (await update({
      UpdateExpression: "REMOVE due_kind, due_at",
      // If a hold was created after the shard was read, the condition fails and the due mark
      // stays. Without the mark, that hold would not be released after its expiry.
      ConditionExpression: "fence = :fence",
      ExpressionAttributeValues: { ":fence": shard.fence },
    }));
  if (isRemoved) return;
  const next = new Date(
    expiries.length === 0 ? now.getTime() + nextCheckMs : Math.min(...expiries),
  );
  await update({
    UpdateExpression: "SET due_at = :next",
    ConditionExpression: "due_at = :due",
    ExpressionAttributeValues: { ":next": next.toISOString(), ":due": shard.dueAt },
  });
}
