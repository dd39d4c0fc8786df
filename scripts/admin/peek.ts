import {
  ChangeMessageVisibilityCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";

/** The maximum of one receive call. */
const receiveMax = 10;
export const peekDefault = receiveMax;
/** Long enough to read a queue without receiving a message twice. */
const peekSeconds = 60;
const signals = ["SIGINT", "SIGTERM"] as const;

/**
 * Returns up to `limit` messages of a queue. Returns all messages to the queue at the end, and also
 * when a signal stops the process. A second signal stops it at once.
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
    // A message that cannot be returned does not stop the others. It becomes visible again after a
    // minute.
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
    body: parsed(Body ?? ""),
  }));
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
