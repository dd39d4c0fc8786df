import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { type Difference, differenceLine } from "../../tools/reconcile/rules/difference.ts";
import { systemClock } from "../../shared/base/system.ts";
import type { Clock } from "../../shared/base/clock.ts";
import { dynamoLedgerReader } from "../../tools/reconcile/readers/ledger.ts";
import { checkLedger } from "../../tools/reconcile/checks/ledger.ts";
import { checkDeliveries } from "../../tools/reconcile/checks/deliveries.ts";
import {
  deliveriesOf,
  noCounts,
  reconcile,
  type Tally,
  tallyLine,
} from "../../tools/reconcile/reconcile.ts";
import { connectToWorld } from "../../tools/local/running-world.ts";

const runsMax = 100;

/**
 * Compares the data that the tables of a bench's local world store twice, and prints the result.
 * @throws Error if there is a difference
 */
export async function reconcileLocalTables(dataFolder: string): Promise<void> {
  const { tables } = connectToWorld(dataFolder);
  const tally = await reconcile(documentClient(), tables, {
    accountId: null,
    runsMax,
    clock: systemClock,
    report: printDifference,
  });
  conclude(tally);
}

/**
 * Compares the ledger of an account with its stored sums, and prints the result.
 * @param tables The names of the tables.
 * @param clock Returns the time at which the bench ended.
 * @throws Error if there is a difference.
 */
export async function reconcileLedger(
  tables: { readonly accounts: string; readonly ledger: string },
  accountId: string,
  clock: Clock,
): Promise<void> {
  const ledgerReader = dynamoLedgerReader(documentClient(), {
    accountsTable: tables.accounts,
    ledgerTable: tables.ledger,
  });
  const since = { charges: new Date(0), resolved: new Date(0) };
  const found = await checkLedger(accountId, since, { ledgerReader, clock });
  found.differences.forEach(printDifference);
  conclude({
    ...noCounts(),
    accounts: 1,
    ledgerEntries: found.sums?.sequence ?? 0,
    holds: found.holds,
    differences: found.differences.length,
  });
}

/**
 * Checks the webhook endpoints, pending deliveries, exports and event feeds of accounts, and prints
 * the result. Use it for a bench that delivers events without runs.
 * @param table The name of the table.
 * @throws Error if there is a difference.
 */
export async function reconcileDeliveries(table: string, accountIds: string[]): Promise<void> {
  const counts = noCounts();
  for (const id of accountIds) {
    // The runs of a bench can have any time, so the check must not assume when the account was
    // opened. With an empty time, it accepts a feed whose first runs are missing.
    const account = { id, openedAt: "" };
    const found = await checkDeliveries(
      account,
      deliveriesOf(documentClient(), table, systemClock),
    );
    found.differences.forEach(printDifference);
    counts.accounts += 1;
    counts.pendingDeliveries += found.pending;
    counts.feedRuns += found.feedRuns;
    counts.differences += found.differences.length;
  }
  conclude(counts);
}

const printDifference = (difference: Difference): void => {
  process.stderr.write(`${differenceLine(difference)}\n`);
};

function conclude(tally: Tally): void {
  process.stderr.write(`${tallyLine(tally)}\n`);
  if (tally.differences + tally.unsteady > 0)
    throw new Error(
      "The rows that the bench wrote contradict each other. Correct the code that wrote them: the differences are printed above.",
    );
}
