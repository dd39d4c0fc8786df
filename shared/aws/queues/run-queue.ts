import { SendMessageBatchCommand, SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { assert } from "../../base/assert.ts";
import { chunksOf } from "../../base/chunks-of.ts";
import { limits } from "../../base/limits.ts";
import type { BatchRef } from "../../runs/batch.ts";
import type { RunQueue } from "../../runs/run-queue.ts";
import { toFinishMessage } from "../../messages/finishes-queue.ts";
import {
  dueMessage,
  purgeMessage,
  resumeMessage,
  type SentRunsMessage,
} from "../../messages/runs-queue.ts";
import { toBatchMessage } from "../../messages/steps-queue.ts";
import { quantity } from "../../base/quantity.ts";

/** URLs of the queues to which a function may send. */
interface QueueUrls {
  readonly runs?: string;
  readonly steps?: string;
  readonly finishes?: string;
}

/** Maximum number of messages in one request. */
const entriesMax = 10;

/**
 * Creates the queues of the messages of runs, in SQS. The account ID is the message group, so that
 * one account's backlog delays other accounts as little as possible. A purge has the watchlist ID
 * as its message group. The message of a step causes the messages of the next step, so Lambda's
 * detection of recursive loops is off. `limits.messageHopsMax` ends an endless chain of messages
 * instead. Sending to a queue without a URL rejects with an Error.
 * @param hops number of messages in the chain that led to the messages of this queue
 * @throws Error if `hops` exceeds `limits.messageHopsMax`
 */
export function sqsRunQueue(client: SQSClient, urls: QueueUrls, hops = 0): RunQueue {
  assert(
    hops <= limits.messageHopsMax,
    `a chain of messages must have at most ${limits.messageHopsMax} hops (got ${hops})`,
  );
  const send = async (
    queue: keyof QueueUrls,
    groupId: string,
    body: SentRunsMessage | ReturnType<typeof toFinishMessage>,
  ): Promise<void> => {
    await client.send(
      new SendMessageCommand({
        QueueUrl: urlOf(urls, queue),
        MessageBody: JSON.stringify({ ...body, hops }),
        MessageGroupId: groupId,
      }),
    );
  };
  return {
    sendDue: (due) => send("runs", due.accountId, dueMessage(due)),
    sendPurge: (watchlistId) => send("runs", watchlistId, purgeMessage(watchlistId)),
    sendResume: (run) => send("runs", run.accountId, resumeMessage(run)),
    sendFinish: (run) => send("finishes", run.accountId, toFinishMessage(run)),
    async sendBatches(batches) {
      for (const some of chunksOf(batches, entriesMax)) {
        await sendBatch(client, urlOf(urls, "steps"), { batches: some, hops });
      }
    },
  };
}

function urlOf(urls: QueueUrls, queue: keyof QueueUrls): string {
  const url = urls[queue];
  if (url === undefined)
    throw new Error(
      `The function has no URL of the ${queue} queue. Set its environment variable ${queue.toUpperCase()}_QUEUE_URL.`,
    );
  return url;
}

/**
 * Sends up to ten messages in one request.
 * @throws Error if SQS rejects a message, so that SQS redelivers the message that the caller is
 * processing
 */
async function sendBatch(
  client: SQSClient,
  queueUrl: string,
  { batches, hops }: { readonly batches: readonly BatchRef[]; readonly hops: number },
): Promise<void> {
  const { Failed = [] } = await client.send(
    new SendMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: batches.map((batch, index) => ({
        Id: String(index),
        MessageBody: JSON.stringify(toBatchMessage({ ...batch, hops })),
        MessageGroupId: batch.accountId,
      })),
    }),
  );
  if (Failed.length > 0) {
    const codes = [...new Set(Failed.map(({ Code }) => Code))].join(", ");
    throw new Error(
      `SQS rejected ${Failed.length} of ${quantity(batches.length, "step message")} with the error ${codes}. ` +
        "SQS redelivers the message that caused the step messages.",
    );
  }
}
