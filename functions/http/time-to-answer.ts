import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { Clock } from "../../shared/base/clock.ts";
import { limits } from "../../shared/base/limits.ts";

interface Options {
  readonly clock: Clock;
  /** True if the gateway expects a streamed response. */
  readonly streamed: boolean;
}

/**
 * Milliseconds until a response can no longer be sent, minus the time that sending takes; negative after
 * that. The earlier of two timeouts counts: the function's and the gateway's. The gateway's starts first, by
 * seconds if the function has a cold start.
 */
export function timeToAnswer(
  event: APIGatewayProxyEvent,
  context: Pick<Context, "getRemainingTimeInMillis">,
  { clock, streamed }: Options,
): () => number {
  const { buffered, streamed: stream } = limits.gatewaySeconds;
  const gatewayMs = (streamed ? stream : buffered) * 1_000;
  const receivedAt: number | undefined = event.requestContext.requestTimeEpoch;
  return () => {
    const ofGateway =
      receivedAt === undefined ? Infinity : receivedAt + gatewayMs - clock.now().getTime();
    const ofFunction = context.getRemainingTimeInMillis();
    return Math.min(ofFunction, ofGateway) - limits.dependencies.answerSpareMs;
  };
}
