import { gunzipSync } from "node:zlib";
import { GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";

/** Reads the objects that an export wrote into the customer's bucket. */
export interface CustomerBucketReader {
  /** Returns the first 1,000 keys of the bucket, in ascending order. */
  keys(): Promise<readonly string[]>;
  /**
   * Returns the text of an object, decompressed if the key ends in `.gz`.
   * @throws NoSuchKey if there is no such object
   */
  read(key: string): Promise<string>;
  close(): void;
}

/** The address of a customer's bucket, and the customer's access key. */
export interface CustomerBucketAccess {
  readonly endpoint: string;
  readonly name: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The access key with which tools use the local world. The local world accepts any access key. */
export const localCustomer = { accessKeyId: "customer", secretAccessKey: "customer-secret" };

/**
 * Creates an S3 client with a customer's access key. The client uses path-style URLs, with the
 * bucket in the path.
 */
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

/** Creates a reader of a bucket. It lists at most the first 1,000 keys, in ascending order. */
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
