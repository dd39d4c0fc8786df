import type { Logger } from "@aws-lambda-powertools/logger";
import type { Clock } from "../../shared/base/clock.ts";
import { isServiceError } from "../../shared/base/errors.ts";
import { figures } from "../../shared/base/figures.ts";
import { statusClassOf } from "../../shared/base/metric-names.ts";
import { endWork, newWork, tell, within } from "../../shared/base/work-log.ts";
import type { GroupName } from "../routes.ts";
import { callStateOf } from "./call-state.ts";
import type { HttpMiddleware } from "./request-id.ts";

/** A longer path is no route of ours; the log needs no more of it. */
const pathLengthMax = 256;

interface Options {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly group: GroupName;
}

/**
 * One line per call, which is the call's metrics as well. It names the path but never the query: a
 * key may be in it. The full detail of an unforeseen error goes here and nowhere else.
 */
export function requestLog({ logger, clock, group }: Options): HttpMiddleware {
  const write: NonNullable<HttpMiddleware["after"]> = (request) => {
    const { event, error } = request;
    const state = callStateOf(event);
    const status = request.response?.statusCode ?? 500;
    const milliseconds =
      state === undefined ? undefined : clock.now().getTime() - state.startedAt.getTime();
    const line = {
      method: event.httpMethod,
      path: event.path.slice(0, pathLengthMax),
      route: state?.route,
      status,
    };
    within(state?.work ?? newWork({}), () => {
      const unforeseen = isUnforeseen(error, status);
      tell([
        figures("calls", { group, status_class: statusClassOf(status) }, { calls: 1 }),
        figures(
          "call_times",
          { group },
          milliseconds === undefined ? {} : { call_ms: milliseconds },
        ),
        ...(unforeseen ? [figures("errors", {}, { unforeseen_errors: 1 })] : []),
      ]);
      if (unforeseen) {
        endWork((text, said) => logger.error(text, said), "call failed", { ...line, error });
      } else endWork((text, said) => logger.info(text, said), "call", line);
    });
  };
  return { after: write, onError: write };
}

const isUnforeseen = (error: Error | null | undefined, status: number): error is Error =>
  error instanceof Error && !isServiceError(error) && status >= 500;
