import { SendMessageBatchCommand, SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { assert } from "../../base/assert.ts";
import { limits } from "../../base/limits.ts";
import type { BatchRef, RunRef } from "../../runs/run.ts";
import type { RunQueue } from "../../runs/run-queue.ts";
import { quantity } from "../../base/quantity.ts";

/** Queues a function may send to; one it does not send to is left out. */
interface QueueUrls {
  readonly runs?: string;
  readonly steps?: string;
  readonly finishes?: string;
}

const entriesMax = 10;

/**
 * Messages of runs on SQS; the group id keeps one account's storm from delaying the others. `hops`
 * says how many messages led to what is sent now: the platform's own guard against messages that
 * cause each other for ever is off, as a run's steps do follow from one another.
 */
export function sqsRunQueue(client: SQSClient, urls: QueueUrls, hops = 0): RunQueue {
  assert(hops <= limits.messageHopsMax, "messages do not follow from one another for ever");
  const send = async (
    queue: keyof QueueUrls,
    groupId: string,
    body: Record<string, unknown>,
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
    sendDue: (due) =>
      send("runs", due.accountId, {
        type: "due",
        account_id: due.accountId,
        watchlist_id: due.watchlistId,
        scheduled_time: due.scheduledTime,
        ...(due.overdue === true ? { overdue: true } : {}),
      }),
    sendPurge: (watchlistId) =>
      send("runs", watchlistId, { type: "purge", watchlist_id: watchlistId }),
    sendResume: (run) => send("runs", run.accountId, { type: "resume", ...runMessage(run) }),
    sendFinish: (run) => send("finishes", run.accountId, runMessage(run)),
    async sendBatches(batches) {
      for (let start = 0; start < batches.length; start += entriesMax) {
        await sendBatch(client, urlOf(urls, "steps"), {
          batches: batches.slice(start, start + entriesMax),
          hops,
        });
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
  { batches, hops }: { readonly batches: readonly BatchRef[]; readonly hops: number },
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
          starts: batch.starts,
          batch: batch.batch,
          hops,
        }),
        MessageGroupId: batch.accountId,
      })),
    }),
  );
  if (Failed.length > 0) throw new Error(`${quantity(Failed.length, "step message")} not accepted`);
}
