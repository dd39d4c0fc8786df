import type { Destination } from "./destination.ts";

/** How to reach a customer's bucket, with the secret in the clear. */
export type BucketAccess = Pick<
  Destination,
  "bucket" | "region" | "endpoint" | "forcePathStyle" | "accessKeyId"
> & { readonly secretAccessKey: string };

export interface BucketObject {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** `reason` is a code of the store (`AccessDenied`) or of the connection (`timeout`). */
export type BucketOutcome =
  | { readonly outcome: "done" }
  | { readonly outcome: "failed"; readonly reason: string };

/**
 * A bucket of a customer, reached as webhooks are: public addresses only, no redirects, with time
 * limits. Never throws for what the store does.
 */
export interface CustomerBucket {
  put(object: BucketObject): Promise<BucketOutcome>;
  delete(key: string): Promise<BucketOutcome>;
}

export interface CustomerBuckets {
  open(access: BucketAccess): CustomerBucket;
}
