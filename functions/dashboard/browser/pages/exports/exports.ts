import type { List, S3Export } from "../../api/resources.ts";
import { usePagePolling } from "../../api/use-page-polling.ts";
import { type Pages, usePages } from "../../api/use-pages.ts";

const pageSize = 50;
const pendingSeconds = 4;
const quietSeconds = 30;

/** The export log, kept up to date. @param state only exports in it; empty: all */
export function useExports(state: string): Pages<S3Export> {
  const pages = usePages(
    (api, cursor, signal) =>
      api.get<List<S3Export>>("s3_destination/exports", {
        signal,
        query: { limit: pageSize, starting_after: cursor, state },
      }),
    [state],
  );
  const isPending = pages.entries?.some((entry) => entry.state === "pending") === true;
  usePagePolling(pages, pageSize, isPending ? pendingSeconds : quietSeconds);
  return pages;
}
