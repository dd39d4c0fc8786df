import type { S3Destination } from "../../api/resources.ts";

/** The form's fields as they are filled in. */
export interface DestinationDraft {
  readonly store: "aws" | "other";
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly prefix: string;
  readonly pathStyle: boolean;
  readonly compression: S3Destination["compression"];
  readonly auth: S3Destination["auth"];
  readonly accessKeyId: string;
  /** Never filled in from the stored value: no call returns it. */
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
  auth: "access_key",
  accessKeyId: "",
  secretAccessKey: "",
  roleArn: "",
};

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
        auth: destination.auth,
        accessKeyId: destination.access_key_id ?? "",
        secretAccessKey: "",
        roleArn: destination.role_arn ?? "",
      };

/** A change of the store brings what is usual there. */
export const withStore = (
  draft: DestinationDraft,
  store: DestinationDraft["store"],
): DestinationDraft => ({
  ...draft,
  store,
  pathStyle: store === "other",
  auth: store === "other" ? "access_key" : draft.auth,
});

/** The body of the call. An empty field is left out, so that the service names what it misses. */
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
    auth: draft.auth,
    ...credentials,
  };
}

/** Parameters that the form shows for a draft; an error about another one stands below it. */
export const shownParams = (draft: DestinationDraft): readonly string[] => [
  "bucket",
  "region",
  "prefix",
  ...(draft.store === "other" ? ["endpoint"] : []),
  ...(draft.auth === "role" ? ["role_arn"] : ["access_key_id", "secret_access_key"]),
];

/** Without blanks around what was filled in, as they are pasted along. */
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
