import { Duration } from "aws-cdk-lib";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { QueueProps } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { pinLogicalId } from "../pin-logical-id.ts";

/**
 * Retention of dead letters: the maximum of SQS. It counts from the time at which a message was
 * first sent to its original queue.
 */
export const deadLetterRetention = Duration.days(14);

interface SecureQueueProps extends Pick<QueueProps, "visibilityTimeout" | "deadLetterQueue"> {
  readonly retentionPeriod: Duration;
}

/**
 * Creates an encrypted SQS queue that accepts only TLS connections. Its logical ID is fixed, so
 * CloudFormation does not replace it when its construct moves in the code.
 */
export function secureQueue(
  scope: Construct,
  name: { readonly id: string; readonly logicalId: string },
  props: SecureQueueProps,
): Queue {
  const queue = new Queue(scope, name.id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    ...props,
  });
  pinLogicalId(queue, name.logicalId);
  return queue;
}
