import * as provide from "../../functions/composition/process.ts";
import { readEnvironment } from "../../functions/environment.ts";
import { dynamoLedger } from "../../shared/aws/ledger/ledger.ts";
import { assert } from "../../shared/base/assert.ts";
import { systemClock, systemRandom } from "../../shared/base/system.ts";
import { holdIdOf, reserveStepCredits } from "../../shared/runs/reserve-step.ts";
import { grantCredits } from "../credits/change-credits.ts";
import { dynamoCreditChanges } from "../credits/dynamo-credit-changes.ts";
import { type PastWorld, stepOf } from "./write-results.ts";
import type { PlannedPast } from "./write-past.ts";

/** Credits of the grant that stay after the charges, enough for a month of use. */
const restCredits = 150_000;

/**
 * Grants an account the credits for its planned past runs, and charges each run at the time of its
 * end. The clock of the ledger returns these times, so the account must have been created before
 * the first run. Does nothing if there are no runs.
 * @throws Error if the account does not exist
 */
export async function writeCharges(
  world: PastWorld,
  accountId: string,
  planned: readonly PlannedPast[],
): Promise<void> {
  const runs = planned
    .flatMap(({ past, runs: own }) => own.map(({ stored }) => ({ stored, past })))
    .toSorted((a, b) => (a.stored.startedAt < b.stored.startedAt ? -1 : 1));
  const [first] = runs;
  if (first === undefined) return;
  const environment = readEnvironment("account", world.environmentOf("account"));
  let now = new Date(first.stored.startedAt);
  const clock = { ...systemClock, now: () => now };
  const client = provide.dynamo({});
  const tables = {
    accountsTable: environment.ACCOUNTS_TABLE,
    ledgerTable: environment.LEDGER_TABLE,
    clock,
    random: systemRandom,
  };
  const credits = runs.reduce((sum, { stored }) => sum + stored.credits, restCredits);
  const changes = dynamoCreditChanges(client, tables);
  const granted = await grantCredits(
    { accountId, changeId: `past ${first.stored.id}`, credits },
    { changes, clock },
  );
  assert(granted.outcome === "changed", "the account must exist");
  const ledger = dynamoLedger(client, tables);
  for (const { stored, past } of runs) {
    const step = stepOf(stored, past);
    now = new Date(stored.startedAt);
    const shortfall = await reserveStepCredits(stored, step, { ledger, clock });
    assert(shortfall === null, "the granted credits must cover all runs");
    now = new Date(stored.finishedAt ?? stored.startedAt);
    const settled = { credits: stored.credits, items: step.items, succeeded: true, now };
    await ledger.settle({ accountId, holdId: holdIdOf(step), ...settled });
  }
}
