import { useEffect } from "preact/hooks";
import type { Pages } from "./use-pages.ts";

/**
 * Reads the first page of a listing again while the dashboard is visible. Waits while a person reads
 * further pages: these would be gone.
 * @param pageSize entries of one page
 * @param seconds after an answer; undefined ends it
 */
export function usePagePolling(
  pages: Pages<unknown>,
  pageSize: number,
  seconds: number | undefined,
): void {
  const { entries, refresh } = pages;
  const isFirst = entries !== undefined && entries.length <= pageSize && !pages.loadingMore;
  const wait = isFirst ? seconds : undefined;
  useEffect(() => {
    if (wait === undefined) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, wait * 1_000);
    return () => clearInterval(timer);
  }, [wait, refresh]);
}
