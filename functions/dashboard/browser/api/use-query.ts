import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useApi } from "./session.ts";
import { type ApiError, apiErrorOf } from "./api-error.ts";
import type { ApiClient } from "./client.ts";

/** Data of the API that a component shows, with the state of its requests. */
export interface Query<T> {
  /**
   * The newest response; undefined before the first response. Stays unchanged while a refresh is in
   * progress or if it fails.
   */
  readonly data: T | undefined;
  /** The error of the last attempt; undefined if the last attempt succeeded. */
  readonly error: ApiError | undefined;
  /** True until the first response or error. */
  readonly loading: boolean;
  /** True while data that is already shown is loaded again. */
  readonly refreshing: boolean;
  /** Loads the data again. */
  readonly refresh: () => void;
}

interface Options<T> {
  /**
   * Returns the number of seconds after which the query runs again, or undefined to stop polling. A
   * hidden page does not poll.
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
 * Loads data from the API when a component mounts and whenever an input changes. Aborts the request
 * when the component unmounts. If a load fails, sets `error`, and keeps the data that an earlier
 * load with the same inputs returned. `poll` returns the seconds until the next load, or undefined
 * for none.
 * @param inputs the values on which `load` depends
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

/**
 * Calls `refresh` after `seconds`, or as soon as the page is visible after that time. Does nothing
 * if `seconds` is undefined.
 */
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
