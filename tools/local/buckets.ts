import { CreateBucketCommand, HeadBucketCommand, NotFound, S3Client } from "@aws-sdk/client-s3";
import type { ResolvedTemplates } from "./template.ts";

/** The name of the local customer's bucket, which no template creates. */
export const customerBucket = "customer-exports";

/** Creates the buckets of the templates and the local customer's bucket, unless they exist. */
export async function createBuckets(templates: ResolvedTemplates): Promise<void> {
  const client = new S3Client({ forcePathStyle: true });
  const names = templates.ofType("AWS::S3::Bucket").map((bucket) => bucket.local.ref);
  try {
    for (const name of [...names, customerBucket]) {
      if (!(await exists(client, name))) {
        await client.send(new CreateBucketCommand({ Bucket: name }));
      }
    }
  } finally {
    client.destroy();
  }
}

async function exists(client: S3Client, name: string): Promise<boolean> {
  try {
    await client.send(new HeadBucketCommand({ Bucket: name }));
    return true;
  } catch (error) {
    if (error instanceof NotFound) return false;
    throw error;
  }
}
