import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { Clock } from "../../shared/base/clock.ts";
import { limits } from "../../shared/base/limits.ts";

interface Options {
  readonly clock: Clock;
  /** True if the gateway expects a streamed response. */
  readonly streamed: boolean;
}

/**
 * Creates a function that returns the milliseconds that are left until it is too late to send the
 * response, less a reserve for sending; negative after that. The Lambda function and the gateway
 * each have a timeout, and the earlier one counts. After a cold start, the gateway's timeout began
 * seconds before that of the Lambda function.
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
