import type { LedgerReader } from "../readers/ledger.ts";
import type { Clock } from "../../../shared/base/clock.ts";
import type { Difference } from "../rules/difference.ts";
import type { LedgerSums } from "../rules/ledger-fold.ts";
import type { ChangedSince } from "../rules/account.ts";

export interface LedgerReadDependencies {
  readonly ledgerReader: LedgerReader;
  readonly clock: Clock;
}

/** A ledger that was read to its end while calls continued. */
export interface ReadLedger {
  readonly sums: LedgerSums;
  /** Open holds in shards. */
  readonly holds: number;
  /** Differences that later changes cannot explain. */
  readonly differences: readonly Difference[];
  /** Reads what has changed since then. Call it after reading everything that is compared with the sums. */
  readonly since: () => Promise<LedgerSince>;
}

export interface LedgerSince {
  readonly changed: ChangedSince;
  /** True if the account still has the state whose ledger was read. */
  readonly isSteady: boolean;
  readonly differences: readonly Difference[];
}
