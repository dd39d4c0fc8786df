import { useEffect, useRef, useState } from "preact/hooks";
import { useApi } from "../session/session.ts";
import { type ApiError, apiErrorOf } from "./api-error.ts";
import type { ApiClient } from "./client.ts";
import type { List } from "./resources.ts";
import { useQuery } from "./use-query.ts";

export interface Pages<Entry> {
  /** All entries read so far; undefined before the first page. */
  readonly entries: readonly Entry[] | undefined;
  readonly error: ApiError | undefined;
  readonly loading: boolean;
  readonly hasMore: boolean;
  readonly loadingMore: boolean;
  readonly loadMore: () => void;
  /** Begins again with the first page. */
  readonly refresh: () => void;
}

/** What was read after the first page. */
interface Rest<Entry> {
  readonly first: List<Entry> | undefined;
  readonly entries: readonly Entry[];
  readonly last: List<Entry> | undefined;
  readonly busy: boolean;
  readonly error: ApiError | undefined;
}

interface Identified {
  readonly id: string;
}

/**
 * A listing page by page.
 * @param load reads the page that begins at a cursor (`starting_after`, or `after` of events), or the
 *   first one
 * @param inputs what `load` depends on, such as filters
 */
export function usePages<Entry extends Identified>(
  load: (api: ApiClient, cursor: string | undefined, signal: AbortSignal) => Promise<List<Entry>>,
  inputs: readonly (string | number | boolean | undefined)[],
): Pages<Entry> {
  const api = useApi();
  const query = useQuery((client, signal) => load(client, undefined, signal), inputs);
  const first = query.data;
  const [kept, setRest] = useState<Rest<Entry>>(nothingAfter(undefined));
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
    load(api, cursorOf(last), controller.signal).then(
      (page) => settle({ entries: [...rest.entries, ...page.data], last: page }),
      (thrown: unknown) => settle({ error: apiErrorOf(thrown) }),
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

const cursorOf = (page: List<Identified>): string | undefined =>
  page.next_starting_after ?? page.next_after ?? page.data.at(-1)?.id;

const nothingAfter = <Entry>(first: List<Entry> | undefined): Rest<Entry> => ({
  first,
  entries: [],
  last: undefined,
  busy: false,
  error: undefined,
});
