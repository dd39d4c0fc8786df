import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DescribeKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { HeadBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { GetScheduleGroupCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { DeployedResource } from "./stacks.ts";

/** Requests a resource and returns its state. Rejects if the resource does not exist. */
type Lookup = (physicalId: string) => Promise<string>;

const there = "is still there";

function lookups(): {
  readonly byType: Readonly<Record<string, Lookup>>;
  readonly end: () => void;
} {
  const dynamo = new DynamoDBClient({});
  const s3 = new S3Client({ forcePathStyle: true });
  const sqs = new SQSClient({});
  const kms = new KMSClient({});
  const scheduler = new SchedulerClient({});
  const byType: Record<string, Lookup> = {
    "AWS::DynamoDB::Table": async (TableName) => {
      await dynamo.send(new DescribeTableCommand({ TableName }));
      return there;
    },
    "AWS::S3::Bucket": async (Bucket) => {
      await s3.send(new HeadBucketCommand({ Bucket }));
      return there;
    },
    "AWS::SQS::Queue": async (QueueUrl) => {
      await sqs.send(new GetQueueAttributesCommand({ QueueUrl }));
      return there;
    },
    "AWS::KMS::Key": async (KeyId) => {
      const { KeyMetadata } = await kms.send(new DescribeKeyCommand({ KeyId }));
      return KeyMetadata?.KeyState === "PendingDeletion"
        ? `is scheduled for deletion on ${KeyMetadata.DeletionDate?.toISOString().slice(0, 10)}`
        : there;
    },
    "AWS::Scheduler::ScheduleGroup": async (Name) => {
      const group = await scheduler.send(new GetScheduleGroupCommand({ Name }));
      return group.State === "DELETING" ? "is being deleted" : there;
    },
  };
  const end = (): void => {
    for (const client of [dynamo, s3, sqs, kms, scheduler]) client.destroy();
  };
  return { byType, end };
}

/** Matches the error names with which AWS services report a missing resource. */
const absence = /NotFound|NonExistent|DoesNotExist|NoSuch/;

/**
 * Finds resources of a deleted deployment that still contain data or cost money. Asks the service
 * of each resource, because the report of CloudFormation can be wrong.
 * @param resources The resources before the deletion.
 * @returns In `lines`, one line for each remaining resource. In `checked`, the number of checked
 * resources.
 */
export async function remainsOf(
  resources: readonly DeployedResource[],
): Promise<{ readonly lines: readonly string[]; readonly checked: number }> {
  const { byType, end } = lookups();
  const lines: string[] = [];
  let checked = 0;
  try {
    for (const { type, physicalId } of resources) {
      const lookup = byType[type];
      if (lookup === undefined) continue;
      checked += 1;
      const status = await lookFor(physicalId, lookup);
      if (status !== null) lines.push(`${type} ${physicalId} ${status}`);
    }
    return { lines, checked };
  } finally {
    end();
  }
}

async function lookFor(physicalId: string, lookup: Lookup): Promise<string | null> {
  try {
    return await lookup(physicalId);
  } catch (error) {
    if (error instanceof Error && absence.test(error.name)) return null;
    throw error;
  }
}
