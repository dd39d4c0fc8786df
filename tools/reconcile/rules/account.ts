import { type Difference, fieldDifferences, missing, present } from "./difference.ts";
import { markDifferences } from "./mark.ts";
import type { LedgerSums } from "./ledger-fold.ts";

/** The sums that an account's row stores. */
export interface StoredAccount {
  readonly accountId: string;
  /** The account ID in the row's attributes; null if the attribute is missing. */
  readonly id: string | null;
  /** The lifetime credits of the account. */
  readonly lifetime: number;
  /** The number of shards; 0 if the account's own row has the sums. */
  readonly shards: number;
  /**
   * All credits that were ever added to the account. Has no meaning for an account without shards.
   */
  readonly received: number;
}

/** The credit sums in the row of an account without shards. */
export interface StoredSums extends Pick<StoredAccount, "accountId" | "id" | "lifetime"> {
  /** The number of the newest ledger entry. */
  readonly sequence: number;
  readonly balance: number;
  /** Credits that open holds reserve. */
  readonly held: number;
  /** The credits of all charges, minus refunded charges. */
  readonly spent: number;
  /** The number of slots in use. */
  readonly inFlight: number;
}

/** The row of a hold. */
export interface StoredHold {
  readonly holdId: string;
  /** The number of the shard that contains the reserved credits. */
  readonly shard: number;
  /** True until a charge and a refund have resolved the hold. */
  readonly isOpen: boolean;
  readonly credits: number;
  /** The charged credits; null while the hold is open. */
  readonly charged: number | null;
  /** The daily budgets that the hold counts towards. */
  readonly budgets: readonly { readonly owner: string; readonly day: string }[];
  /**
   * The time at which the sweeper releases the hold (ISO 8601 UTC); null if the row is not in the
   * sweeper's index.
   */
  readonly dueAt: string | null;
}

/** The usage of one day, as a row stores it. */
export interface StoredUsage {
  /** The UTC date, as `YYYY-MM-DD`. */
  readonly date: string;
  readonly requests: number;
  readonly successful: number;
  readonly failed: number;
  readonly credits: number;
}

/** Holds and UTC dates whose sums changed after the ledger was read. They cannot be compared. */
export interface ChangedSince {
  readonly holds: ReadonlySet<string>;
  readonly dates: ReadonlySet<string>;
}

/**
 * Returns the differences between the sums in an account's row and the sums of its ledger. If the
 * row and the ledger end at different sequence numbers, compares only the account ID. If `sums`
 * lacks entries, compares only the account ID and the balance.
 */
export function sumDifferences({ id, ...storedSums }: StoredSums, sums: LedgerSums): Difference[] {
  const unnamed = fieldDifferences(storedSums.accountId, { id }, { id: storedSums.accountId });
  // The newest entry is missing, so the balance after it is unknown.
  if (sums.sequence !== storedSums.sequence) return unnamed;
  const open = [...sums.open.values()];
  const whole = {
    held: open.reduce((sum, { credits }) => sum + credits, 0),
    spent: sums.spent,
    lifetime: sums.lifetime,
    in_flight: open.filter(({ takesSlot }) => takesSlot).length,
  };
  const { accountId, inFlight, ...stored } = storedSums;
  return [
    ...unnamed,
    ...fieldDifferences(
      accountId,
      { ...stored, in_flight: inFlight },
      { balance: sums.balance, ...(sums.isWhole ? whole : {}) },
    ),
  ];
}

/**
 * Returns a difference if there are ledger entries whose number is higher than the sequence in the
 * account's row. Such entries would block the next entry.
 * @param newest number of the newest ledger entry
 */
export function beyondDifferences(
  { accountId, sequence }: Pick<StoredSums, "accountId" | "sequence">,
  newest: number,
): Difference[] {
  const first = sequence + 1;
  if (newest < first) return [];
  const which = newest === first ? `entry ${first}` : `entries ${first} to ${newest}`;
  const place = `${accountId} ${which}`;
  return [{ place, field: "row", stored: `beyond sequence ${sequence}`, expected: "within it" }];
}

/**
 * Creates a check of the rows of holds: their due marks, their charges, and whether they agree with
 * the ledger. Call `take` for each row, and then `end`, which returns the differences. `end` leaves
 * out disagreements with the ledger about holds that changed after the ledger was read.
 */
export function holdCheck(accountId: string, sums: LedgerSums) {
  const seen = new Set<string>();
  const own: Difference[] = [];
  const suspects: { readonly holdId: string; readonly difference: Difference }[] = [];
  const placeOf = (holdId: string): string => `${accountId} hold ${holdId}`;
  const suspect = (holdId: string, differences: readonly Difference[]): void => {
    for (const difference of differences) suspects.push({ holdId, difference });
  };
  return {
    take(hold: StoredHold, now: Date): void {
      const { holdId, shard, credits, charged, isOpen } = hold;
      own.push(...dueDifferences(placeOf(holdId), hold, now));
      const expected = sums.isWhole ? holdIn(sums, holdId) : null;
      if (expected?.charged === undefined) own.push(...chargedDifferences(placeOf(holdId), hold));
      if (expected === null) return;
      seen.add(holdId);
      const stored = { state: isOpen ? "open" : "resolved", shard, credits, charged };
      // If a hold has the wrong state, its other fields are not compared.
      const wanted = stored.state === expected.state ? { ...expected } : { state: expected.state };
      suspect(holdId, fieldDifferences(placeOf(holdId), stored, wanted));
    },
    end(changed: ChangedSince): Difference[] {
      const known = sums.isWhole ? [...sums.open, ...sums.resolved] : [];
      const unseen = known.filter(([id, { hasRow }]) => hasRow && !seen.has(id));
      for (const [id] of unseen) {
        const place = placeOf(id);
        suspect(id, [{ place, field: "row", stored: missing, expected: present }]);
      }
      const quiet = suspects.filter(({ holdId }) => !changed.holds.has(holdId));
      return [...own, ...quiet.map(({ difference }) => difference)];
    },
  };
}

interface ExpectedHold {
  readonly state: "open" | "resolved";
  readonly shard?: number;
  readonly credits?: number;
  /** The charged credits; absent for a hold that was resolved before rows stored charges. */
  readonly charged?: number;
}

/** Returns the expected state of a hold according to the ledger. */
function holdIn({ open, resolved }: LedgerSums, holdId: string): ExpectedHold {
  const reserved = open.get(holdId);
  if (reserved !== undefined) {
    return { state: "open", shard: reserved.shard, credits: reserved.credits };
  }
  const { shard, charged } = resolved.get(holdId) ?? {};
  return charged === undefined || shard === undefined
    ? { state: "resolved" }
    : { state: "resolved", shard, charged };
}

/**
 * The longest lifetime of a hold. A hold for a run's step expires after a day, and a hold for a
 * call after minutes.
 */
const holdMsMax = 24 * 60 * 60 * 1_000;

const longestHold = (from: Date): Date => new Date(from.getTime() + holdMsMax);

/**
 * Checks the due mark of a hold, or of a shard with open holds. An open hold must have a due mark,
 * and a resolved hold must have none.
 * @param place name of the row in a difference
 */
export function dueDifferences(
  place: string,
  { isOpen, dueAt }: Pick<StoredHold, "isOpen" | "dueAt">,
  now: Date,
): Difference[] {
  const isDue = dueAt !== null;
  if (!isOpen || !isDue) {
    return fieldDifferences(place, { "due mark": isDue }, { "due mark": isOpen });
  }
  return markDifferences({ place, field: "due_at" }, dueAt, { now, latest: longestHold });
}

/** Reports a charge that is below 0 or above the reserved credits. Does not need the ledger. */
function chargedDifferences(place: string, { credits, charged }: StoredHold): Difference[] {
  if (charged === null || (charged >= 0 && charged <= credits)) return [];
  return [{ place, field: "charged", stored: charged, expected: `0 to ${credits}` }];
}

/**
 * Compares the unsharded daily usage with the holds that were resolved on each day. Ignores days
 * that changed during the check. Returns no differences if `sums` lacks entries.
 */
export function usageDifferences(
  accountId: string,
  stored: readonly StoredUsage[],
  { sums, changed }: { readonly sums: LedgerSums; readonly changed: ChangedSince },
): Difference[] {
  if (!sums.isWhole) return [];
  const rows = new Map(stored.map((row) => [row.date, row]));
  const dates = new Set([...rows.keys(), ...sums.usage.keys()]);
  return [...dates]
    .filter((date) => !changed.dates.has(date))
    .toSorted()
    .flatMap((date) => {
      const { requests, successful, failed, credits } = rows.get(date) ?? noUsage;
      const ledger = sums.usage.get(date) ?? noUsage;
      return fieldDifferences(
        `${accountId} usage ${date}`,
        { requests, "successful plus failed": successful + failed, credits },
        {
          requests: ledger.requests,
          "successful plus failed": requests,
          credits: ledger.credits,
        },
      );
    });
}

const noUsage = { requests: 0, successful: 0, failed: 0, credits: 0 };
