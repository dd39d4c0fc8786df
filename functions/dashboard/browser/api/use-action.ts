import { useRef, useState } from "preact/hooks";
import { useApi } from "./session.ts";
import { type ApiError, apiErrorOf } from "./api-error.ts";
import type { ApiClient } from "./client.ts";

/** An API call that the user starts, with the state of the call. */
export interface Action<Input, Result> {
  /**
   * Runs the action. Returns undefined if the action failed, and sets `error`. Does nothing and
   * returns undefined while the action is running.
   */
  readonly run: (input: Input) => Promise<Result | undefined>;
  /** True while the action is running. */
  readonly busy: boolean;
  /** The error of the last run; undefined if it succeeded, is running, or was not started. */
  readonly error: ApiError | undefined;
  /** Clears the error. */
  readonly reset: () => void;
}

/**
 * Returns an action that a user starts, such as a form submission. `run` never rejects: if `act`
 * fails, `run` returns undefined and sets `error`. While the action is running, `run` does nothing
 * and returns undefined.
 */
export function useAction<Input, Result>(
  act: (api: ApiClient, input: Input) => Promise<Result>,
): Action<Input, Result> {
  const api = useApi();
  const running = useRef(false);
  const [state, setState] = useState<{ busy: boolean; error: ApiError | undefined }>(idle);
  const run = async (input: Input): Promise<Result | undefined> => {
    if (running.current) return undefined;
    running.current = true;
    setState({ busy: true, error: undefined });
    try {
      const result = await act(api, input);
      setState(idle);
      return result;
    } catch (thrown) {
      setState({ busy: false, error: apiErrorOf(thrown) });
      return undefined;
    } finally {
      running.current = false;
    }
  };
  return { ...state, run, reset: () => setState(idle) };
}

const idle = { busy: false, error: undefined };
