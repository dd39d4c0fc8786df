import { gunzipSync } from "node:zlib";
import { GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";

/** The customer's side of the export: what lies in the bucket. */
export interface CustomerBucketReader {
  keys(): Promise<readonly string[]>;
  /** The text of an object, unzipped when its name says so. */
  read(key: string): Promise<string>;
  close(): void;
}

/** A bucket of the customer's, with a key of theirs. */
export interface CustomerBucketAccess {
  readonly endpoint: string;
  readonly name: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Any key opens the buckets of the local world. */
export const localCustomer = { accessKeyId: "customer", secretAccessKey: "customer-secret" };

export function customerClient(
  access: Pick<CustomerBucketAccess, "endpoint" | "accessKeyId" | "secretAccessKey">,
): S3Client {
  const { endpoint, accessKeyId, secretAccessKey } = access;
  return new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
}

export function customerBucketReader(
  endpoint: string,
  bucket: string,
  key: Pick<CustomerBucketAccess, "accessKeyId" | "secretAccessKey"> = localCustomer,
): CustomerBucketReader {
  const client = customerClient({ endpoint, ...key });
  return {
    async keys() {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
      return Contents.flatMap((object) => object.Key ?? []).toSorted();
    },
    async read(name) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: name }));
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
      return (name.endsWith(".gz") ? gunzipSync(bytes) : Buffer.from(bytes)).toString("utf8");
    },
    close: () => client.destroy(),
  };
}
