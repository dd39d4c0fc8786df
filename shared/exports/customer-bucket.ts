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

/** `reason` is a code of the store (`AccessDenied`) or of the connection (`timeout`). */
export type BucketOutcome =
  | { readonly outcome: "done" }
  | { readonly outcome: "failed"; readonly reason: string };

/**
 * A bucket of a customer, reached as webhooks are: public addresses only, no redirects, with time
 * limits. Several calls at once share its connections. Never throws for what the store does.
 */
export interface CustomerBucket {
  put(object: BucketObject): Promise<BucketOutcome>;
  delete(key: string): Promise<BucketOutcome>;
  /** Ends its connections. */
  close(): void;
}

export interface CustomerBuckets {
  /** Connects to nothing yet: the first call does. */
  open(access: BucketAccess): CustomerBucket;
}
