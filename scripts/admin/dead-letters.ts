import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import {
  type Admin,
  type Commands,
  listOf,
  required,
  type Values,
  wholeNumber,
} from "./command.ts";
import { replayDeadLetters } from "./replay.ts";
import { type QueueName, queueNames, type QueueUrls } from "./target.ts";

/** What one receive gives at most. */
const receiveMax = 10;
/** Long enough to look through a queue without meeting a message twice. */
const peekSeconds = 60;

export const deadLetterCommands: Commands = {
  "dead-letters": {
    usage: "",
    takes: [],
    about: "Counts the messages of each queue, and those that were given up.",
    async run(_values, { sqs, target }) {
      const urls = await target.queues();
      const rows = queueNames.map(async (name) => ({
        queue: name,
        ...(await countsOf(sqs, urls[name].queue)),
        dead_letters: (await countsOf(sqs, urls[name].deadLetters)).waiting,
      }));
      return listOf(await Promise.all(rows));
    },
  },
  "dead-letters show": {
    usage: `--queue <${queueNames.join("|")}> [--limit <n>]`,
    takes: ["queue", "limit"],
    about: "Shows messages that were given up, and leaves them where they are.",
    async run(values, admin) {
      const { deadLetters } = await queueOf(values, admin);
      const limit = wholeNumber(values, "limit", { least: 1, otherwise: receiveMax });
      return listOf(await peek(admin.sqs, deadLetters, limit));
    },
  },
  "dead-letters replay": {
    usage: `--queue <${queueNames.join("|")}>`,
    takes: ["queue"],
    about: "Moves the messages that were given up back to their queue.",
    changes: (values) => `Move the dead letters of the ${required(values, "queue")} queue back`,
    async run(values, admin) {
      const urls = await queueOf(values, admin);
      return { queue: values.queue, ...(await replayDeadLetters(admin.sqs, urls)) };
    },
  },
};

async function queueOf(values: Values, { target }: Admin): Promise<QueueUrls> {
  const wanted = required(values, "queue");
  const name = queueNames.find((one): one is QueueName => one === wanted);
  if (name === undefined) throw new Error(`--queue is one of ${queueNames.join(", ")}`);
  return (await target.queues())[name];
}

async function countsOf(sqs: SQSClient, QueueUrl: string) {
  const names = {
    waiting: "ApproximateNumberOfMessages",
    in_flight: "ApproximateNumberOfMessagesNotVisible",
    delayed: "ApproximateNumberOfMessagesDelayed",
  } as const;
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: Object.values(names) }),
  );
  const count = (name: keyof typeof names): number => Number(Attributes[names[name]] ?? 0);
  return { waiting: count("waiting"), in_flight: count("in_flight"), delayed: count("delayed") };
}

/** Receives messages and gives each back at once when all have been seen. */
async function peek(sqs: SQSClient, QueueUrl: string, limit: number): Promise<unknown[]> {
  const held: Message[] = [];
  try {
    while (held.length < limit) {
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
    for (const { ReceiptHandle } of held) {
      await sqs.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
      );
    }
  }
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
