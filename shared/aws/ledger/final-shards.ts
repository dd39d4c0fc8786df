import type { UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import { assert } from "../../base/assert.ts";
import { accountKeys } from "../table/table.ts";
import { changeShard, untilDone } from "./change-shard.ts";
import { cachedAccountOf, type LedgerProcess, cacheShards } from "./process.ts";
import { type AccountRows, readAccountRows } from "./read-shards.ts";
import type { Shard } from "./shard-row.ts";

/** An account whose records up to the stamp `upTo` are final. */
export interface FinalRows extends AccountRows {
  readonly upTo: number;
}

/**
 * Reads an account and its shards, and makes each shard refuse new records with stamps up to the
 * newest stamp that was read. Otherwise a process with a slow clock could insert a record between
 * listed entries. Returns undefined if the account does not exist. Writes nothing for an account
 * with one shard, whose stamps only increase.
 */
export async function finalShards(
  process: LedgerProcess,
  accountId: string,
): Promise<FinalRows | undefined> {
  let count = cachedAccountOf(process, accountId).shards;
  for (;;) {
    const rows = await readAccountRows(process, accountId, count);
    if (rows === undefined) return undefined;
    const upTo = Math.max(0, ...rows.shards.map(({ fence }) => fence));
    const shards = await Promise.all(
      rows.shards.map((shard) => raiseFence(process, { accountId, shard, upTo })),
    );
    cacheShards(process, accountId, shards);
    count = Math.max(0, ...shards.map((shard) => shard.shards));
    // If the account has more shards than were read, shards were added since the read. The added
    // shards may have accepted records with stamps up to `upTo`, so all shards are read again.
    if (count <= shards.length) return { account: rows.account, shards, upTo };
  }
}

/**
 * Makes a shard refuse records with stamps up to `upTo`, and returns the shard. Writes nothing if
 * the shard already refuses them.
 */
async function raiseFence(
  process: LedgerProcess,
  { accountId, shard, upTo }: { accountId: string; shard: Shard; upTo: number },
): Promise<Shard> {
  if (shard.fence >= upTo) return shard;
  const raise: UpdateCommandInput = {
    TableName: process.accountsTable,
    Key: accountKeys.shard(accountId, shard.number),
    UpdateExpression: "SET fence = :at",
    ConditionExpression: "fence < :at",
    ExpressionAttributeValues: { ":at": upTo },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  };
  return untilDone(process, async (note) => {
    const change = await changeShard(process, accountId, raise);
    if (change.outcome === "busy") {
      note(change.why);
      return "again";
    }
    assert(
      change.outcome !== "missing",
      "every shard of an account must exist, because shards are never deleted",
    );
    return change.shard;
  });
}
