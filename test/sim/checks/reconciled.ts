import assert from "node:assert/strict";
import { reconcile } from "../../../tools/reconcile/reconcile.ts";
import { differenceLine } from "../../../tools/reconcile/rules/difference.ts";
import type { World } from "../world.ts";

/** Compares whatever the tables keep twice, as operators do. */
export async function assertReconciled(world: World): Promise<void> {
  const { client, table, turns } = world;
  const tables = { accounts: table, ledger: table, watchlists: table, deliveries: table };
  const found: string[] = [];
  await reconcile(client, tables, {
    accountId: null,
    runsMax: 20,
    // What is younger than a minute may still move, and is passed over.
    clock: { now: () => new Date(turns.now() + 2 * 60_000), sleep: async () => {} },
    report: (difference) => found.push(differenceLine(difference)),
  });
  assert.deepEqual(found, [], "reconcile finds nothing");
}
