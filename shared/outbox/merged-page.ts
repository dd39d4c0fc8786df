/** A page of a log, newest first; `lastId`: where it ended, null when there are no more. */
export interface LogPage<Entry> {
  readonly entries: readonly Entry[];
  readonly lastId: string | null;
}

/** Work that is pending before its first attempt, complete from the ID `from` on; null: all of it. */
export interface PendingPage<Entry> {
  readonly entries: readonly Entry[];
  readonly from: string | null;
}

/** One page of both, newest first, down to where both are complete. A logged entry replaces a pending one. */
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
