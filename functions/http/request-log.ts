import type { Logger } from "@aws-lambda-powertools/logger";
import type { Clock } from "../../shared/base/clock.ts";
import { isServiceError } from "../../shared/base/errors.ts";
import { callStateOf } from "./call-state.ts";
import type { HttpMiddleware } from "./request-id.ts";

/**
 * One line per call. It names the path but never the query: a key may be in it. The full detail of
 * an unforeseen error goes here and nowhere else.
 */
export function requestLog({ logger, clock }: { logger: Logger; clock: Clock }): HttpMiddleware {
  const write: NonNullable<HttpMiddleware["after"]> = (request) => {
    const state = callStateOf(request.event);
    const line = {
      request_id: state?.requestId,
      method: request.event.httpMethod,
      path: request.event.path,
      status: request.response?.statusCode,
      account_id: state?.caller?.accountId,
      key_id: state?.caller?.keyId,
      duration_ms: state === undefined ? 0 : clock.now().getTime() - state.startedAt.getTime(),
    };
    if (request.error === null || isServiceError(request.error)) logger.info("call", line);
    else if ((request.response?.statusCode ?? 500) >= 500) {
      logger.error("call failed", { ...line, error: request.error });
    } else logger.info("call", line);
  };
  return { after: write, onError: write };
}
