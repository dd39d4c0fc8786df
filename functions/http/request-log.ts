import type { Logger } from "@aws-lambda-powertools/logger";
import type { Clock } from "../../shared/base/clock.ts";
import { isServiceError } from "../../shared/base/errors.ts";
import { type CallState, callStateOf } from "./call-state.ts";
import type { HttpMiddleware } from "./request-id.ts";

/** A longer path is no route of ours; the log needs no more of it. */
const pathLengthMax = 256;

/**
 * One line per call. It names the path but never the query: a key may be in it. The full detail of
 * an unforeseen error goes here and nowhere else.
 */
export function requestLog({ logger, clock }: { logger: Logger; clock: Clock }): HttpMiddleware {
  const write: NonNullable<HttpMiddleware["after"]> = (request) => {
    const state = callStateOf(request.event);
    const line = {
      ...(state === undefined ? {} : whoCalled(state, clock.now())),
      method: request.event.httpMethod,
      path: request.event.path.slice(0, pathLengthMax),
      status: request.response?.statusCode,
    };
    if (isUnforeseen(request.error, request.response?.statusCode)) {
      logger.error("call failed", { ...line, error: request.error });
    } else logger.info("call", line);
  };
  return { after: write, onError: write };
}

const whoCalled = (state: CallState, now: Date): Record<string, unknown> => ({
  request_id: state.requestId,
  account_id: state.caller?.accountId,
  key_id: state.caller?.keyId,
  duration_ms: now.getTime() - state.startedAt.getTime(),
});

const isUnforeseen = (error: Error | null | undefined, status = 500): error is Error =>
  error instanceof Error && !isServiceError(error) && status >= 500;
