import { useCallback, useState } from "preact/hooks";
import { type Pages, usePages } from "./use-pages.ts";

interface Liveliness<Entry> {
  /** The number of entries in one page. */
  readonly pageSize: number;
  /** Returns true for an entry that will probably change soon. */
  readonly isPending: (entry: Entry) => boolean;
}

const quickSeconds = 3;
const quietSeconds = 30;
/** For this long after the user refreshes the listing, it is read every 3 seconds. */
const quickForMilliseconds = 60_000;

/**
 * Loads a listing as `usePages` does, and reloads it while the dashboard is visible: every 30
 * seconds, or every 3 seconds while entries are pending and for a minute after a refresh. If the
 * user has loaded several pages, the listing is reloaded only while entries are pending or after a
 * refresh, every 3 seconds times the number of pages: new entries would otherwise move the text
 * that the user is reading.
 */
export function useLivePages<Entry extends { readonly id: string }>(
  load: Parameters<typeof usePages<Entry>>[0],
  inputs: Parameters<typeof usePages<Entry>>[1],
  { pageSize, isPending }: Liveliness<Entry>,
): Pages<Entry> {
  const [quickUntil, setQuickUntil] = useState(0);
  const pages = usePages(load, inputs, {
    poll(entries) {
      const count = Math.max(1, Math.ceil(entries.length / pageSize));
      const isQuick = Date.now() < quickUntil || entries.some(isPending);
      if (isQuick) return quickSeconds * count;
      return count === 1 ? quietSeconds : undefined;
    },
  });
  const { refresh } = pages;
  const refreshQuickly = useCallback(() => {
    setQuickUntil(Date.now() + quickForMilliseconds);
    refresh();
  }, [refresh]);
  return { ...pages, refresh: refreshQuickly };
}
