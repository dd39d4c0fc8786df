import { gunzipSync } from "node:zlib";
import { GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";

/** The customer's side of the export: what lies in the bucket. */
export interface CustomerBucketReader {
  keys(): Promise<readonly string[]>;
  /** The text of an object, unzipped when its name says so. */
  read(key: string): Promise<string>;
  close(): void;
}

export function customerBucketReader(endpoint: string, bucket: string): CustomerBucketReader {
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: "customer", secretAccessKey: "customer-secret" },
  });
  return {
    async keys() {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
      return Contents.flatMap((object) => object.Key ?? []).toSorted();
    },
    async read(key) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
      return (key.endsWith(".gz") ? gunzipSync(bytes) : Buffer.from(bytes)).toString("utf8");
    },
    close: () => client.destroy(),
  };
}
