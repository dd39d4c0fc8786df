import { numberedId, numberOf, placedId, placeOf } from "../base/ids.ts";

/** The position of a ledger entry in the order of all entries of its account. */
export interface EntryPlace {
  /** Stamp of the entry's record, in microseconds since 1970; 0 for unsharded entries. */
  readonly at: number;
  readonly shard: number;
  /**
   * Index among the entries of the same record, from 0. For an entry without a stamp, its sequence
   * number.
   */
  readonly part: number;
}

/** Maximum number of entries of one record that an ID can distinguish. */
const partsMax = 4;

/**
 * Returns the public ID of a ledger entry, derived from its place and its account. `placeOfEntry`
 * reverses it.
 */
export const entryId = ({ at, shard, part }: EntryPlace, accountId: string): string =>
  at === 0
    ? numberedId("creditTransaction", part, accountId)
    : placedId("creditTransaction", { stamp: at, slot: shard * partsMax + part }, accountId);

/**
 * Returns the place of a ledger entry in the ledger (stamp, shard, part), from its public ID.
 * Returns undefined if the string cannot be the ID of an entry of this account.
 */
export function placeOfEntry(id: string, accountId: string): EntryPlace | undefined {
  const sequence = numberOf("creditTransaction", id, accountId);
  if (sequence !== undefined) return { at: 0, shard: 0, part: sequence };
  const place = placeOf("creditTransaction", id, accountId);
  if (place === undefined) return undefined;
  const { stamp, slot } = place;
  return { at: stamp, shard: Math.floor(slot / partsMax), part: slot % partsMax };
}

/**
 * Compares places in the order of entries: negative if `a` is older, 0 if both are the same entry.
 */
export const comparePlaces = (a: EntryPlace, b: EntryPlace): number =>
  a.at - b.at || a.shard - b.shard || a.part - b.part;
