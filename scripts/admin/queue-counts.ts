import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";

/** Messages of a queue, as SQS estimates them. */
export interface QueueCounts {
  readonly waiting: number;
  /** Received by somebody who has neither deleted them nor given them back. */
  readonly in_flight: number;
  readonly delayed: number;
}

const names = {
  waiting: "ApproximateNumberOfMessages",
  in_flight: "ApproximateNumberOfMessagesNotVisible",
  delayed: "ApproximateNumberOfMessagesDelayed",
} as const;

export async function countsOf(sqs: SQSClient, QueueUrl: string): Promise<QueueCounts> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: Object.values(names) }),
  );
  const count = (name: keyof QueueCounts): number => Number(Attributes[names[name]] ?? 0);
  return { waiting: count("waiting"), in_flight: count("in_flight"), delayed: count("delayed") };
}
