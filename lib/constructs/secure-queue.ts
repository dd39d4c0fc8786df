import { Duration } from "aws-cdk-lib";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { QueueProps } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { pinLogicalId } from "../pin-logical-id.ts";

/** The longest that SQS offers. It counts from when a message was first sent to the other queue. */
export const deadLetterRetention = Duration.days(14);

interface Kept extends Pick<QueueProps, "visibilityTimeout" | "deadLetterQueue"> {
  readonly retentionPeriod: Duration;
}

/** A queue that is encrypted, takes TLS only and keeps its logical id. */
export function secureQueue(
  scope: Construct,
  name: { readonly id: string; readonly logicalId: string },
  props: Kept,
): Queue {
  const queue = new Queue(scope, name.id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    ...props,
  });
  pinLogicalId(queue, name.logicalId);
  return queue;
}
