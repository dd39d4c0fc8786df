import { invalidParam, missingParam } from "../base/errors.ts";
import type { SecretBox } from "../base/secret-box.ts";
import { type Credentials, destinationSecretContext, keyHint } from "./destination.ts";
import type { DestinationPatch } from "./destination-body.ts";

/** A change of the credentials of a destination. */
export interface CredentialsRequest {
  readonly accountId: string;
  readonly wanted: Pick<
    DestinationPatch,
    "auth" | "access_key_id" | "secret_access_key" | "role_arn"
  >;
  /** Address of the store after the change; null for AWS. */
  readonly endpoint: string | null;
  /** The stored credentials; null if there are none, or if they must not be used again. */
  readonly before: Credentials | null;
  /**
   * True if the bucket or the endpoint changes. A stored secret must never be sent to another
   * store.
   */
  readonly placeChanged: boolean;
}

/**
 * Returns the credentials of a destination after a change. Fields that the request omits keep their
 * stored values. Encrypts a new secret.
 * @throws 400 that names a missing field, or a field that does not belong to the kind of
 * credentials
 */
export async function credentialsAfterChange(
  request: CredentialsRequest,
  secrets: SecretBox,
): Promise<Credentials> {
  const auth = request.wanted.auth ?? request.before?.auth ?? "access_key";
  return auth === "role" ? roleOf(request) : accessKeyOf(request, secrets);
}

/**
 * Returns the role of a destination after a change.
 * @throws 400 for a missing ARN, a field of access keys, or an endpoint that is not on AWS
 */
function roleOf({ wanted, endpoint, before }: CredentialsRequest): Credentials {
  for (const param of ["access_key_id", "secret_access_key"] as const) {
    if (isGiven(wanted[param])) {
      throw invalidParam(param, `'${param}' applies only with 'auth': 'access_key'. Omit it.`);
    }
  }
  const roleArn = wanted.role_arn ?? (before?.auth === "role" ? before.roleArn : null);
  if (roleArn === null) {
    throw missingParam(
      "role_arn",
      "'role_arn' is required with 'auth': 'role'. Send the ARN of the role.",
    );
  }
  if (endpoint !== null) {
    throw invalidParam(
      "endpoint",
      "'endpoint' must be null with 'auth': 'role', because only AWS supports roles. Send null, or use 'auth': 'access_key'.",
    );
  }
  return { auth: "role", roleArn };
}

/**
 * Returns the access key of a destination after a change. Encrypts a new secret.
 * @throws 400 for a missing field or a field of roles, or if a stored secret would be sent to
 * another store
 */
async function accessKeyOf(
  { accountId, wanted, before, placeChanged }: CredentialsRequest,
  secrets: SecretBox,
): Promise<Credentials> {
  if (isGiven(wanted.role_arn)) {
    throw invalidParam("role_arn", "'role_arn' applies only with 'auth': 'role'. Omit it.");
  }
  const known = before?.auth === "access_key" ? before : null;
  const accessKeyId = wanted.access_key_id ?? known?.accessKeyId;
  if (accessKeyId === undefined) {
    throw missingParam(
      "access_key_id",
      "'access_key_id' is required with 'auth': 'access_key'. Send the ID of the access key.",
    );
  }
  const secret = wanted.secret_access_key;
  if (isGiven(secret)) {
    const sealed = await secrets.seal(secret, destinationSecretContext(accountId));
    return {
      auth: "access_key",
      accessKeyId,
      secretAccessKey: sealed,
      secretHint: keyHint(secret),
    };
  }
  if (known === null) {
    throw missingParam(
      "secret_access_key",
      "'secret_access_key' is required with 'auth': 'access_key'. Send the secret of the access key.",
    );
  }
  if (placeChanged) {
    throw missingParam(
      "secret_access_key",
      "'secret_access_key' is required when 'bucket' or 'endpoint' changes. Send the secret of the access key again.",
    );
  }
  return { ...known, accessKeyId };
}

const isGiven = (value: string | null | undefined): value is string =>
  value !== null && value !== undefined;
