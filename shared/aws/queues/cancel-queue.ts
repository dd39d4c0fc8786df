import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { CancelQueue } from "../../credits/cancel-queue.ts";

/** Sends messages that cancel holds to the runs queue. The run starter cancels the holds. */
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
