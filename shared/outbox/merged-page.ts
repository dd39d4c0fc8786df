/**
 * A page of a log, newest first. `lastId`: the ID at which the page ends; null for the last page.
 */
export interface LogPage<Entry> {
  readonly entries: readonly Entry[];
  readonly lastId: string | null;
}

/**
 * Entries before their first attempt. The page is complete down to the ID `from`; null: the page
 * has all entries.
 */
export interface PendingPage<Entry> {
  readonly entries: readonly Entry[];
  readonly from: string | null;
}

/**
 * Merges a logged and a pending page, newest first, down to the ID to which both are complete. A
 * logged entry replaces the pending entry with the same ID. At most `limit` entries.
 */
export function mergedPage<Entry extends { readonly id: string }>(
  logged: LogPage<Entry>,
  pending: PendingPage<Entry>,
  limit: number,
): LogPage<Entry> {
  const known = new Set(logged.entries.map(({ id }) => id));
  const end =
    [logged.lastId, pending.from]
      .filter((id) => id !== null)
      .toSorted()
      .at(-1) ?? null;
  const all = [...logged.entries, ...pending.entries.filter(({ id }) => !known.has(id))]
    .filter(({ id }) => end === null || id >= end)
    .toSorted((one, other) => (one.id < other.id ? 1 : -1));
  const entries = all.slice(0, limit);
  return { entries, lastId: all.length > limit ? (entries.at(-1)?.id ?? end) : end };
}
