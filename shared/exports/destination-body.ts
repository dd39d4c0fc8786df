import * as v from "valibot";
import { addRefusedType, addRefusedValue } from "../base/shown-value.ts";
import { oneOf } from "../base/valid-values.ts";
import { compressions, snapshotChoices } from "./destination.ts";
import { compressionMeaning, rowsMeaning, snapshotMeaning } from "./destination-schema.ts";

const prefixLengthMax = 500;
const credentialLengthMax = 256;
const roleArnLengthMax = 600;

const credential = (name: string) =>
  v.nullable(
    v.pipe(
      v.string(addRefusedType(`'${name}' must be a string.`)),
      v.minLength(1, `'${name}' must not be empty. Send the complete value.`),
      v.maxLength(
        credentialLengthMax,
        ({ input }) =>
          `'${name}' must have at most ${credentialLengthMax} characters (got ${input.length}). Send only the credential.`,
      ),
      v.regex(
        /^[\u0021-\u007e]+$/,
        `'${name}' must be printable ASCII without spaces. Copy it unchanged from your S3 provider.`,
      ),
    ),
  );

const enabled = v.boolean(addRefusedValue("'enabled' must be true or false."));
const bucket = v.pipe(
  v.string(addRefusedValue("'bucket' must be a string.")),
  v.regex(
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    addRefusedValue(
      "'bucket' must be a bucket name: 3 to 63 lower-case letters, digits, dots and hyphens.",
    ),
  ),
);
const region = v.pipe(
  v.string(addRefusedValue("'region' must be a string.")),
  v.regex(
    /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/,
    addRefusedValue("'region' must be a region name such as us-east-1."),
  ),
);
const endpoint = v.nullable(
  v.pipe(
    v.string(addRefusedValue("'endpoint' must be a string or null.")),
    v.description("Address of an S3-compatible store. Null if the bucket is on AWS."),
  ),
);
const forcePathStyle = v.boolean(addRefusedValue("'force_path_style' must be true or false."));
const prefix = v.pipe(
  v.string(addRefusedValue("'prefix' must be a string.")),
  v.maxLength(
    prefixLengthMax,
    ({ input }) =>
      `'prefix' must have at most ${prefixLengthMax} characters (got ${input.length}). Shorten it.`,
  ),
  v.regex(
    /^(?:[A-Za-z0-9!_.*'()=-][A-Za-z0-9!_.*'()=/-]*)?$/,
    addRefusedValue(
      "'prefix' must consist of letters, digits and !_.*'()=-/, without a slash at the beginning.",
    ),
  ),
  v.regex(
    /^(?!.*\/\/)/,
    addRefusedValue("'prefix' must not contain an empty folder ('//'). Use single slashes."),
  ),
  v.regex(
    /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))/,
    addRefusedValue("'prefix' must not contain '.' or '..' as a folder. Use other names."),
  ),
  v.transform((folder) => (folder === "" || folder.endsWith("/") ? folder : `${folder}/`)),
  v.description("Key prefix of the objects. The service adds a trailing slash if it is missing."),
);
const auth = v.pipe(
  oneOf("auth", ["access_key", "role"]),
  v.description(
    "access_key: the service uses your access key. role: the service assumes your role (AWS only).",
  ),
);
const roleArn = v.nullable(
  v.pipe(
    v.string(addRefusedValue("'role_arn' must be a string.")),
    v.maxLength(
      roleArnLengthMax,
      ({ input }) =>
        `'role_arn' must have at most ${roleArnLengthMax} characters (got ${input.length}). Send the ARN of a role.`,
    ),
    v.regex(
      /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/,
      addRefusedValue(
        "'role_arn' must be the ARN of a role, such as arn:aws:iam::123456789012:role/events.",
      ),
    ),
    v.description(
      "The role to assume, with `auth` role. Its trust policy must require `external_id`.",
    ),
  ),
);
const compression = v.pipe(oneOf("compression", compressions), v.description(compressionMeaning));
const rows = v.pipe(
  v.boolean(addRefusedValue("'rows' must be true or false.")),
  v.description(rowsMeaning),
);
const snapshot = v.pipe(oneOf("snapshot", snapshotChoices), v.description(snapshotMeaning));
const secret = v.pipe(credential("secret_access_key"), v.description("Write-only."));

const credentialFields = {
  access_key_id: v.optional(credential("access_key_id")),
  secret_access_key: v.optional(secret),
  role_arn: v.optional(roleArn),
};

/**
 * Body of `PUT /v1/s3_destination`. `storeAddress` checks the endpoint later, because that needs
 * DNS.
 */
export const destinationBody = v.object({
  enabled: v.optional(enabled, true),
  bucket,
  region: v.optional(region, "us-east-1"),
  endpoint: v.optional(endpoint, null),
  force_path_style: v.optional(forcePathStyle),
  prefix: v.optional(prefix, ""),
  auth: v.optional(auth, "access_key"),
  ...credentialFields,
  compression: v.optional(compression, "gzip"),
  rows: v.optional(rows, false),
  snapshot: v.optional(snapshot, "none"),
});
export type DestinationBody = v.InferOutput<typeof destinationBody>;

/** Body of `PATCH /v1/s3_destination`. Fields that are absent stay unchanged. */
export const destinationPatchBody = v.object({
  enabled: v.optional(enabled),
  bucket: v.optional(bucket),
  region: v.optional(region),
  endpoint: v.optional(endpoint),
  force_path_style: v.optional(forcePathStyle),
  prefix: v.optional(prefix),
  auth: v.optional(auth),
  ...credentialFields,
  compression: v.optional(compression),
  rows: v.optional(rows),
  snapshot: v.optional(snapshot),
});
export type DestinationPatch = v.InferOutput<typeof destinationPatchBody>;
