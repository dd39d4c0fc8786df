import type { Logger } from "@aws-lambda-powertools/logger";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Clock } from "../../shared/base/clock.ts";
import { type Metrics, newMetrics } from "../../shared/observability/metrics.ts";
import { statusClassOf } from "../../shared/observability/metric-names.ts";
import { endWork, newWork, recordMetrics, within } from "../../shared/observability/work-log.ts";
import type { GroupName } from "../routes.ts";
import { type CallState, callStateOf } from "./call-state.ts";
import { serviceErrorOf } from "./error-response.ts";
import type { HttpMiddleware } from "./middleware.ts";
import { routeOfCall } from "./route-of-call.ts";

/** Maximum number of characters of an unknown path in the log. All routes are shorter. */
const pathLengthMax = 256;

interface Options {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly group: GroupName;
}

/**
 * Creates the middleware that writes one log line for each call, with its route and metrics. The
 * line never contains the query, which may contain an API key. A call with a 5xx response is logged
 * as an error, with the original error, which the response does not contain.
 */
export function requestLog({ logger, clock, group }: Options): HttpMiddleware {
  const write: NonNullable<HttpMiddleware["after"]> = (request) => {
    const { event, error } = request;
    const state = callStateOf(event);
    const status = request.response?.statusCode ?? 500;
    const milliseconds =
      state === undefined ? undefined : clock.now().getTime() - state.startedAt.getTime();
    const statusClass = statusClassOf(status);
    const line = {
      method: event.httpMethod,
      ...placeOf(event, state),
      status,
      code: error instanceof Error ? serviceErrorOf(error).code : undefined,
    };
    within(state?.work ?? newWork({}), () => {
      recordMetrics([
        newMetrics("calls", { group, status_class: statusClass }, { calls: 1 }),
        newMetrics(
          "call_times",
          { group },
          milliseconds === undefined ? {} : { call_ms: milliseconds },
        ),
        ...(status === 401 ? [newMetrics("refusals", {}, { calls_unauthorized: 1 })] : []),
        ...(status === 429 ? [newMetrics("refusals", {}, { calls_rate_limited: 1 })] : []),
        ...unforeseenErrors(status),
      ]);
      if (statusClass === "5xx") {
        endWork((text, attributes) => logger.error(text, attributes), "call failed", {
          ...line,
          error,
        });
      } else endWork((text, attributes) => logger.info(text, attributes), "call", line);
    });
  };
  return { after: write, onError: write };
}

/**
 * Returns the metrics that count an unexpected error (status 500); none for any other status. A 503
 * does not count, because it is the expected response when a dependency fails or is overloaded.
 */
export const unforeseenErrors = (status: number): readonly Metrics[] =>
  status === 500 ? [newMetrics("errors", {}, { unforeseen_errors: 1 })] : [];

/**
 * Returns the route of a call for the log, such as `GET /v1/watchlists/{id}`. If no route matches,
 * returns the path of the call instead.
 */
function placeOf(
  { httpMethod, path }: APIGatewayProxyEvent,
  state: CallState | undefined,
): { readonly route: string } | { readonly path: string } {
  const route = state?.route ?? routeOfCall({ httpMethod, path });
  return route === undefined ? { path: shownPath(path) } : { route };
}

/**
 * Masks API keys and webhook secrets in a path, because a client may send one by mistake instead of
 * an ID. Returns at most 256 characters.
 */
const shownPath = (path: string): string =>
  path.replaceAll(/(svc_live|svc_demo|whsec)_\w+/gi, "$1_…").slice(0, pathLengthMax);
