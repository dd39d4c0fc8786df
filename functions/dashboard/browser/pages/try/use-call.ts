import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, apiErrorOf } from "../../api/api-error.ts";
import type { Answer } from "../../api/client.ts";
import { useApi } from "../../api/session.ts";
import type { CallRequest } from "./calls.ts";

/** A call that was sent, and what came of it. */
export interface Sent {
  readonly request: CallRequest;
  /** Undefined while it is under way, and when none came. */
  readonly answer: Answer | undefined;
  /** Why no answer came. */
  readonly error: ApiError | undefined;
}

interface Calling {
  readonly sent: Sent | undefined;
  readonly busy: boolean;
  readonly send: (request: CallRequest) => void;
}

/** Sends one call at a time, and keeps the last one with its answer, whatever its status. */
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
