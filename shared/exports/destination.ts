import { createHash } from "node:crypto";
import type { RandomSource } from "../base/clock.ts";
import { notFound, type ServiceError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import type { SecretContext } from "../base/secret-box.ts";

/** Credentials for a customer's bucket. */
export type Credentials =
  | {
      readonly auth: "access_key";
      readonly accessKeyId: string;
      /** Encrypted under `destinationSecretContext`. */
      readonly secretAccessKey: string;
      /** The last four characters; null for a secret of fewer than 12 characters. */
      readonly secretHint: string | null;
    }
  | { readonly auth: "role"; readonly roleArn: string };

export const compressions = ["gzip", "none"] as const;
export type Compression = (typeof compressions)[number];

/** The S3 destination of an account. Times are ISO 8601 UTC. */
export interface Destination {
  readonly enabled: boolean;
  readonly bucket: string;
  readonly region: string;
  /** Normalised address of an S3-compatible store; null: AWS. */
  readonly endpoint: string | null;
  readonly forcePathStyle: boolean;
  /** Prefix of every object key. */
  readonly prefix: string;
  readonly credentials: Credentials;
  /** Format of new exports. An export keeps its format. */
  readonly compression: Compression;
  /** Number of failed export attempts since the last successful attempt, test or checked change. */
  readonly failuresInRow: number;
  readonly lastSuccessAt: string | null;
  readonly lastError: string | null;
  /** Random ID of the settings; differs after every change. */
  readonly revision: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** True if the destination's status is `failing`. */
export const isDestinationFailing = ({
  failuresInRow,
}: Pick<Destination, "failuresInRow">): boolean => failuresInRow >= limits.failuresUntilFailing;

const hintLength = 4;
const hintedLengthMin = 12;
const revisionBytes = 12;

/** The last four characters of a secret access key; null if it has fewer than 12. */
export const keyHint = (secretAccessKey: string): string | null =>
  secretAccessKey.length >= hintedLengthMin ? secretAccessKey.slice(-hintLength) : null;

/** 404 NOT_FOUND of a call that needs a destination. */
export const noDestination = (): ServiceError =>
  notFound("An S3 destination", "Set one with PUT /v1/s3_destination first.");

export const newRevision = (random: RandomSource): string =>
  Buffer.from(random.bytes(revisionBytes)).toString("hex");

/**
 * The external ID that the trust policy of a customer's role must require, so that no other account
 * of this service can use the role. Not secret. Fixed for an account, so that it can be shown before
 * a destination is set.
 */
export const externalIdOf = (accountId: string): string =>
  `ext-${createHash("sha256").update(`s3_destination/${accountId}`).digest("hex").slice(0, 32)}`;

/** The encryption context of a destination's secret. */
export const destinationSecretContext = (accountId: string): SecretContext => ({
  account: accountId,
  record: "s3_destination",
  field: "secret_access_key",
});
