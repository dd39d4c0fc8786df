import type { List, S3Export } from "../../api/resources.ts";
import { useLivePages } from "../../api/use-live-pages.ts";
import type { Pages } from "../../api/use-pages.ts";

const pageSize = 50;

/** The export log, kept up to date. @param state only exports in it; empty: all */
export const useExports = (state: string): Pages<S3Export> =>
  useLivePages(
    (api, cursor, signal) =>
      api.get<List<S3Export>>("s3_destination/exports", {
        signal,
        query: { limit: pageSize, starting_after: cursor, state },
      }),
    [state],
    { pageSize, isPending: (entry) => entry.state === "pending" },
  );
