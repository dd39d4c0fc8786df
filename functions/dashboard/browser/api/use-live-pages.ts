import { useCallback, useEffect, useState } from "preact/hooks";
import { type Pages, usePages } from "./use-pages.ts";

interface Liveliness<Entry> {
  /** Entries of one page. */
  readonly pageSize: number;
  /** True for an entry that will soon be another. */
  readonly isPending: (entry: Entry) => boolean;
}

const quickSeconds = 3;
const quietSeconds = 30;
/** After a refresh, which follows what somebody set off. */
const quickForMilliseconds = 60_000;

/**
 * A listing as `usePages` has it, whose first page is read again while the dashboard is visible:
 * often while entries are pending and after a refresh. Waits while a person reads further pages, as
 * these would be gone.
 */
export function useLivePages<Entry extends { readonly id: string }>(
  load: Parameters<typeof usePages<Entry>>[0],
  inputs: Parameters<typeof usePages<Entry>>[1],
  { pageSize, isPending }: Liveliness<Entry>,
): Pages<Entry> {
  const pages = usePages(load, inputs);
  const { entries, loadingMore, refresh } = pages;
  const [quickUntil, setQuickUntil] = useState(0);
  const isQuick = Date.now() < quickUntil || entries?.some(isPending) === true;
  const isFirst = entries !== undefined && entries.length <= pageSize && !loadingMore;
  const seconds = isQuick ? quickSeconds : quietSeconds;
  useEffect(() => {
    if (!isFirst) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, seconds * 1_000);
    return () => clearInterval(timer);
  }, [isFirst, seconds, refresh]);
  const refreshQuickly = useCallback(() => {
    setQuickUntil(Date.now() + quickForMilliseconds);
    refresh();
  }, [refresh]);
  return { ...pages, refresh: refreshQuickly };
}
