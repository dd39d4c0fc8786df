import assert from "node:assert/strict";
import type { Clock } from "../../../shared/base/clock.ts";
import { reconcile } from "../../../tools/reconcile/reconcile.ts";
import { differenceLine } from "../../../tools/reconcile/rules/difference.ts";
import type { World } from "../world.ts";

/** Returns a clock that is two minutes ahead of the virtual time. */
const later = ({ tasks }: World): Clock => ({
  now: () => new Date(tasks.now() + 2 * 60_000),
  sleep: async () => {},
});

/**
 * Checks that the operators' command `reconcile` finds no difference between data that is stored
 * twice.
 * @param clock the time of the check; by default two minutes ahead, because `reconcile` skips
 * changes of the last minute
 * @throws Error if a check fails
 */
export async function assertReconciled(world: World, clock = later(world)): Promise<void> {
  const { client, table } = world;
  const tables = { accounts: table, ledger: table, watchlists: table, deliveries: table };
  const differences: string[] = [];
  const { unsteady } = await reconcile(client, tables, {
    accountId: null,
    runsMax: 100,
    clock,
    report: (difference) => differences.push(differenceLine(difference)),
  });
  assert.deepEqual(differences, [], "differences that reconcile finds");
  assert.equal(unsteady, 0, "accounts that changed during reconcile");
}
