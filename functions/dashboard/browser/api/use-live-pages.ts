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
/** For this many milliseconds after a refresh by the user, the listing is read every 3 seconds. */
const quickForMilliseconds = 60_000;

/**
 * Loads a listing as `usePages` does, and reloads it while the dashboard is visible. Reloads it
 * every 3 seconds while an entry is pending, and for a minute after the user refreshes the listing.
 * Otherwise reloads it every 30 seconds.
 *
 * If several pages are loaded, the interval of 3 seconds becomes 3 seconds for each page. The
 * reload every 30 seconds then stops, because new entries would move the text that the user is
 * reading.
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
