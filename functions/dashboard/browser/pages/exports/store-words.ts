import type { S3DestinationTest } from "../../api/resources.ts";
import { formatDuration } from "../../format/sizes.ts";

/** Frequent codes of stores and connections; others are shown as they are. */
const reasons: Readonly<Record<string, string>> = {
  AccessDenied: "The store denied access. Allow s3:PutObject and s3:DeleteObject on the prefix",
  NoSuchBucket: "There is no such bucket",
  InvalidAccessKeyId: "The store does not know the access key id",
  SignatureDoesNotMatch: "The signature was refused. Check the secret access key and the region",
  PermanentRedirect: "The bucket is in another region",
  TemporaryRedirect: "The bucket is in another region",
  AuthorizationHeaderMalformed: "The bucket is in another region",
  ExpiredToken: "The credentials have expired",
  "KMS.DisabledException": "The KMS key that encrypts the bucket is disabled",
  "KMS.NotFoundException": "The KMS key that encrypts the bucket does not exist",
  kms_generate_data_key_denied:
    "Access to the bucket's KMS key was denied. Allow kms:GenerateDataKey on the key",
  no_object_store: "The server is not an S3-compatible store. Check the endpoint",
  SlowDown: "The store is busy",
  external_id_not_asked_for:
    "The role accepts every caller: its trust policy must require the external ID",
  address_refused: "The address is not a public one",
  name_not_resolved: "The host name was not found",
  connection_failed: "No connection to the store",
  tls_failed: "The store has no valid certificate for this host",
  connect_timeout: "No connection to the store in time",
  timeout: "No answer from the store in time",
  destination_disabled: "The destination is disabled",
  destination_deleted: "The destination was deleted",
};

/** Why writing failed, with the code where the words are not the code itself. */
export function reasonInWords(error: string): string {
  const words = reasons[error];
  return words === undefined ? error : `${words} (${error})`;
}

/** The result of a test, in a sentence. */
export const testInWords = ({ ok, message, duration_ms: duration }: S3DestinationTest): string =>
  ok || message === null
    ? `It works: a check object was written and deleted in ${formatDuration(duration)}.`
    : `The test failed. ${message}`;
