import assert from "node:assert/strict";
import { reconcile } from "../../../tools/reconcile/reconcile.ts";
import { differenceLine } from "../../../tools/reconcile/rules/difference.ts";
import type { World } from "../world.ts";

/** Checks that redundant data in the tables agrees, with the operators' tool. */
export async function assertReconciled(world: World): Promise<void> {
  const { client, table, tasks } = world;
  const tables = { accounts: table, ledger: table, watchlists: table, deliveries: table };
  const found: string[] = [];
  await reconcile(client, tables, {
    accountId: null,
    runsMax: 20,
    // Reconcile skips rows younger than a minute, which may still change.
    clock: { now: () => new Date(tasks.now() + 2 * 60_000), sleep: async () => {} },
    report: (difference) => found.push(differenceLine(difference)),
  });
  assert.deepEqual(found, [], "differences that reconcile finds");
}
