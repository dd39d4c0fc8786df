import { createHash } from "node:crypto";
import type { RandomSource } from "../base/clock.ts";
import { notFound, type ServiceError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import type { SecretContext } from "../base/secret-box.ts";

/** Credentials for the bucket of a customer. */
export type Credentials =
  | {
      readonly auth: "access_key";
      readonly accessKeyId: string;
      /** Encrypted with the context `destinationSecretContext`. */
      readonly secretAccessKey: string;
      /**
       * The last four characters of the secret; null for a secret with fewer than 12 characters.
       */
      readonly secretHint: string | null;
    }
  | { readonly auth: "role"; readonly roleArn: string };

/** The formats of exported event objects: compressed with gzip, or plain JSONL. */
export const compressions = ["gzip", "none"] as const;
export type Compression = (typeof compressions)[number];

/** Values of `SnapshotChoice`. */
export const snapshotChoices = ["none", "run", "day"] as const;
/** The runs that have a file of all items: none, each run, or the first run of each UTC day. */
export type SnapshotChoice = (typeof snapshotChoices)[number];

/** Statuses of an S3 destination in API responses. `failing`: the last attempts failed. */
export const destinationStatuses = ["active", "failing", "disabled"] as const;
export type DestinationStatus = (typeof destinationStatuses)[number];

/** The S3 destination of an account. Times are ISO 8601 UTC. */
export interface Destination {
  readonly enabled: boolean;
  readonly bucket: string;
  readonly region: string;
  /** Normalized address of an S3-compatible store; null for AWS. */
  readonly endpoint: string | null;
  readonly forcePathStyle: boolean;
  /** Prefix of every object key. */
  readonly prefix: string;
  readonly credentials: Credentials;
  /** Format of the exports of later runs. The export of a run that has ended keeps its format. */
  readonly compression: Compression;
  /** True also exports the changes of each run as a Parquet file. */
  readonly rows: boolean;
  /** Which runs have a file of all items of the watchlist. */
  readonly snapshot: SnapshotChoice;
  /**
   * Number of consecutive failed attempts. A successful attempt, a successful test or a checked
   * change resets it to 0.
   */
  readonly failuresInRow: number;
  readonly lastSuccessAt: string | null;
  readonly lastError: string | null;
  /** Random ID of the current settings. Every change of the settings replaces this ID. */
  readonly revision: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/**
 * Returns true if the status of a destination is `failing`, because enough consecutive attempts
 * failed.
 */
export const isDestinationFailing = ({
  failuresInRow,
}: Pick<Destination, "failuresInRow">): boolean => failuresInRow >= limits.failuresUntilFailing;

const hintLength = 4;
const hintedLengthMin = 12;
const revisionBytes = 12;

/**
 * Returns the last four characters of a secret access key, which the API shows as a hint. Returns
 * null if the key has fewer than 12 characters.
 */
export const keyHint = (secretAccessKey: string): string | null =>
  secretAccessKey.length >= hintedLengthMin ? secretAccessKey.slice(-hintLength) : null;

/** Returns the error 404 NOT_FOUND: the account has no S3 destination. */
export const noDestination = (): ServiceError =>
  notFound("This account has no S3 destination. Create one with PUT /v1/s3_destination.");

/** Creates a random revision, which identifies one version of the settings of a destination. */
export const newRevision = (random: RandomSource): string =>
  Buffer.from(random.bytes(revisionBytes)).toString("hex");

/**
 * Returns the external ID that the trust policy of a customer's role must require, so that other
 * accounts of this service cannot use the role. The external ID is not secret. It depends only on
 * the account ID, so the API can show it before a destination is set.
 */
export const externalIdOf = (accountId: string): string =>
  `ext-${createHash("sha256").update(`s3_destination/${accountId}`).digest("hex").slice(0, 32)}`;

/**
 * Returns the encryption context of a destination's secret. The secret can be decrypted only with
 * the same context.
 */
export const destinationSecretContext = (accountId: string): SecretContext => ({
  account: accountId,
  record: "s3_destination",
  field: "secret_access_key",
});
