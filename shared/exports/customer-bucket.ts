import type { Destination } from "./destination.ts";

/** Address and decrypted credentials of a customer's bucket. */
export interface BucketAccess extends Pick<
  Destination,
  "bucket" | "region" | "endpoint" | "forcePathStyle"
> {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Present for temporary credentials only. */
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
   * Error code of the store (`AccessDenied`), of the connection (`timeout`), or `no_object_store` for
   * a server that is not an S3-compatible store.
   */
  readonly reason: string;
  /** Region of the bucket, if the store returns it. */
  readonly region?: string;
}

export type BucketOutcome = { readonly outcome: "done" } | BucketFailure;
export type ObjectLookup = { readonly outcome: "found" | "absent" } | BucketFailure;

/**
 * A customer's bucket. Like webhooks, it connects to public addresses only, follows no redirects, and
 * has time limits. Parallel calls share its connections. Returns failures of the store; never throws
 * for them.
 */
export interface CustomerBucket {
  put(object: BucketObject): Promise<BucketOutcome>;
  /** Looks up an object. Fails with `AccessDenied` without permission to read. */
  find(key: string): Promise<ObjectLookup>;
  delete(key: string): Promise<BucketOutcome>;
  /** Closes its connections. */
  close(): void;
}

export interface CustomerBuckets {
  /** Opens a bucket. The first call connects. */
  open(access: BucketAccess): CustomerBucket;
}
