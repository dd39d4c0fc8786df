import { assertNever } from "../base/assert.ts";
import { invalidParam, type ServiceError } from "../base/errors.ts";
import { type Destination, externalIdOf } from "./destination.ts";
import { checkKey } from "./object-key.ts";
import { openBucket, type OpenBucketDependencies } from "./open-bucket.ts";

/** What went wrong with a bucket, and at which step of the way there. */
export type CheckOutcome =
  | { readonly outcome: "usable" }
  | {
      readonly outcome: "failed";
      readonly step: "sign_in" | "resolve" | "write" | "delete";
      readonly reason: string;
    };

/** Signs in, then writes and deletes a check object. */
export async function checkDestination(
  accountId: string,
  destination: Destination,
  dependencies: OpenBucketDependencies,
): Promise<CheckOutcome> {
  const [opened, isOpenToAll] = await Promise.all([
    openBucket(accountId, destination, dependencies),
    trustsAnybody(accountId, destination, dependencies),
  ]);
  if (opened.outcome === "failed") return { ...opened, step: "sign_in" };
  const { bucket } = opened;
  if (isOpenToAll) {
    bucket.close();
    return { outcome: "failed", step: "sign_in", reason: trustsAnybodyReason };
  }
  const key = checkKey(destination.prefix);
  const bytes = Buffer.from("This object may be deleted.\n");
  try {
    const written = await bucket.put({ key, bytes, contentType: "text/plain" });
    if (written.outcome === "failed") {
      const step = written.reason === "name_not_resolved" ? "resolve" : "write";
      return { ...written, step };
    }
    const deleted = await bucket.delete(key);
    return deleted.outcome === "failed" ? { ...deleted, step: "delete" } : { outcome: "usable" };
  } finally {
    bucket.close();
  }
}

const trustsAnybodyReason = "external_id_not_asked_for";

/**
 * Whether a role lets the service in under an external id that is not its owner's: then any account
 * of this service could name it, and so might an account name a role of the service's own.
 */
async function trustsAnybody(
  accountId: string,
  { credentials, region }: Destination,
  { roles }: OpenBucketDependencies,
): Promise<boolean> {
  if (credentials.auth !== "role") return false;
  const externalId = externalIdOf(`nobody/${accountId}`);
  const asked = await roles.assume({ roleArn: credentials.roleArn, externalId, region });
  // Only a plain refusal proves that the role asks for its own: anything else may hide an open door.
  return asked.outcome === "assumed" || asked.reason !== "AccessDenied";
}

/**
 * The same, for a destination that is about to be saved.
 * @throws 400 that says which step failed and why.
 */
export async function requireUsable(
  accountId: string,
  destination: Destination,
  dependencies: OpenBucketDependencies,
): Promise<void> {
  const checked = await checkDestination(accountId, destination, dependencies);
  if (checked.outcome === "failed") throw refusalOf(accountId, destination, checked);
}

function refusalOf(
  accountId: string,
  { prefix, endpoint }: Destination,
  { step, reason }: Extract<CheckOutcome, { outcome: "failed" }>,
): ServiceError {
  const key = checkKey(prefix);
  const place = endpoint === null ? "bucket" : "endpoint";
  const refuse = (param: string, attempt: string): ServiceError =>
    invalidParam(param, `${attempt} failed: ${reason}. ${adviceOn(reason)}Nothing was saved.`);
  switch (step) {
    case "sign_in":
      return invalidParam(
        "role_arn",
        `Signing in with the role failed: ${reason}. Its trust policy must let this service ` +
          `assume it with the external id '${externalIdOf(accountId)}', and with no other. ` +
          "Nothing was saved.",
      );
    case "resolve":
      return refuse(place, "Resolving the host of the bucket");
    case "write":
      return refuse(
        reason === "address_refused" ? place : "bucket",
        `Writing the check object '${key}' to the bucket`,
      );
    case "delete":
      return refuse("bucket", `Deleting the check object '${key}' in the bucket`);
    default:
      return assertNever(step);
  }
}

/** Stores' codes that say little to whoever has not met them. */
function adviceOn(reason: string): string {
  switch (reason) {
    case "PermanentRedirect":
    case "TemporaryRedirect":
    case "AuthorizationHeaderMalformed":
      return "The bucket is probably in another region: check 'region'. ";
    case "SignatureDoesNotMatch":
      return "Check 'secret_access_key' and 'region'. ";
    case "tls_failed":
      return "Check that the host has a valid certificate; a bucket with dots in its name needs 'force_path_style'. ";
    default:
      return "";
  }
}
