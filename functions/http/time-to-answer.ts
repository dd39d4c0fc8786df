import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { Clock } from "../../shared/base/clock.ts";
import { limits } from "../../shared/base/limits.ts";

interface Options {
  readonly clock: Clock;
  /** True when the gateway expects the answer as a stream. */
  readonly streamed: boolean;
}

/**
 * Milliseconds until an answer can no longer be sent, less the time that sending it takes; negative
 * after that. Both the function's own end count and the gateway's, which began to wait earlier: a
 * function that had to start first is behind it by seconds.
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
