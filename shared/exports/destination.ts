import {
  boolean,
  description,
  type InferOutput,
  maxLength,
  minLength,
  nullable,
  object,
  optional,
  picklist,
  pipe,
  regex,
  string,
} from "valibot";
import type { SecretContext } from "../base/secret-box.ts";

/** Where an account's events are exported to. Times are ISO 8601 UTC; the secret is sealed. */
export interface Destination {
  readonly enabled: boolean;
  readonly bucket: string;
  readonly region: string;
  /** Normalised address of an S3-compatible store; null: AWS. */
  readonly endpoint: string | null;
  readonly forcePathStyle: boolean;
  /** Comes before every object key as it is. */
  readonly prefix: string;
  readonly auth: "access_key";
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly secretHint: string;
  readonly compression: Compression;
  /** True after an export was given up, until one succeeds. */
  readonly failing: boolean;
  readonly lastSuccessAt: string | null;
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type Compression = "gzip" | "none";

const prefixLengthMax = 500;
const credentialLengthMax = 256;
const hintLength = 4;

const credential = (name: string) =>
  pipe(
    string(`'${name}' must be a string.`),
    minLength(1, `'${name}' must not be empty.`),
    maxLength(credentialLengthMax, `'${name}' must be at most ${credentialLengthMax} characters.`),
    regex(/^[\u0021-\u007e]+$/, `'${name}' must be printable ASCII without spaces.`),
  );

/** Body of `PUT /v1/s3_destination`. The endpoint's own rules need a look at the network. */
export const destinationBody = object({
  enabled: optional(boolean("'enabled' must be true or false."), true),
  bucket: pipe(
    string("'bucket' must be a string."),
    regex(
      /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
      "'bucket' must be a bucket name: 3 to 63 lower-case letters, digits, dots and hyphens.",
    ),
  ),
  region: optional(
    pipe(
      string("'region' must be a string."),
      regex(/^[a-z0-9-]{1,32}$/, "'region' must be a region name such as us-east-1."),
    ),
    "us-east-1",
  ),
  endpoint: optional(
    nullable(
      pipe(
        string("'endpoint' must be a string or null."),
        description("Address of an S3-compatible store; null: AWS."),
      ),
    ),
    null,
  ),
  force_path_style: optional(boolean("'force_path_style' must be true or false.")),
  prefix: optional(
    pipe(
      string("'prefix' must be a string."),
      maxLength(prefixLengthMax, `'prefix' must be at most ${prefixLengthMax} characters.`),
      regex(
        /^(?:[A-Za-z0-9!_.*'()=-][A-Za-z0-9!_.*'()=/-]*)?$/,
        "'prefix' must be letters, digits and !_.*'()=-/ and not begin with a slash.",
      ),
      regex(/^(?!.*(?:^|\/)\.{1,2}(?:\/|$))/, "'prefix' must not contain '.' or '..' as a folder."),
      description("Comes before every object key as it is."),
    ),
    "",
  ),
  auth: optional(picklist(["access_key"], "'auth' must be access_key."), "access_key"),
  access_key_id: credential("access_key_id"),
  secret_access_key: credential("secret_access_key"),
  compression: optional(picklist(["gzip", "none"], "'compression' must be gzip or none."), "gzip"),
});
export type DestinationBody = InferOutput<typeof destinationBody>;

/** The last four characters, by which its owner recognises a key. */
export const keyHint = (secretAccessKey: string): string => secretAccessKey.slice(-hintLength);

/** The context under which a destination's secret is sealed. */
export const destinationSecretContext = (accountId: string): SecretContext => ({
  account: accountId,
  record: "s3_destination",
  field: "secret_access_key",
});
