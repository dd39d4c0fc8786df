import {
  ChangeMessageVisibilityCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";

/** SQS's limit for the messages of one receive call. */
const receiveMax = 10;
export const peekDefault = receiveMax;
/**
 * How long a received message stays invisible, in seconds. It is long enough to read a queue
 * without receiving a message twice.
 */
const peekSeconds = 60;
const signals = ["SIGINT", "SIGTERM"] as const;

/**
 * Receives up to `limit` messages of a queue, makes them visible again, and returns their content.
 * SIGINT or SIGTERM ends the receiving; a second signal ends the process immediately.
 * @throws Error if a signal ended the receiving, after the messages are visible again
 */
export async function peek(sqs: SQSClient, QueueUrl: string, limit: number): Promise<unknown[]> {
  const held: Message[] = [];
  const stop = new AbortController();
  const end = (): void => stop.abort();
  for (const signal of signals) process.once(signal, end);
  try {
    while (!stop.signal.aborted && held.length < limit) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: Math.min(receiveMax, limit - held.length),
          VisibilityTimeout: peekSeconds,
          WaitTimeSeconds: 1,
          MessageSystemAttributeNames: ["SentTimestamp", "ApproximateReceiveCount"],
        }),
      );
      if (Messages.length === 0) break;
      held.push(...Messages);
    }
  } finally {
    // If one message cannot be made visible, the others still are. That message becomes visible
    // after a minute.
    await Promise.allSettled(
      held.map(({ ReceiptHandle }) =>
        sqs.send(
          new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
        ),
      ),
    );
    for (const signal of signals) process.off(signal, end);
  }
  if (stop.signal.aborted) throw new Error("Stopped. The messages were returned to the queue.");
  return held.map(({ MessageId, Attributes, Body }) => ({
    id: MessageId,
    sent_at: new Date(Number(Attributes?.SentTimestamp)).toISOString(),
    received: Number(Attributes?.ApproximateReceiveCount),
    body: parseBody(Body ?? ""),
  }));
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
