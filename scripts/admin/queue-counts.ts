import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";

/** The approximate message counts of a queue from SQS. */
export interface QueueCounts {
  readonly waiting: number;
  /** Received and not yet deleted or returned. */
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
