import type { Destination } from "./destination.ts";

/** Address and decrypted credentials of a customer's bucket. */
export interface BucketAccess extends Pick<
  Destination,
  "bucket" | "region" | "endpoint" | "forcePathStyle"
> {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Present only for temporary credentials. */
  readonly sessionToken?: string;
}

export interface BucketObject {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

export interface BucketFailure {
  readonly outcome: "failed";
  /**
   * Error code: from the store (such as `AccessDenied`), from the connection (such as `timeout`),
   * or `no_object_store` if the server is not an S3-compatible store.
   */
  readonly reason: string;
  /** Region of the bucket; absent if the store does not return it. */
  readonly region?: string;
}

export type BucketOutcome = { readonly outcome: "done" } | BucketFailure;
export type ObjectLookup = { readonly outcome: "found" | "absent" } | BucketFailure;

/**
 * A customer's bucket. As with webhooks, requests go only to public addresses, follow no redirects,
 * and have time limits. Parallel calls share connections. A failure of the store is part of the
 * result, not an exception.
 */
export interface CustomerBucket {
  put(object: BucketObject): Promise<BucketOutcome>;
  /**
   * Returns whether an object exists. Fails with `AccessDenied` if the credentials do not permit
   * reading.
   */
  find(key: string): Promise<ObjectLookup>;
  delete(key: string): Promise<BucketOutcome>;
  /** Closes the connections of this bucket. */
  close(): void;
}

export interface CustomerBuckets {
  /** Opens a bucket. Does not connect until the first request. */
  open(access: BucketAccess): CustomerBucket;
}
