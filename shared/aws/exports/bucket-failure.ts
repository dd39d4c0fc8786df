import type { BucketFailure } from "../../exports/customer-bucket.ts";
import { failureReason } from "./failure-reason.ts";

/**
 * Converts an error of the S3 client to the failure of a call to a customer's bucket: a short error
 * code, and the bucket's region if the error contains it.
 */
export function bucketFailure(error: unknown): BucketFailure {
  const region = regionOf(error);
  const reason = isKeyDenied(error) ? "kms_generate_data_key_denied" : failureReason(error);
  return { outcome: "failed", reason, ...(region === undefined ? {} : { region }) };
}

/**
 * AWS reports a missing permission for the bucket's KMS key as `AccessDenied`. Only the message
 * mentions the key.
 */
const isKeyDenied = (error: unknown): boolean =>
  error instanceof Error && /\bkms:GenerateDataKey\b/.test(error.message);

/**
 * Returns the bucket's region from an error response of S3: from its field `Region`, or from its
 * header `x-amz-bucket-region`. Returns undefined if the response has neither.
 */
function regionOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const named = "Region" in error ? error.Region : headerOf(error, "x-amz-bucket-region");
  return typeof named === "string" && /^[a-z0-9-]{1,32}$/.test(named) ? named : undefined;
}

function headerOf(error: Error, name: string): unknown {
  const response: unknown = "$response" in error ? error.$response : undefined;
  if (typeof response !== "object" || response === null || !("headers" in response)) {
    return undefined;
  }
  return new Map(Object.entries(response.headers ?? {})).get(name);
}
