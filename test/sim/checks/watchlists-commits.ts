import assert from "node:assert/strict";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { accountKeys, watchlistKeys } from "../../../shared/aws/table/table.ts";
import { isSecondRow } from "../../../shared/aws/watchlists/page-row.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { Attempt } from "../attempt.ts";
import type { World } from "../world.ts";
import { keysWritten, rowAt } from "./table-rows.ts";

/** The recorded state of watchlists. A watchlist is identified by its sort key. */
interface Seen {
  /** The partition key of the account, by watchlist. */
  readonly owners: Map<string, string>;
  /** The watchlists that have a run in progress. */
  readonly running: Set<string>;
}

/**
 * Starts to check watchlists and API keys after each write to them. Violations are reported only by
 * `check`, at the end of a seed.
 */
export function watchCommits(world: World): { check(): void } {
  const failures: unknown[] = [];
  const seen: Seen = { owners: new Map(), running: new Set() };
  world.afterEffect.push(async (attempt) => {
    try {
      for (const look of looksAfter(attempt, seen)) await look(world);
    } catch (error) {
      failures.push(error);
    }
  });
  return {
    /** Throws the first violation, if there was one. */
    check() {
      if (failures.length > 0) throw failures[0];
    },
  };
}

type Look = (world: World) => Promise<void>;

function looksAfter(attempt: Attempt, seen: Seen): Look[] {
  const looks: Look[] = [];
  const lists = new Map<string, boolean>();
  for (const { pk, sk } of keysWritten(attempt)) {
    if (sk.startsWith("watchlist#")) {
      seen.owners.set(sk, pk);
      lists.set(sk, lists.get(sk) ?? false);
    }
    if (sk.startsWith("page#")) lists.set(pk, true);
    if (sk === watchlistKeys.count("").sk) looks.push((world) => checkCount(world, pk, listCount));
    if (sk === accountKeys.keyCount("").sk) looks.push((world) => checkCount(world, pk, keyCount));
  }
  for (const [sk, hasPages] of lists) {
    looks.push((world) => checkList(world, { sk, hasPages }, seen));
  }
  return looks;
}

interface Counted {
  readonly row: string;
  readonly attribute: string;
  readonly head: string;
  /**
   * Returns the maximum of the counter. It is a function, because `startEngine` lowers the limits
   * of the service after this module is loaded.
   */
  readonly max: () => number;
}
const listCount: Counted = {
  row: watchlistKeys.count("").sk,
  attribute: "watchlists",
  head: "watchlist#",
  max: () => limits.watchlistsMax,
};
const keyCount: Counted = {
  row: accountKeys.keyCount("").sk,
  attribute: "key_count",
  head: "key#",
  max: () => limits.apiKeysMax,
};

/**
 * Checks that the stored count of watchlists or API keys is exact and within the limit (invariant
 * C3).
 */
async function checkCount(world: World, pk: string, counted: Counted): Promise<void> {
  const { row, attribute, head } = counted;
  const max = counted.max();
  const [count, there] = await Promise.all([
    rowAt(world, { pk, sk: row }).then((found) => Number(found?.[attribute] ?? 0)),
    query(world, pk, head).then((rows) => rows.length),
  ]);
  assert.equal(count, there, `${pk}: ${attribute}`);
  assert.ok(count <= max, `${pk}: ${attribute} is ${count}, above the limit of ${max}`);
  if (count === max) world.reached(`an account reached the limit of ${attribute}`);
}

type ItemCounts = Readonly<Record<"new" | "active" | "delisted", number>>;

/**
 * Checks the due time of a watchlist (invariant R10), and compares its counters with its pages
 * (invariant R13).
 */
async function checkList(
  world: World,
  { sk, hasPages }: { readonly sk: string; readonly hasPages: boolean },
  { owners, running }: Seen,
): Promise<void> {
  const pk = owners.get(sk);
  const list = pk === undefined ? undefined : await rowAt(world, { pk, sk });
  if (list === undefined) {
    if (running.delete(sk)) world.reached("a watchlist was deleted during its run");
    return;
  }
  if (list["running_run"] === null) running.delete(sk);
  else running.add(sk);
  const { status, next_run_at: next, due_at: due = null } = list;
  if (list["paused_reason"] === "insufficient_credits")
    world.reached("the service paused a watchlist");
  assert.equal(next === null, status === "paused", `${sk}: next run of ${String(status)}`);
  assert.equal(due, next, `${sk}: due mark`);
  if (!hasPages) return;
  const sums = { new: 0, active: 0, delisted: 0 };
  const rows = await query(world, sk, "page#");
  const pages = rows.filter((row) => !isSecondRow(row)) as { counts: ItemCounts }[];
  if (pages.length > 1) world.reached("a watchlist had several pages");
  for (const { counts } of pages) {
    sums.new += counts.new;
    sums.active += counts.active;
    sums.delisted += counts.delisted;
  }
  assert.deepEqual({ ...(list["item_counts"] as ItemCounts) }, sums, `${sk}: counts of items`);
  const total = sums.new + sums.active + sums.delisted;
  assert.equal(list["item_total"], total, `${sk}: item_total`);
}

type Row = Readonly<Record<string, unknown>>;

async function query({ client, table }: World, pk: string, head: string): Promise<readonly Row[]> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: table,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :head)",
      ExpressionAttributeValues: { ":pk": pk, ":head": head },
      ProjectionExpression: "sk, #counts",
      ExpressionAttributeNames: { "#counts": "counts" },
      ConsistentRead: true,
    }),
  );
  return Items;
}
