import { Duration } from "aws-cdk-lib";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { QueueProps } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { pinLogicalId } from "../pin-logical-id.ts";

type Kept = Pick<QueueProps, "visibilityTimeout" | "deadLetterQueue" | "retentionPeriod">;

/** A queue that is encrypted, takes TLS only and keeps its logical id. */
export function secureQueue(
  scope: Construct,
  name: { readonly id: string; readonly logicalId: string },
  props: Kept = {},
): Queue {
  const queue = new Queue(scope, name.id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    // The longest that SQS offers: delayed deliveries wait in the queue for days.
    retentionPeriod: Duration.days(14),
    ...props,
  });
  pinLogicalId(queue, name.logicalId);
  return queue;
}
