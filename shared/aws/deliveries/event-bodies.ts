import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import type { EventBodies } from "../../events/event-archive.ts";

/**
 * Creates the store of event bodies in the events bucket. A lifecycle rule of the bucket deletes
 * them. A read returns null for a deleted body.
 */
export function s3EventBodies(client: S3Client, bucket: string): Pick<EventBodies, "get" | "put"> {
  return {
    async put(key, bytes) {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }));
    },
    async get(key, range) {
      // The end of an HTTP range is inclusive, the end of `range` is exclusive.
      const wanted = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end - 1}` };
      const command = new GetObjectCommand({ Bucket: bucket, Key: key, ...wanted });
      try {
        const { Body } = await client.send(command);
        return Body === undefined ? null : await Body.transformToByteArray();
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error;
      }
    },
  };
}
