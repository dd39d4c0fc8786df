import type { LedgerReader } from "../readers/ledger.ts";
import { fieldDifferences, present } from "../rules/difference.ts";
import type { FoldSince, LedgerSums } from "../rules/ledger-fold.ts";
import { dayOf } from "../../../shared/base/day.ts";
import { holdCheck, type StoredHold, usageDifferences } from "../rules/account.ts";
import { budgetDifferences } from "../rules/budget.ts";
import { readOldLedger } from "./old-ledger.ts";
import { readShards } from "./shards.ts";
import { confirm, type CheckResult } from "./confirmed.ts";
import type { LedgerReadDependencies } from "./read-ledger.ts";

/** The result of a check of an account's ledger. */
interface LedgerFindings extends CheckResult {
  /** Null if the account no longer exists. */
  readonly sums: LedgerSums | null;
  /** The number of holds that were compared. */
  readonly holds: number;
  /**
   * IDs of API keys that the account lists, but whose lookup row (the row by key hash) is missing,
   * revoked or of another account.
   */
  readonly strayKeys: readonly string[];
}

/**
 * Checks the ledger of an account, its holds, usage and keys. Repeats the check, at most 8 times,
 * until its differences are confirmed (see `confirm`).
 * @param since the times from which charges and resolved holds are compared
 */
export const checkLedger = (
  accountId: string,
  since: FoldSince,
  dependencies: LedgerReadDependencies,
): Promise<LedgerFindings> =>
  confirm(() => compareLedger(accountId, since, dependencies), dependencies);

const nothing: LedgerFindings = {
  sums: null,
  holds: 0,
  strayKeys: [],
  differences: [],
  isSteady: true,
};

/**
 * Compares the stored sums of an account with its ledger, while calls continue. Also compares its
 * holds, usage and keys. Ledger entries never change. The entries up to the read of a row must add
 * up to the row. Later entries show which holds and days changed during the check.
 */
async function compareLedger(
  accountId: string,
  since: FoldSince,
  dependencies: LedgerReadDependencies,
): Promise<LedgerFindings> {
  const { ledgerReader: reader, clock } = dependencies;
  const account = await reader.account(accountId);
  if (account === undefined) return nothing;
  const read = account.shards > 0 ? readShards : readOldLedger;
  const ledger = await read(account, since, dependencies);
  const { sums } = ledger;
  const check = holdCheck(accountId, sums);
  let holds = ledger.holds;
  const budgets = await Array.fromAsync(reader.dailyBudgets(accountId));
  const counted: StoredHold[] = [];
  for await (const hold of reader.holds(accountId)) {
    check.take(hold, clock.now());
    holds += 1;
    if (hold.budgets.length > 0) counted.push(hold);
  }
  const usage = await Array.fromAsync(reader.usage(accountId));
  const { changed, isSteady, differences } = await ledger.since();
  const keys = await keyDifferences(accountId, reader);
  return {
    sums,
    holds,
    strayKeys: keys.stray,
    differences: [
      ...ledger.differences,
      ...differences,
      ...(isSteady
        ? [
            ...check.end(changed),
            ...usageDifferences(accountId, usage, { sums, changed }),
            ...budgetDifferences(accountId, budgets, {
              holds: counted,
              calls: ledger.budgetUse,
              since: dayOf(since.resolved),
            }),
          ]
        : []),
      ...keys.differences,
    ],
    isSteady,
  };
}

async function keyDifferences(accountId: string, reader: LedgerReader) {
  const { count, lookups } = await reader.keys(accountId);
  const wrong = [...lookups].filter(([, lookup]) => lookup !== present);
  return {
    differences: [
      ...(count === null
        ? []
        : fieldDifferences(accountId, { key_count: count }, { key_count: lookups.size })),
      ...wrong.map(([keyId, stored]) => ({
        place: `${accountId} ${keyId}`,
        field: "lookup",
        stored,
        expected: present,
      })),
    ],
    stray: wrong.map(([keyId]) => keyId),
  };
}
