import type { S3DestinationTest } from "../../api/resources.ts";
import { formatDuration } from "../../format/sizes.ts";

/** Messages for frequent error codes of stores and connections. Other codes are shown unchanged. */
const reasons: Readonly<Record<string, string>> = {
  AccessDenied: "The store denied access. Allow s3:PutObject and s3:DeleteObject on the prefix",
  NoSuchBucket: "The bucket does not exist",
  InvalidAccessKeyId: "The access key ID does not exist. Check it, or set another key",
  SignatureDoesNotMatch: "The signature is invalid. Check the secret access key and the region",
  PermanentRedirect: "The bucket is in another region. Correct the region",
  TemporaryRedirect: "The bucket is in another region. Correct the region",
  AuthorizationHeaderMalformed: "The bucket is in another region. Correct the region",
  ExpiredToken: "The credentials have expired. Set new credentials",
  "KMS.DisabledException": "The KMS key that encrypts the bucket is disabled. Enable the key",
  "KMS.NotFoundException":
    "The KMS key that encrypts the bucket does not exist. Set another key for the bucket",
  kms_generate_data_key_denied:
    "Access to the bucket's KMS key was denied. Allow kms:GenerateDataKey on the key",
  no_object_store: "The server is not an S3-compatible store. Check the endpoint",
  SlowDown: "The store is overloaded",
  external_id_not_asked_for:
    "The role accepts every caller. Require the external ID in its trust policy",
  address_refused: "The address is not public. Set the public address of the store",
  name_not_resolved: "The host name was not found. Check the endpoint",
  connection_failed: "The connection to the store failed",
  tls_failed: "The store has no valid certificate for this host",
  connect_timeout: "The connection to the store timed out",
  timeout: "The store did not respond in time",
  destination_disabled: "The destination is disabled",
  destination_deleted: "The destination was deleted",
};

/**
 * Returns the text for an error code of an export, followed by the code. Returns an unknown code
 * unchanged.
 */
export function reasonInWords(error: string): string {
  const words = reasons[error];
  return words === undefined ? error : `${words} (${error})`;
}

/** Returns the result of a test of the destination as a sentence. */
export const testInWords = ({ ok, message, duration_ms: duration }: S3DestinationTest): string =>
  ok || message === null
    ? `The test succeeded: a check object was written and deleted in ${formatDuration(duration)}.`
    : `The test failed. ${message}`;
