import { SendMessageBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { chunksOf } from "../../base/chunks-of.ts";
import { quantity } from "../../base/quantity.ts";
import type { OutboxQueue } from "../../outbox/outbox.ts";
import { toDeliveryMessage } from "../../messages/deliveries-queue.ts";

/** Maximum number of messages in one request. */
const batchMessagesMax = 10;

/**
 * Creates the queue of wake-up messages for the delivery worker. The account ID is the message
 * group, so that no account delays another account. `send` throws an Error if SQS rejects a
 * message.
 */
export function sqsOutboxQueue(client: SQSClient, queueUrl: string): OutboxQueue {
  return {
    async send(targets, delaySeconds) {
      for (const batch of chunksOf(targets, batchMessagesMax)) {
        const { Failed = [] } = await client.send(
          new SendMessageBatchCommand({
            QueueUrl: queueUrl,
            Entries: batch.map((target, index) => ({
              Id: String(index),
              MessageBody: JSON.stringify(toDeliveryMessage(target)),
              MessageGroupId: target.accountId,
              DelaySeconds: delaySeconds,
            })),
          }),
        );
        if (Failed.length > 0) {
          const codes = [...new Set(Failed.map(({ Code }) => Code))].join(", ");
          throw new Error(
            `SQS rejected ${Failed.length} of ${quantity(batch.length, "delivery message")} with the error ${codes}. ` +
              "The sweeper sends wake-up messages for the pending deliveries.",
          );
        }
      }
    },
  };
}
