import {
  ChangeMessageVisibilityCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";

/** What one receive gives at most. */
const receiveMax = 10;
export const peekDefault = receiveMax;
/** Long enough to look through a queue without meeting a message twice. */
const peekSeconds = 60;
const endings = ["SIGINT", "SIGTERM"] as const;

/**
 * Up to `limit` messages of a queue, each given back when all have been seen, and when somebody ends
 * the process before that; a second signal ends it as it is.
 */
export async function peek(sqs: SQSClient, QueueUrl: string, limit: number): Promise<unknown[]> {
  const held: Message[] = [];
  const stop = new AbortController();
  const end = (): void => stop.abort();
  for (const ending of endings) process.once(ending, end);
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
    // One that cannot be given back keeps no other from it, and comes back in a minute.
    await Promise.allSettled(
      held.map(({ ReceiptHandle }) =>
        sqs.send(
          new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
        ),
      ),
    );
    for (const ending of endings) process.off(ending, end);
  }
  if (stop.signal.aborted) throw new Error("Stopped. What was looked at has been given back.");
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
