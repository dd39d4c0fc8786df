/**
 * A page of a log, newest first. `lastId`: the ID at which the page ends; null for the last page.
 */
export interface LogPage<Entry> {
  readonly entries: readonly Entry[];
  readonly lastId: string | null;
}

/**
 * A page of entries that have had no attempt yet, newest first. The page is complete for IDs of at
 * least `from`. If `from` is null, the page is complete.
 */
export interface PendingPage<Entry> {
  readonly entries: readonly Entry[];
  readonly from: string | null;
}

/**
 * Merges a page of the log with a page of pending entries, newest first. Returns at most `limit`
 * entries. A page may lack entries below the ID at which it ends. The result therefore has no entry
 * below the higher of the two end IDs. For an entry in both pages, returns the entry of the log.
 */
export function mergePage<Entry extends { readonly id: string }>(
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
