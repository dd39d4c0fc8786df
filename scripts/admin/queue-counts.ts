import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";

/** The approximate numbers of messages in a queue, as SQS reports them. */
export interface QueueCounts {
  /** Messages that can be received now. */
  readonly waiting: number;
  /** Messages that were received but not yet deleted or made visible again. */
  readonly in_flight: number;
  /** Messages that cannot be received before their delay ends. */
  readonly delayed: number;
}

const names = {
  waiting: "ApproximateNumberOfMessages",
  in_flight: "ApproximateNumberOfMessagesNotVisible",
  delayed: "ApproximateNumberOfMessagesDelayed",
} as const;

/**
 * Returns the approximate message counts of a queue, as SQS reports them.
 * @param QueueUrl The URL of the queue.
 */
export async function countsOf(sqs: SQSClient, QueueUrl: string): Promise<QueueCounts> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: Object.values(names) }),
  );
  const count = (name: keyof QueueCounts): number => Number(Attributes[names[name]] ?? 0);
  return { waiting: count("waiting"), in_flight: count("in_flight"), delayed: count("delayed") };
}
