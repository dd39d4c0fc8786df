import type { LedgerReader } from "../readers/ledger.ts";
import type { Clock } from "../../../shared/base/clock.ts";
import type { Difference } from "../rules/difference.ts";
import type { LedgerSums } from "../rules/ledger-fold.ts";
import type { ChangedSince } from "../rules/account.ts";

export interface LedgerReadDependencies {
  readonly ledgerReader: LedgerReader;
  readonly clock: Clock;
}

/** A ledger that was read completely while calls continued. */
export interface ReadLedger {
  readonly sums: LedgerSums;
  /** The credits that calls have reserved or spent of the account's daily budget, by UTC day. */
  readonly budgetUse: ReadonlyMap<string, number>;
  /** The number of open holds in shards. */
  readonly holds: number;
  /** Differences that changes to the account during the check cannot explain. */
  readonly differences: readonly Difference[];
  /**
   * Reads the changes since the ledger was read. Call it last, after reading everything that is
   * compared with the sums.
   */
  readonly since: () => Promise<LedgerSince>;
}

/** The changes of a ledger since it was read. */
export interface LedgerSince {
  readonly changed: ChangedSince;
  /**
   * True if the account still has the form (with or without shards) in which its ledger was read.
   */
  readonly isSteady: boolean;
  readonly differences: readonly Difference[];
}
