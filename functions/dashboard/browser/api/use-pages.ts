import { useEffect, useRef, useState } from "preact/hooks";
import { useApi } from "./session.ts";
import { type ApiError, apiErrorOf } from "./api-error.ts";
import type { ApiClient } from "./client.ts";
import type { List } from "./resources.ts";
import { useQuery } from "./use-query.ts";

/** A listing that is loaded page by page. */
export interface Pages<Entry> {
  /** All entries that were loaded so far; undefined until the first page arrives. */
  readonly entries: readonly Entry[] | undefined;
  /** The error of the last load; undefined if it succeeded. */
  readonly error: ApiError | undefined;
  /** True until the first page or an error arrives. */
  readonly loading: boolean;
  /** True if the last loaded page is not the last page of the listing. */
  readonly hasMore: boolean;
  /** True while `loadMore` loads a page. */
  readonly loadingMore: boolean;
  /** Loads the next page. Does nothing after the last page, or while it loads a page. */
  readonly loadMore: () => void;
  /** Reads the loaded pages again, at most fifty. Keeps the scroll position. */
  readonly refresh: () => void;
}

/** The loaded pages after the first page. `busy` is true while a further page is loading. */
interface Rest<Entry> {
  readonly first: List<Entry> | undefined;
  readonly entries: readonly Entry[];
  readonly last: List<Entry> | undefined;
  readonly busy: boolean;
  readonly error: ApiError | undefined;
}

type Load<Entry> = (
  api: ApiClient,
  cursor: string | undefined,
  signal: AbortSignal,
) => Promise<List<Entry>>;

interface Options<Entry> {
  /**
   * Receives all entries that were loaded so far. Returns the number of seconds after which the
   * loaded pages are read again, or undefined to stop polling.
   */
  readonly poll?: (entries: readonly Entry[]) => number | undefined;
  /**
   * The number of loaded pages, which `usePages` keeps up to date. At first, `usePages` loads this
   * number of pages, at most fifty, so that the listing is as long as when the user left it.
   */
  readonly kept?: { pages: number };
}

/** The maximum number of pages that a refresh reads again. */
const refreshedMax = 50;

interface Identified {
  readonly id: string;
}

/**
 * Loads a listing page by page. If a load fails, sets `error` and keeps the loaded entries. `poll`
 * receives the entries and returns the seconds until the loaded pages are read again, or undefined
 * for never.
 * @param load loads the page after a cursor (`starting_after`, or `after` for events); the first
 * page if the cursor is undefined
 * @param inputs the values on which `load` depends, such as filters; a change loads the first page
 * again
 */
export function usePages<Entry extends Identified>(
  load: Load<Entry>,
  inputs: readonly (string | number | boolean | undefined)[],
  { poll, kept: keptPages }: Options<Entry> = {},
): Pages<Entry> {
  const api = useApi();
  const [kept, setRest] = useState<Rest<Entry>>(nothingAfter(undefined));
  const about = JSON.stringify(inputs);
  const read = useRef({ about, pages: keptPages?.pages ?? 1 });
  if (read.current.about !== about) read.current = { about, pages: 1 };
  if (keptPages !== undefined) keptPages.pages = read.current.pages;
  const query = useQuery(
    (client, signal) => readPages(load, read.current, { client, signal }),
    inputs,
    {
      poll: (page) => poll?.([...(page?.data ?? []), ...(kept.first === page ? kept.entries : [])]),
    },
  );
  const first = query.data;
  const asked = useRef<AbortController>(undefined);
  useEffect(() => () => asked.current?.abort(), [first]);
  const rest = kept.first === first ? kept : nothingAfter(first);
  const last = rest.last ?? first;
  const loadMore = (): void => {
    if (last?.has_more !== true || rest.busy) return;
    const controller = new AbortController();
    asked.current = controller;
    const settle = (change: Partial<Rest<Entry>>): void => {
      if (!controller.signal.aborted)
        setRest({ ...rest, error: undefined, busy: false, ...change });
    };
    setRest({ ...rest, busy: true, error: undefined });
    // Counts the page before the request, so that a refresh in progress reads this page as well.
    const reading = read.current;
    reading.pages += 1;
    load(api, cursorOf(last), controller.signal).then(
      (page) => settle({ entries: [...rest.entries, ...page.data], last: page }),
      (thrown: unknown) => {
        reading.pages -= controller.signal.aborted ? 0 : 1;
        settle({ error: apiErrorOf(thrown) });
      },
    );
  };
  return {
    entries: first && [...first.data, ...rest.entries],
    error: rest.error ?? query.error,
    loading: query.loading,
    hasMore: last?.has_more === true,
    loadingMore: rest.busy,
    loadMore,
    refresh: query.refresh,
  };
}

/**
 * Loads pages one after the other and joins them into one. `wanted.pages` is read again after each
 * page, because it can increase while pages are loading.
 */
async function readPages<Entry extends Identified>(
  load: Load<Entry>,
  wanted: { readonly pages: number },
  { client, signal }: { readonly client: ApiClient; readonly signal: AbortSignal },
): Promise<List<Entry>> {
  let last = await load(client, undefined, signal);
  const entries = [...last.data];
  for (let n = 1; n < Math.min(wanted.pages, refreshedMax) && last.has_more; n += 1) {
    last = await load(client, cursorOf(last), signal);
    entries.push(...last.data);
  }
  return { ...last, data: entries };
}

const cursorOf = (page: List<Identified>): string | undefined =>
  page.next_starting_after ?? page.next_after ?? page.data.at(-1)?.id;

const nothingAfter = <Entry>(first: List<Entry> | undefined): Rest<Entry> => ({
  first,
  entries: [],
  last: undefined,
  busy: false,
  error: undefined,
});
