import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useApi } from "./session.ts";
import { type ApiError, apiErrorOf } from "./api-error.ts";
import type { ApiClient } from "./client.ts";

export interface Query<T> {
  /** The newest response; undefined before the first. Kept while a refresh is in progress or has failed. */
  readonly data: T | undefined;
  /** Why the last attempt failed. */
  readonly error: ApiError | undefined;
  /** True while nothing can be shown yet. */
  readonly loading: boolean;
  readonly refreshing: boolean;
  readonly refresh: () => void;
}

interface Options<T> {
  /**
   * So many seconds after an answer it is asked for again, while the page is visible; undefined ends
   * that.
   */
  readonly poll?: (data: T | undefined, error: ApiError | undefined) => number | undefined;
}

interface State<T> {
  readonly about: string;
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly busy: boolean;
}

/**
 * Reads from the API when a component is mounted and when an input changes. Cancels on unmount.
 * @param inputs what `load` depends on
 */
export function useQuery<T>(
  load: (api: ApiClient, signal: AbortSignal) => Promise<T>,
  inputs: readonly (string | number | boolean | undefined)[],
  { poll }: Options<T> = {},
): Query<T> {
  const api = useApi();
  const about = JSON.stringify(inputs);
  const [state, setState] = useState<State<T>>(nothing(about));
  const [turn, setTurn] = useState(0);
  const newest = useRef(load);
  newest.current = load;
  useEffect(() => {
    const controller = new AbortController();
    const settle = (change: (before: State<T>) => State<T>): void => {
      if (!controller.signal.aborted) setState(change);
    };
    setState((before) => ({
      ...(before.about === about ? before : nothing<T>(about)),
      busy: true,
    }));
    newest.current(api, controller.signal).then(
      (data) => settle(() => ({ about, data, error: undefined, busy: false })),
      (thrown: unknown) =>
        settle((before) => ({ ...before, error: apiErrorOf(thrown), busy: false })),
    );
    return () => controller.abort();
  }, [api, about, turn]);
  const refresh = useCallback(() => setTurn((before) => before + 1), []);
  const current = state.about === about ? state : nothing<T>(about);
  usePolling(current.busy ? undefined : poll?.(current.data, current.error), refresh);
  return {
    data: current.data,
    error: current.error,
    loading: current.data === undefined && current.error === undefined,
    refreshing: current.busy && current.data !== undefined,
    refresh,
  };
}

const nothing = <T>(about: string): State<T> => ({
  about,
  data: undefined,
  error: undefined,
  busy: true,
});

/** Waits for the page to be visible before it asks again. */
function usePolling(seconds: number | undefined, refresh: () => void): void {
  useEffect(() => {
    if (seconds === undefined) return undefined;
    let due = false;
    const ask = (): void => {
      if (due && document.visibilityState === "visible") refresh();
    };
    const timer = setTimeout(() => {
      due = true;
      ask();
    }, seconds * 1_000);
    document.addEventListener("visibilitychange", ask);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", ask);
    };
  }, [seconds, refresh]);
}
