import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unlessRefused } from "../dynamo.ts";
import { accountKeys } from "../table.ts";
import type { LedgerProcess } from "./process.ts";
import { readAccountRows } from "./read-shards.ts";
import type { Shard } from "./shard-row.ts";

/** When the sweeper looks again at a shard that it found changing. */
const nextLookMs = 60_000;

/**
 * Says when the sweeper looks next at shards that were due: when the first of their holds expires, or
 * not at all without any. A shard that changes meanwhile is looked at again soon.
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

async function moveDueMark(
  { client, accountsTable }: LedgerProcess,
  { accountId, shard, now }: { accountId: string; shard: Shard; now: Date },
): Promise<void> {
  const expiries = [...shard.holds.values()].map(({ expiresAt }) => expiresAt.getTime());
  const target = { TableName: accountsTable, Key: accountKeys.shard(accountId, shard.number) };
  const isRemoved =
    expiries.length === 0 &&
    (await unlessRefused(() =>
      client.send(
        new UpdateCommand({
          ...target,
          UpdateExpression: "REMOVE due_kind, due_at",
          // A hold that was made since counts on the mark.
          ConditionExpression: "fence = :fence",
          ExpressionAttributeValues: { ":fence": shard.fence },
        }),
      ),
    ));
  if (isRemoved) return;
  const next = new Date(expiries.length === 0 ? now.getTime() + nextLookMs : Math.min(...expiries));
  await unlessRefused(() =>
    client.send(
      new UpdateCommand({
        ...target,
        UpdateExpression: "SET due_at = :next",
        ConditionExpression: "due_at = :due",
        ExpressionAttributeValues: { ":next": next.toISOString(), ":due": shard.dueAt },
      }),
    ),
  );
}
