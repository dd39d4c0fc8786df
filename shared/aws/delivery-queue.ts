import { SendMessageBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { DeliveryQueue } from "../webhooks/delivery-queue.ts";
import type { WorkPointer } from "../webhooks/work.ts";

const batchMessagesMax = 10;

/** The deliveries queue. Messages are grouped by account, so that no account starves another. */
export function sqsDeliveryQueue(client: SQSClient, queueUrl: string): DeliveryQueue {
  return {
    async send(pointers, delaySeconds) {
      for (let start = 0; start < pointers.length; start += batchMessagesMax) {
        const batch = pointers.slice(start, start + batchMessagesMax);
        const { Failed = [] } = await client.send(
          new SendMessageBatchCommand({
            QueueUrl: queueUrl,
            Entries: batch.map((pointer, index) => ({
              Id: String(index),
              MessageBody: messageBody(pointer),
              MessageGroupId: pointer.accountId,
              DelaySeconds: delaySeconds,
            })),
          }),
        );
        if (Failed.length > 0) {
          throw new Error(`${Failed.length} messages were not sent: ${Failed[0]?.Code}`);
        }
      }
    },
  };
}

const messageBody = ({ kind, accountId, id }: WorkPointer): string =>
  JSON.stringify({ kind, account_id: accountId, id });
