import { type JournalRecord, stampOf } from "../../credits/journal.ts";
import type { JournalPage } from "./journal-page.ts";
import type { LedgerProcess } from "./process.ts";
import { readPages } from "./read-pages.ts";
import type { AccountRows } from "./read-shards.ts";
import type { Shard } from "./shard-row.ts";

interface Wanted {
  readonly accountId: string;
  readonly holdId: string;
  /** The shards were read before this is called. */
  readonly rows: AccountRows;
  /** When the ID of the call was made. */
  readonly made: Date;
}

/** Pages of a shard that are read from the time of the call on, to find its reservation. */
const pagesToReserve = 20;
/** Pages of its shard that are read from its reservation on, to find how it was resolved. */
const pagesToSettle = 200;

/**
 * The stamps of the reservation of a call and of how it was resolved; undefined where they are not found
 * near the time of the call.
 */
export async function findCallStamps(
  process: LedgerProcess,
  wanted: Wanted,
): Promise<readonly number[] | undefined> {
  const { rows, holdId } = wanted;
  const stamps = await Promise.all(rows.shards.map((shard) => stampsIn(process, wanted, shard)));
  const found = stamps.find((some) => some.length > 0);
  if (found === undefined) return undefined;
  const isOpen = rows.shards.some(({ holds }) => holds.has(holdId));
  return found.length === 2 || isOpen ? found : undefined;
}

async function stampsIn(
  process: LedgerProcess,
  { accountId, holdId, made }: Wanted,
  shard: Shard,
): Promise<readonly number[]> {
  const isOfCall = (record: JournalRecord): boolean =>
    (record.type === "reserve" || record.type === "settle") && record.holdId === holdId;
  const found: number[] = [];
  const journal = shard.journal.filter(isOfCall).map(({ at }) => at);
  const oldest = shard.journal[0]?.at ?? Infinity;
  const isOpen = shard.holds.has(holdId);
  // A call has one hold, which is resolved once.
  if (journal.length === 2 || (journal.length === 1 && isOpen)) return journal;
  let pages = 0;
  for await (const { records } of pagesFrom(process, { accountId, shard: shard.number, made })) {
    const some = records.filter((record) => record.at < oldest && isOfCall(record));
    found.push(...some.map(({ at }) => at));
    pages += 1;
    const isWhole = found.length + journal.length === 2 || (found.length === 1 && isOpen);
    if (isWhole) break;
    if (pages === (found.length === 0 ? pagesToReserve : pagesToSettle)) break;
  }
  return [...found, ...journal];
}

/** The pages of a shard, oldest first, from the one that was being filled at a time. */
async function* pagesFrom(
  process: LedgerProcess,
  { accountId, shard, made }: { accountId: string; shard: number; made: Date },
): AsyncGenerator<JournalPage> {
  const at = stampOf(made);
  const place = { accountId, shard };
  const earlier = readPages(process, { ...place, to: at, order: "newest first", limit: 1 });
  for await (const pages of earlier) {
    yield* pages;
    if (pages.length > 0) break;
  }
  const later = { ...place, from: at + 1, order: "oldest first", limit: pagesToReserve } as const;
  for await (const pages of readPages(process, later)) yield* pages;
}
