import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { CancelQueue } from "../../credits/cancel-queue.ts";

/** Sends to the runs queue, whose worker cancels holds beside starting runs. */
export function sqsCancelQueue(client: SQSClient, runsQueueUrl: string): CancelQueue {
  return {
    async send({ accountId, holdId }) {
      await client.send(
        new SendMessageCommand({
          QueueUrl: runsQueueUrl,
          MessageBody: JSON.stringify({ type: "cancel", account_id: accountId, hold_id: holdId }),
          MessageGroupId: accountId,
        }),
      );
    },
  };
}
