import { useMemo } from "preact/hooks";
import type { ApiClient } from "../../api/client.ts";
import type { FieldChange, List, Watchlist } from "../../api/resources.ts";
import { useDebounced } from "../../api/use-debounced.ts";
import { type Pages, usePages } from "../../api/use-pages.ts";
import { keptEntry, useKeptScroll } from "../../shell/router.ts";
import { isEverywhere, isOnPlatform } from "./change-fields.ts";
import { type ChangeFilter, sinceOf, sizesOf } from "./change-filter.ts";

const pageSize = 50;
const pollSeconds = 30;
/** The largest number of changes in a page of the API. */
const pageMax = 1_000;
/** Maximum number of changes in a download. */
export const downloadMax = 50_000;

/** A change with a key for the table. */
export interface Row {
  readonly id: string;
  readonly change: FieldChange;
}

/** A query to the API for the changes that a filter selects. */
export interface ChangesQuery {
  readonly path: string;
  readonly watchlist: string;
  /** False if a minimum size is not a number. The query then selects nothing. */
  readonly isValid: boolean;
  /** The query parameters of the API, without `limit` and the cursor of a page. */
  readonly parameters: {
    readonly since: string;
    readonly sort: string;
    readonly compare: string;
    readonly kind: string;
    readonly field: string;
    readonly min_delta_percent: number | undefined;
    readonly min_delta: number | undefined;
  };
}

/**
 * Returns the API query for a filter. A minimum size that the user types takes effect once the text
 * has not changed for 250 ms.
 */
export function useChangesQuery(filter: ChangeFilter): ChangesQuery {
  const { percent, amount } = sizesOf({
    percent: useDebounced(filter.percent.trim()),
    amount: useDebounced(filter.amount.trim()),
  });
  const { span, compare, kind, watchlist, field, sort } = filter;
  // Computed only when the span changes: a new start time at each rendering would load the changes
  // again.
  const since = useMemo(() => sinceOf(span, new Date()).toISOString(), [span]);
  return {
    path: watchlist === "" ? "changes" : `watchlists/${watchlist}/changes`,
    watchlist,
    isValid: percent.error === undefined && amount.error === undefined,
    parameters: {
      since,
      sort,
      compare,
      kind,
      field,
      min_delta_percent: percent.value,
      min_delta: amount.value,
    },
  };
}

const rowOf = (change: FieldChange): Row => ({
  id: [change.watchlist_id, change.run_number, change.step, change.item_id, change.field].join(" "),
  change,
});

/**
 * Loads the changes that a query selects, page by page. Restores the scroll position when the user
 * returns to the page.
 */
export function useChanges(query: ChangesQuery): Pages<Row> {
  const kept = keptEntry();
  const pages = usePages<Row>(
    async (api, cursor, signal) => {
      if (!(await canMatch(query, api, signal))) return { data: [], has_more: false };
      const page = await loadPage(api, query, { limit: pageSize, cursor, signal });
      return { ...page, data: page.data.map(rowOf) };
    },
    [JSON.stringify(query)],
    { poll: (entries) => (entries.length <= pageSize ? pollSeconds : undefined), kept },
  );
  useKeptScroll(kept, pages.entries !== undefined);
  return pages;
}

interface PageRequest {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly signal?: AbortSignal;
}

const loadPage = (
  api: ApiClient,
  { path, parameters }: ChangesQuery,
  { limit, cursor, signal }: PageRequest,
): Promise<List<FieldChange>> =>
  api.get(path, {
    ...(signal && { signal }),
    query: { ...parameters, limit, starting_after: cursor },
  });

/** The changes that `loadChanges` returns for a download. */
export interface LoadedChanges {
  readonly changes: readonly FieldChange[];
  /** False if the query selects more than `downloadMax` changes. */
  readonly isComplete: boolean;
}

/**
 * Loads the changes that a query selects, in the order of the query. Stops after `downloadMax`
 * changes.
 * @param onProgress receives the number of loaded changes after each page
 * @throws ApiError if the service refuses a request or does not respond
 */
export async function loadChanges(
  api: ApiClient,
  query: ChangesQuery,
  onProgress: (count: number) => void,
): Promise<LoadedChanges> {
  const changes: FieldChange[] = [];
  let cursor: string | undefined;
  for (;;) {
    const limit = Math.min(pageMax, downloadMax - changes.length);
    const page = await loadPage(api, query, { limit, cursor });
    changes.push(...page.data);
    onProgress(changes.length);
    if (!page.has_more) return { changes, isComplete: true };
    if (changes.length >= downloadMax) return { changes, isComplete: false };
    cursor = page.next_starting_after ?? undefined;
  }
}

/**
 * Returns false if a query cannot select anything: the query is not valid, or the items of its
 * watchlist's platform never have changes of the field or of the kind.
 */
async function canMatch(
  { watchlist, isValid, parameters: { kind, field } }: ChangesQuery,
  api: ApiClient,
  signal: AbortSignal,
): Promise<boolean> {
  if (!isValid) return false;
  if (watchlist === "" || isEverywhere({ kind, field })) return true;
  const { platform } = await api.get<Watchlist>(`watchlists/${watchlist}`, { signal });
  return isOnPlatform(platform, { kind, field });
}
