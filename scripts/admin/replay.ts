import { setTimeout as delay } from "node:timers/promises";
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { countsOf } from "./queue-counts.ts";
import type { QueueUrls } from "./target.ts";
import { quantity } from "../../shared/base/quantity.ts";

/** The result of a replay of dead letters, with the number of moved messages. */
export type Replayed =
  /** `running`: SQS is still moving messages; the queue's message counts show the progress. */
  | { readonly moved: number; readonly state: "completed" | "running" }
  /**
   * Some messages could not be moved, because they are invisible: another operator or an
   * interrupted replay has received them.
   */
  | { readonly moved: number; readonly state: "incomplete"; readonly in_flight: number };

/** Matches the error names with which emulators reject an action that they do not support. */
const unknownAction = /InvalidAction|UnknownOperation|NotImplemented|UnsupportedOperation/;
const pollsMax = 30;
const pollMs = 1_000;
const receiveMax = 10;
/** How long a message stays invisible while it is sent to its queue and deleted, in seconds. */
const hiddenSeconds = 60;

/**
 * Moves all messages of a dead-letter queue back to its queue. Uses the move task of SQS, or moves
 * messages one by one if the endpoint does not support move tasks. Waits at most 30 s for a move
 * task: the state is `running` if the task has not ended by then. The state is `incomplete` if
 * messages are left that other receivers have made invisible.
 * @throws Error if the move task fails
 */
export async function replayDeadLetters(sqs: SQSClient, urls: QueueUrls): Promise<Replayed> {
  const replayed = await replayAll(sqs, urls);
  if (replayed.state !== "completed") return replayed;
  const { in_flight } = await countsOf(sqs, urls.deadLetters);
  return in_flight === 0 ? replayed : { moved: replayed.moved, state: "incomplete", in_flight };
}

async function replayAll(sqs: SQSClient, urls: QueueUrls): Promise<Replayed> {
  const { waiting } = await countsOf(sqs, urls.deadLetters);
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: urls.deadLetters, AttributeNames: ["QueueArn"] }),
  );
  const SourceArn = Attributes?.QueueArn;
  try {
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn }));
  } catch (error) {
    if (!(error instanceof Error) || !unknownAction.test(error.name)) throw error;
    return { moved: await moveOneByOne(sqs, urls, waiting), state: "completed" };
  }
  return watchTask(sqs, SourceArn);
}

async function watchTask(sqs: SQSClient, SourceArn: string | undefined): Promise<Replayed> {
  let moved = 0;
  for (let polls = 0; polls < pollsMax; polls += 1) {
    await delay(pollMs);
    const { Results } = await sqs.send(
      new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 1 }),
    );
    const task = Results?.[0];
    moved = task?.ApproximateNumberOfMessagesMoved ?? 0;
    if (task?.Status === "COMPLETED") return { moved, state: "completed" };
    if (task?.Status !== "RUNNING") {
      throw new Error(
        `SQS stopped the move after ${quantity(moved, "message")}: ${task?.FailureReason ?? task?.Status}. Repeat the command to move the other messages.`,
      );
    }
  }
  return { moved, state: "running" };
}

/**
 * Moves messages one by one, and returns the number of moved messages. Moves at most `waiting`
 * messages, because a message that fails again returns to the dead-letter queue.
 * Deletes a message only after its queue has accepted it. After an interruption, a message can
 * therefore be in both queues, which every worker tolerates.
 */
async function moveOneByOne(sqs: SQSClient, urls: QueueUrls, waiting: number): Promise<number> {
  let moved = 0;
  while (moved < waiting) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: urls.deadLetters,
        MaxNumberOfMessages: Math.min(receiveMax, waiting - moved),
        VisibilityTimeout: hiddenSeconds,
        WaitTimeSeconds: 1,
        MessageAttributeNames: ["All"],
        MessageSystemAttributeNames: ["MessageGroupId"],
      }),
    );
    if (Messages.length === 0) break;
    for (const message of Messages) {
      await sqs.send(new SendMessageCommand({ QueueUrl: urls.queue, ...contentOf(message) }));
      await sqs.send(
        new DeleteMessageCommand({
          QueueUrl: urls.deadLetters,
          ReceiptHandle: message.ReceiptHandle,
        }),
      );
      moved += 1;
    }
  }
  return moved;
}

const contentOf = ({ Body, MessageAttributes, Attributes }: Message) => ({
  MessageBody: Body,
  MessageAttributes,
  MessageGroupId: Attributes?.MessageGroupId,
});
