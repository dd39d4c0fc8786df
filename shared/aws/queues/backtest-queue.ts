import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { BacktestQueue } from "../../backtest/backtest-queue.ts";
import { toBacktestMessage } from "../../messages/backtests-queue.ts";

/**
 * Creates the queue of back-test jobs in SQS. The account ID is the message group, so that no
 * account delays another account.
 */
export function sqsBacktestQueue(client: SQSClient, queueUrl: string): BacktestQueue {
  return {
    async send(job) {
      await client.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: JSON.stringify(toBacktestMessage(job)),
          MessageGroupId: job.accountId,
        }),
      );
    },
  };
}
