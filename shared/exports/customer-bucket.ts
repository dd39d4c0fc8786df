import type { Destination } from "./destination.ts";

/** How to reach a customer's bucket, with the secrets in the clear. */
export interface BucketAccess extends Pick<
  Destination,
  "bucket" | "region" | "endpoint" | "forcePathStyle"
> {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** With temporary keys only. */
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
   * A code of the store (`AccessDenied`), of the connection (`timeout`), or `no_object_store` for a
   * server whose answer no S3-compatible store gives.
   */
  readonly reason: string;
  /** The region that the bucket is in, when the store names it. */
  readonly region?: string;
}

export type BucketOutcome = { readonly outcome: "done" } | BucketFailure;
export type ObjectLookup = { readonly outcome: "found" | "absent" } | BucketFailure;

/**
 * A bucket of a customer, reached as webhooks are: public addresses only, no redirects, with time
 * limits. Several calls at once share its connections. Never throws for what the store does.
 */
export interface CustomerBucket {
  put(object: BucketObject): Promise<BucketOutcome>;
  /** Whether there is an object. A key without permission to read fails with `AccessDenied`. */
  find(key: string): Promise<ObjectLookup>;
  delete(key: string): Promise<BucketOutcome>;
  /** Ends its connections. */
  close(): void;
}

export interface CustomerBuckets {
  /** Connects to nothing yet: the first call does. */
  open(access: BucketAccess): CustomerBucket;
}
