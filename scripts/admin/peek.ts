import {
  ChangeMessageVisibilityCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";

/** SQS's limit for the messages of one receive call. */
const receiveMax = 10;
/** The number of messages that `dead-letters show` shows by default. */
export const peekDefault = receiveMax;
/**
 * How long a received message stays invisible, in seconds. All messages of a queue can be received
 * within this time, so no message is received twice.
 */
const peekSeconds = 60;
const signals = ["SIGINT", "SIGTERM"] as const;

/**
 * Receives messages of a queue, makes them visible again, and returns their content. A SIGINT or
 * SIGTERM stops the receiving; a second signal ends the process immediately.
 * @param limit The maximum number of messages.
 * @throws Error if a signal stopped the receiving. The messages are made visible again first.
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
    // A message that cannot be made visible must not keep the other messages invisible. Such a
    // message becomes visible after a minute.
    await Promise.allSettled(
      held.map(({ ReceiptHandle }) =>
        sqs.send(
          new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
        ),
      ),
    );
    for (const signal of signals) process.off(signal, end);
  }
  if (stop.signal.aborted) {
    throw new Error("A signal stopped the command. The messages are in the queue again.");
  }
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
