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
/** After a refresh, which follows an action of the user. */
const quickForMilliseconds = 60_000;

/**
 * A listing as `usePages` has it, read again while the dashboard is visible, so long after an
 * answer: often while entries are pending and after a refresh. More pages are read again less
 * often, and only while something is under way in them: new entries would push down what a person
 * reads.
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
