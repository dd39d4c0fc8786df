import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { Clock } from "../../shared/base/clock.ts";
import { limits } from "../../shared/base/limits.ts";

interface Options {
  readonly clock: Clock;
  /** True if the gateway expects a streamed response. */
  readonly streamed: boolean;
}

/**
 * Creates a function that returns how many milliseconds are left to complete the response; negative
 * if it is too late. The response must be complete `answerSpareMs` before the earlier of two
 * timeouts: that of the Lambda function, and that of the gateway. The reserved time is for the end
 * of the call and for sending. Both timeouts are checked, because after a cold start the gateway's
 * timeout began seconds before that of the Lambda function.
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
