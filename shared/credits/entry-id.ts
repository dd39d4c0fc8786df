import { numberedId, numberOf, placedId, placeOf } from "../base/ids.ts";

/** The position of an entry in the order of all entries of its account. */
export interface EntryPlace {
  /** Stamp of its record, in microseconds since 1970; 0 for entries from before the account had shards. */
  readonly at: number;
  readonly shard: number;
  /** Index among the entries of its record, from 0. For an entry without a stamp: its sequence. */
  readonly part: number;
}

/** The most entries of one record for which IDs have room. */
const partsMax = 4;

/** Derives the ID of an entry from its place and its account. */
export const entryId = ({ at, shard, part }: EntryPlace, accountId: string): string =>
  at === 0
    ? numberedId("creditTransaction", part, accountId)
    : placedId("creditTransaction", { stamp: at, slot: shard * partsMax + part }, accountId);

/** The place that an ID names; undefined for any text that is not the ID of an entry of the account. */
export function placeOfEntry(id: string, accountId: string): EntryPlace | undefined {
  const sequence = numberOf("creditTransaction", id, accountId);
  if (sequence !== undefined) return { at: 0, shard: 0, part: sequence };
  const place = placeOf("creditTransaction", id, accountId);
  if (place === undefined) return undefined;
  const { stamp, slot } = place;
  return { at: stamp, shard: Math.floor(slot / partsMax), part: slot % partsMax };
}

/** Returns a negative number if the first place is older. */
export const comparePlaces = (a: EntryPlace, b: EntryPlace): number =>
  a.at - b.at || a.shard - b.shard || a.part - b.part;
