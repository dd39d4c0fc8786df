import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { CancelQueue } from "../../credits/cancel-queue.ts";
import { cancelMessage } from "../../messages/runs-queue.ts";

/**
 * Creates a queue of messages that cancel the holds of calls. The messages are sent to the runs
 * queue, whose worker, the run starter, cancels the holds. `send` throws the error of SQS if the
 * message cannot be sent.
 */
export function sqsCancelQueue(client: SQSClient, runsQueueUrl: string): CancelQueue {
  return {
    async send(hold) {
      await client.send(
        new SendMessageCommand({
          QueueUrl: runsQueueUrl,
          MessageBody: JSON.stringify(cancelMessage(hold)),
          MessageGroupId: hold.accountId,
        }),
      );
    },
  };
}
