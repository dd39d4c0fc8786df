import { SendMessageBatchCommand, SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { BatchRef, RunRef } from "../runs/run.ts";
import type { RunQueue } from "../runs/run-queue.ts";

/** Queues a function may send to; one it does not send to is left out. */
interface QueueUrls {
  readonly runs?: string;
  readonly steps?: string;
  readonly finishes?: string;
}

const entriesMax = 10;

/** Messages of runs on SQS; the group id keeps one account's storm from delaying the others. */
export function sqsRunQueue(client: SQSClient, urls: QueueUrls): RunQueue {
  const send = async (
    queue: keyof QueueUrls,
    accountId: string,
    body: Record<string, unknown>,
  ): Promise<void> => {
    await client.send(
      new SendMessageCommand({
        QueueUrl: urlOf(urls, queue),
        MessageBody: JSON.stringify(body),
        MessageGroupId: accountId,
      }),
    );
  };
  return {
    sendDue: (due) =>
      send("runs", due.accountId, {
        type: "due",
        account_id: due.accountId,
        watchlist_id: due.watchlistId,
        scheduled_time: due.scheduledTime,
      }),
    sendResume: (run) => send("runs", run.accountId, { type: "resume", ...runMessage(run) }),
    sendFinish: (run) => send("finishes", run.accountId, runMessage(run)),
    async sendBatches(batches) {
      for (let start = 0; start < batches.length; start += entriesMax) {
        await sendBatch(client, urlOf(urls, "steps"), batches.slice(start, start + entriesMax));
      }
    },
  };
}

const runMessage = (run: RunRef): Record<string, unknown> => ({
  account_id: run.accountId,
  watchlist_id: run.watchlistId,
  run_number: run.runNumber,
});

function urlOf(urls: QueueUrls, queue: keyof QueueUrls): string {
  const url = urls[queue];
  if (url === undefined) throw new Error(`This function does not send to the ${queue} queue`);
  return url;
}

/** @throws when a message could not be sent: the caller's own message then comes again. */
async function sendBatch(
  client: SQSClient,
  queueUrl: string,
  batches: readonly BatchRef[],
): Promise<void> {
  const { Failed = [] } = await client.send(
    new SendMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: batches.map((batch, index) => ({
        Id: String(index),
        MessageBody: JSON.stringify({
          ...runMessage(batch),
          run_id: batch.runId,
          step: batch.step,
          plan: batch.plan,
          batch: batch.batch,
        }),
        MessageGroupId: batch.accountId,
      })),
    }),
  );
  if (Failed.length > 0) throw new Error(`${Failed.length} step messages were not accepted`);
}
