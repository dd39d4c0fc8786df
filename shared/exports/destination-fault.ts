import type { BucketFailure } from "./customer-bucket.ts";
import { type Destination, externalIdOf } from "./destination.ts";
import { checkKey } from "./object-key.ts";

/** The steps of a check of a destination. `look_up` reads a key that was never written. */
export type CheckStep = "sign_in" | "write" | "look_up" | "delete";

/** A failed check of a destination: the step that failed, and the reason. */
export interface CheckFailure extends BucketFailure {
  readonly step: CheckStep;
}

export interface DestinationFault {
  /** The field of the destination to change. */
  readonly param: string;
  /** Message with the failed step, the error code, and the remedy. */
  readonly message: string;
}

/**
 * Returns the cause of a failed check of a destination: the field to change, and an error message
 * with the remedy.
 * @param accountId the account, whose external ID is part of the remedy for a role
 */
export function faultOf(
  accountId: string,
  destination: Destination,
  failure: CheckFailure,
): DestinationFault {
  const failedCheck = { accountId, destination, ...failure };
  const { step, reason } = failure;
  const [param, advice] = step === "sign_in" ? signInFault(failedCheck) : bucketFault(failedCheck);
  return { param, message: `${attemptOf(step, destination)} failed: ${reason}. ${advice}` };
}

/** Returns the failed step as the subject of an error message. */
function attemptOf(step: CheckStep, { prefix }: Destination): string {
  const key = checkKey(prefix);
  return {
    sign_in: "Signing in with the role",
    write: `Writing the check object '${key}' to the bucket`,
    look_up: "Looking up an object that was never written",
    delete: `Deleting the check object '${key}' in the bucket`,
  }[step];
}

interface FailedCheck extends CheckFailure {
  readonly accountId: string;
  readonly destination: Destination;
}

type Fault = readonly [param: string, advice: string];

/** Returns the fault of a role that could not be assumed. */
function signInFault({ accountId, destination, reason }: FailedCheck): Fault {
  if (reason === "name_not_resolved" || reason === "RegionDisabledException") {
    return ["region", noRegion(destination)];
  }
  return [
    "role_arn",
    "In the role's trust policy, allow this service to assume the role only with the external ID " +
      `'${externalIdOf(accountId)}'.`,
  ];
}

/**
 * Returns the fault of another region if the store reported one. Otherwise returns the fault of the
 * first rule whose pattern matches the whole error code, or `unknownCode`.
 */
function bucketFault(failedCheck: FailedCheck): Fault {
  const { reason, region, destination } = failedCheck;
  if (region !== undefined && region !== destination.region) return anotherRegion(failedCheck);
  const rule = rules.find(([reasons]) => new RegExp(`^(?:${reasons})$`).test(reason));
  return rule === undefined ? unknownCode : rule[1](failedCheck);
}

const unknownCode: Fault = ["bucket", "See the documentation of the store for this error code."];

const rules: readonly (readonly [reasons: string, fault: (failedCheck: FailedCheck) => Fault])[] = [
  [
    "PermanentRedirect|TemporaryRedirect|IllegalLocationConstraintException|InvalidRegion(?:Name)?",
    (failedCheck) => anotherRegion(failedCheck),
  ],
  // `bucketFault` has already handled another region. A region here is therefore the region for
  // which the request was signed, so another part of the signature is wrong.
  [
    "AuthorizationHeaderMalformed",
    (failedCheck) =>
      failedCheck.region === undefined ? anotherRegion(failedCheck) : unknownIdentity(failedCheck),
  ],
  [
    "InvalidAccessKeyId|InvalidClientTokenId|InvalidToken|ExpiredToken|Unauthorized|status_401",
    (failedCheck) => unknownIdentity(failedCheck),
  ],
  [
    "SignatureDoesNotMatch",
    ({ destination }) => {
      const param = destination.credentials.auth === "role" ? "role_arn" : "secret_access_key";
      return [param, `Check '${param}', then 'region'.`];
    },
  ],
  [
    "kms_generate_data_key_denied",
    ({ destination }) => [
      identityOf(destination),
      "Allow kms:GenerateDataKey on the KMS key that encrypts the bucket, in the policy of the " +
        `${holderOf(destination)} and, for a key of another AWS account, in the policy of the KMS key.`,
    ],
  ],
  [
    String.raw`KMS\.DisabledException`,
    () => [
      "bucket",
      "The KMS key that encrypts the bucket is disabled. Enable the key, or give the bucket another key.",
    ],
  ],
  [
    String.raw`KMS\.NotFoundException`,
    () => [
      "bucket",
      "The KMS key that encrypts the bucket does not exist in its region. Give the bucket another key.",
    ],
  ],
  [
    String.raw`KMS\..*`,
    () => [
      "bucket",
      "The KMS key that encrypts the bucket cannot be used. See the KMS reference for this code.",
    ],
  ],
  [
    "NoSuchBucket",
    ({ destination }) => [
      "bucket",
      `There is no such bucket. Create it, or check 'bucket'${andEndpoint(destination)}.`,
    ],
  ],
  [
    "AccessDenied|AllAccessDisabled|Forbidden|status_403",
    (failedCheck) => ["bucket", grantOf(failedCheck)],
  ],
  [
    "name_not_resolved",
    ({ destination }) => {
      if (destination.endpoint === null) return ["region", noRegion(destination)];
      const hint = destination.forcePathStyle
        ? ""
        : " If the store supports only path-style URLs, set 'force_path_style' to true.";
      return ["endpoint", `The host name does not resolve. Check 'endpoint'.${hint}`];
    },
  ],
  [
    "tls_failed",
    ({ destination }) =>
      destination.bucket.includes(".") && !destination.forcePathStyle
        ? [
            "force_path_style",
            "A wildcard certificate does not cover a bucket name that contains dots. Set 'force_path_style' to true.",
          ]
        : [
            placeOf(destination),
            `The host has no valid certificate for its name. Check '${placeOf(destination)}'.`,
          ],
  ],
  [
    "address_refused",
    ({ destination }) => [
      placeOf(destination),
      `The host must have a public address. Check '${placeOf(destination)}'.`,
    ],
  ],
  [
    "connection_failed|connect_timeout|timeout",
    ({ destination }) => [
      placeOf(destination),
      "The store does not respond. Check its address and that it can be reached from the internet.",
    ],
  ],
  [
    "no_object_store",
    () => [
      "endpoint",
      "The server accepts any request: it is not an S3-compatible store. Check 'endpoint'.",
    ],
  ],
  [
    String.raw`status_(?!5)\d+|NotFound|MethodNotAllowed|NotImplemented|unknown_error`,
    ({ destination }) => [
      placeOf(destination),
      "The server does not respond like an S3-compatible store. Check its address.",
    ],
  ],
  [
    String.raw`SlowDown|ServiceUnavailable|InternalError|RequestTimeout|status_5\d+`,
    ({ destination }) => [
      placeOf(destination),
      "The store is overloaded or unavailable. Retry later.",
    ],
  ],
];

/** Returns the fault of a bucket in another region than the destination states. */
function anotherRegion({ destination, region }: FailedCheck): Fault {
  if (region === destination.region) {
    return [
      placeOf(destination),
      `The bucket is in '${region}', but the store redirects to another address. Check '${placeOf(destination)}'.`,
    ];
  }
  const also = destination.endpoint === null ? "" : ", and check 'endpoint'";
  return [
    "region",
    region === undefined
      ? `The bucket is probably in another region. Change 'region'${also}.`
      : `The bucket is in '${region}'. Set 'region' to this value${also}.`,
  ];
}

const unknownIdentity = ({ destination }: FailedCheck): Fault => [
  identityOf(destination),
  destination.credentials.auth === "role"
    ? "The store does not accept the credentials of the role. Check 'role_arn'."
    : `The store does not accept this access key. Check 'access_key_id'${andEndpoint(destination)}.`,
];

/** Returns the advice to grant the permissions that the failed step needs. */
function grantOf({ destination, step }: FailedCheck): string {
  const { bucket, prefix } = destination;
  const deleting = `s3:DeleteObject on '${bucket}/${checkKey(prefix)}'`;
  const allowed =
    step === "delete" ? deleting : `s3:PutObject on '${bucket}/${prefix}*' and ${deleting}`;
  return `Allow ${allowed} for the ${holderOf(destination)}, in its IAM policy and in the bucket policy.`;
}

const identityOf = ({ credentials }: Destination): string =>
  credentials.auth === "role" ? "role_arn" : "access_key_id";

const holderOf = ({ credentials }: Destination): string =>
  credentials.auth === "role" ? "role" : "owner of the access key";

/** Returns the name of the field that determines the address of the store. */
const placeOf = ({ endpoint }: Destination): string => (endpoint === null ? "bucket" : "endpoint");

const andEndpoint = ({ endpoint }: Destination): string =>
  endpoint === null ? "" : " and 'endpoint'";

const noRegion = ({ region }: Destination): string =>
  `AWS has no region '${region}', or it is not enabled. Check 'region'.`;
