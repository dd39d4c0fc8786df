import { type Difference, differenceLine } from "../../tools/reconcile/rules/difference.ts";
import { systemClock } from "../../shared/base/system.ts";
import { type Admin, type Commands, type Values, wholeNumber } from "./command.ts";
import { escapeControls } from "./print.ts";
import { reconcile, type Tally, tallyLine } from "../../tools/reconcile/reconcile.ts";

/** The exit code if there are differences. */
const foundDifferences = 2;
/**
 * The default of `--runs`: `reconcile` compares the results of this many of the newest runs of each
 * watchlist.
 */
const runsDefault = 20;

export const reconcileCommands: Commands = {
  reconcile: {
    example: "--account acct_1 --json",
    takes: ["account", "runs"],
    about:
      "Compares the ledger with balances, items with counters, runs with their results and the feed, " +
      "and pending deliveries with outboxes. Prints a line for each difference. Compares the results " +
      `of the newest ${runsDefault} runs of each watchlist; --runs sets another number.`,
    run: runReconcile,
  },
};

/**
 * Compares all data that the tables of a stage store twice, and prints the progress.
 * @param values The options of the command line.
 * @param report Receives each difference.
 * @returns The number of compared rows and the number of differences.
 * @throws Error if `--runs` is invalid, or if the account in `--account` does not exist.
 */
export async function compareData(
  values: Values,
  { dynamo, target, progress }: Admin,
  report: (difference: Difference) => void,
): Promise<Tally> {
  const steps = progress(null);
  return reconcile(dynamo, target.tables, {
    accountId: values.account ?? null,
    runsMax: wholeNumber(values, "runs", { least: 0, otherwise: runsDefault }),
    clock: systemClock,
    begin: (...step) => steps.begin(...step),
    report,
  });
}

/**
 * Runs the command `reconcile`: compares all data that the tables store twice. Prints each
 * difference and a summary, and sets the exit code 2 if it found a difference.
 * @throws Error if `--runs` is invalid, or if the account of `--account` does not exist
 */
export async function runReconcile(values: Values, admin: Admin): Promise<undefined> {
  const { isText, printLine, endWith } = admin;
  const line = isText
    ? (difference: Difference) => escapeControls(differenceLine(difference))
    : JSON.stringify;
  const tally = await compareData(values, admin, (difference) => printLine(line(difference)));
  if (tally.differences > 0) endWith(foundDifferences);
  printLine(isText ? tallyLine(tally) : JSON.stringify(summaryOf(tally)));
  return undefined;
}

const summaryOf = (tally: Tally): Record<string, unknown> => ({
  summary: tallyLine(tally),
  accounts: tally.accounts,
  ledger_entries: tally.ledgerEntries,
  holds: tally.holds,
  watchlists: tally.watchlists,
  items: tally.items,
  runs: tally.runs,
  pending_deliveries: tally.pendingDeliveries,
  feed_runs: tally.feedRuns,
  differences: tally.differences,
  unsteady: tally.unsteady,
  not_compared: tally.moving,
});
