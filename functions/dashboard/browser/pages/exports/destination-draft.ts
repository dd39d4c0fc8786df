import type { S3Destination } from "../../api/resources.ts";

/** The values of the form's fields. */
export interface DestinationDraft {
  readonly store: "aws" | "other";
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly prefix: string;
  /** True if the addresses of objects have the bucket in the path, not in the host name. */
  readonly pathStyle: boolean;
  readonly compression: S3Destination["compression"];
  /** True if the export also writes the changes of each run as a Parquet file. */
  readonly rows: boolean;
  readonly snapshot: S3Destination["snapshot"];
  readonly auth: S3Destination["auth"];
  readonly accessKeyId: string;
  /** Empty until the user types a key, because no call returns the stored one. */
  readonly secretAccessKey: string;
  readonly roleArn: string;
}

const emptyDraft: DestinationDraft = {
  store: "aws",
  endpoint: "",
  bucket: "",
  region: "us-east-1",
  prefix: "",
  pathStyle: false,
  compression: "gzip",
  rows: false,
  snapshot: "none",
  auth: "access_key",
  accessKeyId: "",
  secretAccessKey: "",
  roleArn: "",
};

/**
 * Returns the form values of a destination, or the default values if `destination` is null. The
 * secret access key is always empty.
 */
export const draftOf = (destination: S3Destination | null): DestinationDraft =>
  destination === null
    ? emptyDraft
    : {
        store: destination.endpoint === null ? "aws" : "other",
        endpoint: destination.endpoint ?? "",
        bucket: destination.bucket,
        region: destination.region,
        prefix: destination.prefix,
        pathStyle: destination.force_path_style,
        compression: destination.compression,
        rows: destination.rows,
        snapshot: destination.snapshot,
        auth: destination.auth,
        accessKeyId: destination.access_key_id ?? "",
        secretAccessKey: "",
        roleArn: destination.role_arn ?? "",
      };

/**
 * Returns the draft with another store. For a store other than AWS, sets path-style addresses and
 * an access key. For AWS, turns path-style addresses off and keeps the kind of credentials.
 */
export const withStore = (
  draft: DestinationDraft,
  store: DestinationDraft["store"],
): DestinationDraft => ({
  ...draft,
  store,
  pathStyle: store === "other",
  auth: store === "other" ? "access_key" : draft.auth,
});

/**
 * Returns the body of `PUT` or `PATCH /v1/s3_destination` for a draft. Omits empty credentials, so
 * that the service reports which parameter is missing.
 */
export function bodyOf(filledIn: DestinationDraft): Readonly<Record<string, unknown>> {
  const draft = trimmed(filledIn);
  const credentials =
    draft.auth === "role"
      ? { role_arn: given(draft.roleArn) }
      : {
          access_key_id: given(draft.accessKeyId),
          secret_access_key: given(draft.secretAccessKey),
        };
  return {
    bucket: draft.bucket,
    region: draft.region,
    endpoint: draft.store === "other" ? draft.endpoint : null,
    force_path_style: draft.pathStyle,
    prefix: draft.prefix,
    compression: draft.compression,
    rows: draft.rows,
    snapshot: draft.snapshot,
    auth: draft.auth,
    ...credentials,
  };
}

/**
 * Returns the names of the API parameters that have a field in the form. The form shows the error
 * of any other parameter below its fields.
 */
export const shownParams = (draft: DestinationDraft): readonly string[] => [
  "bucket",
  "region",
  "prefix",
  ...(draft.store === "other" ? ["endpoint"] : []),
  ...(draft.auth === "role" ? ["role_arn"] : ["access_key_id", "secret_access_key"]),
];

/** Removes blanks around the values, because users often paste them. */
const trimmed = (draft: DestinationDraft): DestinationDraft => ({
  ...draft,
  endpoint: draft.endpoint.trim(),
  bucket: draft.bucket.trim(),
  region: draft.region.trim(),
  prefix: draft.prefix.trim(),
  accessKeyId: draft.accessKeyId.trim(),
  secretAccessKey: draft.secretAccessKey.trim(),
  roleArn: draft.roleArn.trim(),
});

const given = (text: string): string | undefined => (text === "" ? undefined : text);
