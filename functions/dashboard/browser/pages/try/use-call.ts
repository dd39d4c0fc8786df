import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, apiErrorOf } from "../../api/api-error.ts";
import type { Answer } from "../../api/client.ts";
import { useApi } from "../../api/session.ts";
import type { CallRequest } from "./calls.ts";

/** A call that was sent, with its result. */
export interface Sent {
  readonly request: CallRequest;
  /** The response; undefined while the call is in progress and if it failed. */
  readonly answer: Answer | undefined;
  /** The error if there was no response. */
  readonly error: ApiError | undefined;
}

interface Calling {
  readonly sent: Sent | undefined;
  readonly busy: boolean;
  readonly send: (request: CallRequest) => void;
}

/**
 * Sends one call at a time. Returns the last call with its response, whatever the status, or with
 * its error if there was no response. `send` does nothing while a call is in progress.
 */
export function useCall(): Calling {
  const api = useApi();
  const [sent, setSent] = useState<Sent>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const busy = sent !== undefined && sent.answer === undefined && sent.error === undefined;
  const send = (request: CallRequest): void => {
    if (busy) return;
    const controller = new AbortController();
    running.current = controller;
    const settle = (outcome: Pick<Sent, "answer" | "error">): void => {
      if (!controller.signal.aborted) setSent({ request, ...outcome });
    };
    setSent({ request, answer: undefined, error: undefined });
    const { method, path, query, body } = request;
    api.raw(method, path, { query, body, signal: controller.signal }).then(
      (answer) => settle({ answer, error: undefined }),
      (thrown: unknown) => settle({ answer: undefined, error: apiErrorOf(thrown) }),
    );
  };
  return { sent, busy, send };
}

/** Matches an error's parameter whose value the user typed into a text field. */
const typedParam = /^(ids|offers|days)\b/;

/**
 * Returns the service's error message about a text that the user typed for `request`, such as the
 * IDs. Returns undefined if the last call has no such error, or if the last call differs from
 * `request`.
 */
export function refusalOf(sent: Sent | undefined, request: CallRequest): string | undefined {
  if (sent?.answer === undefined || sent.answer.status < 400) return undefined;
  if (JSON.stringify(sent.request) !== JSON.stringify(request)) return undefined;
  const { param = "", message } = errorIn(sent.answer.text);
  return typedParam.test(param) ? message : undefined;
}

function errorIn(text: string): { readonly param?: string; readonly message?: string } {
  try {
    const body: unknown = JSON.parse(text);
    const { error }: { readonly error?: unknown } = Object(body);
    return Object(error);
  } catch {
    return {};
  }
}
