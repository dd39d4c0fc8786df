import { type Difference, fieldDifferences, missing, present } from "./difference.ts";
import type { UsageChange } from "../../../shared/credits/journal.ts";
import type { LedgerSums } from "./ledger-fold.ts";
import { dueDifferences, type StoredAccount, type StoredUsage } from "./account.ts";
import { journalStart, shardPlace, type ShardSums, type StoredShard } from "./shard-fold.ts";

/** A shard at the time its row was read: the row, and the sums of the records up to that time. */
export interface ReadShard {
  readonly number: number;
  readonly row: StoredShard;
  readonly sums: ShardSums;
}

/** Compares a shard's row with the sums of its records, and returns the differences. */
export function shardDifferences(
  accountId: string,
  { number, row, sums }: ReadShard,
  now: Date,
): Difference[] {
  const place = shardPlace(accountId, number);
  const { sequence, balance, spent, added } = sums;
  const open = [...sums.open.values()];
  const held = open.reduce((sum, { credits }) => sum + credits, 0);
  const inFlight = row.holds.size + row.oldInFlight;
  const isOpen = row.holds.size > 0;
  return [
    ...fieldDifferences(
      place,
      { ...row },
      { sequence, balance, ...(sums.isWhole ? { spent, held, added } : {}) },
    ),
    ...fieldDifferences(place, { in_flight: row.inFlight }, { in_flight: inFlight }),
    ...(row.inFlight > row.slots
      ? [{ place, field: "in_flight", stored: row.inFlight, expected: `0 to ${row.slots}` }]
      : []),
    ...(row.fence < sums.newest
      ? [{ place, field: "fence", stored: row.fence, expected: `${sums.newest} or more` }]
      : []),
    ...(sums.isWhole ? holdDifferences(place, row, sums) : []),
    ...(isOpen ? dueDifferences(place, { isOpen, dueAt: row.dueAt }, now) : []),
  ];
}

/**
 * Compares the open holds of calls that the row stores with the open holds in the records. Ignores
 * unsharded holds.
 */
function holdDifferences(
  place: string,
  { holds }: StoredShard,
  { open }: LedgerSums,
): Difference[] {
  const expected = new Map([...open].filter(([, { hasRow }]) => !hasRow));
  const extra = [...holds.keys()].filter((holdId) => !expected.has(holdId));
  return [
    ...extra.map((holdId) => ({
      place: `${place} hold ${holdId}`,
      field: "hold",
      stored: present,
      expected: missing,
    })),
    ...[...expected].flatMap(([holdId, { credits }]) => {
      const hold = holds.get(holdId);
      const at = `${place} hold ${holdId}`;
      return hold === undefined
        ? [{ place: at, field: "hold", stored: missing, expected: present }]
        : fieldDifferences(at, { credits: hold.credits }, { credits });
    }),
  ];
}

/**
 * Compares a shard's usage rows with its pages. Ignores days whose records were moved to pages
 * during the check. Returns an empty list if the shard's sums lack records.
 */
export function shardUsageDifferences(
  accountId: string,
  { number, sums }: ReadShard,
  { stored, changed }: { stored: readonly StoredUsage[]; changed: ReadonlySet<string> },
): Difference[] {
  if (!sums.isWhole) return [];
  const rows = new Map(stored.map((row) => [row.date, row]));
  const dates = new Set([...rows.keys(), ...sums.pageUsage.keys()]);
  return [...dates]
    .filter((date) => !changed.has(date))
    .toSorted()
    .flatMap((date) =>
      fieldDifferences(
        `${shardPlace(accountId, number)} usage ${date}`,
        { ...(rows.get(date) ?? noUsage) },
        counts(sums.pageUsage.get(date)),
      ),
    );
}

const noUsage = { requests: 0, successful: 0, failed: 0, credits: 0 };

const counts = (usage: UsageChange | undefined): typeof noUsage => {
  const { requests, successful, failed, credits } = usage ?? noUsage;
  return { requests, successful, failed, credits };
};

/**
 * Returns a difference if a record is both in the row and in a page. A transaction moves records
 * from the row to a page, so no record may be in both. The row must be read after the pages.
 * @param newestInPages newest stamp of the records in pages
 */
export function compareCopies(
  place: string,
  row: Pick<StoredShard, "journal" | "fence">,
  newestInPages: number,
): Difference[] {
  const start = journalStart(row);
  const field = "newest record in pages";
  return newestInPages < start
    ? []
    : [{ place, field, stored: newestInPages, expected: `before ${start}` }];
}

/** An account's row, and its shards at the times when they were read. */
export interface AccountRead {
  readonly account: StoredAccount;
  readonly shards: readonly ReadShard[];
  readonly sums: LedgerSums;
  /**
   * For each transfer in the records, by stamp: the credits that the transfer added to shards,
   * minus the credits that it took from shards. The result for a complete transfer is 0.
   */
  readonly transfers: ReadonlyMap<number, number>;
  /** True if no unsharded call ended while the shards were read. */
  readonly isOldSteady: boolean;
  /** Returns the number of shards and slots that a shard's row must store. */
  readonly sizeAt: (lifetime: number, shard: number) => ShardSize;
}

interface ShardSize {
  readonly shards: number;
  readonly slots: number;
}

/**
 * Compares an account's row and its shards with the sums of the ledger, with the expected numbers
 * of shards and slots, and with the transfers between the shards. Returns an empty array if
 * everything agrees. Call it only if the row did not change while the shards were read.
 */
export function accountDifferences(read: AccountRead): Difference[] {
  const { account, shards, sums, transfers, isOldSteady, sizeAt } = read;
  const { accountId, id, received } = account;
  const lifetime = sums.isWhole ? sums.lifetime : account.lifetime;
  const old = [...sums.open.values()].filter(({ takesSlot, hasRow }) => takesSlot && hasRow);
  const oldInFlight = shards.reduce((sum, { row }) => sum + row.oldInFlight, 0);
  return [
    ...fieldDifferences(
      accountId,
      { id, lifetime: account.lifetime, shards: account.shards },
      { id: accountId, lifetime, shards: sizeAt(lifetime, 0).shards },
    ),
    ...shards.flatMap(({ number, row }) =>
      fieldDifferences(
        shardPlace(accountId, number),
        { shards: row.shards, slots: row.slots },
        { ...sizeAt(lifetime, number) },
      ),
    ),
    ...(sums.isWhole
      ? [
          ...fieldDifferences(accountId, { received }, { received: sums.received }),
          ...[...transfers]
            .filter(([, credits]) => credits !== 0)
            .map(([at, credits]) => ({
              place: `${accountId} transfer ${at}`,
              field: "sum over the shards",
              stored: credits,
              expected: 0,
            })),
        ]
      : []),
    ...(sums.isWhole && isOldSteady
      ? fieldDifferences(
          accountId,
          { "number of calls in flight from before the account had shards": oldInFlight },
          { "number of calls in flight from before the account had shards": old.length },
        )
      : []),
  ];
}
