import { numberedId, numberOf, placedId, placeOf } from "../base/ids.ts";

/** Where an entry stands in the order of all entries of its account. */
export interface EntryPlace {
  /** Stamp of its record, in microseconds since 1970; 0 for entries from before the account had shards. */
  readonly at: number;
  readonly shard: number;
  /** Among the entries of its record, from 0. Of an entry without a stamp: its sequence. */
  readonly part: number;
}

/** Entries that one record makes at most, as far as IDs have room for them. */
const partsMax = 4;

/** The ID of an entry, which follows from its place and its account. */
export const entryId = ({ at, shard, part }: EntryPlace, accountId: string): string =>
  at === 0
    ? numberedId("creditTransaction", part, accountId)
    : placedId("creditTransaction", { stamp: at, slot: shard * partsMax + part }, accountId);

/** The place that an ID names; undefined for what is no ID of an entry of the account. */
export function placeOfEntry(id: string, accountId: string): EntryPlace | undefined {
  const sequence = numberOf("creditTransaction", id, accountId);
  if (sequence !== undefined) return { at: 0, shard: 0, part: sequence };
  const place = placeOf("creditTransaction", id, accountId);
  if (place === undefined) return undefined;
  const { stamp, slot } = place;
  return { at: stamp, shard: Math.floor(slot / partsMax), part: slot % partsMax };
}

/** Negative when the first place is older. */
export const comparePlaces = (a: EntryPlace, b: EntryPlace): number =>
  a.at - b.at || a.shard - b.shard || a.part - b.part;
