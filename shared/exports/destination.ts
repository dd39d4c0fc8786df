import { createHash } from "node:crypto";
import type { Chance } from "../base/clock.ts";
import { notFound, type ServiceError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import type { SecretContext } from "../base/secret-box.ts";

/** How the service signs in to a customer's bucket. */
export type Credentials =
  | {
      readonly auth: "access_key";
      readonly accessKeyId: string;
      /** Sealed under `destinationSecretContext`. */
      readonly secretAccessKey: string;
      /** The last four characters; null for a secret so short that they would give it away. */
      readonly secretHint: string | null;
    }
  | { readonly auth: "role"; readonly roleArn: string };

export const compressions = ["gzip", "none"] as const;
export type Compression = (typeof compressions)[number];

/** Where an account's events are exported to. Times are ISO 8601 UTC. */
export interface Destination {
  readonly enabled: boolean;
  readonly bucket: string;
  readonly region: string;
  /** Normalised address of an S3-compatible store; null: AWS. */
  readonly endpoint: string | null;
  readonly forcePathStyle: boolean;
  /** Comes before every object key as it is. */
  readonly prefix: string;
  readonly credentials: Credentials;
  /** Format of runs whose first export is still to come; a run keeps the format that it has. */
  readonly compression: Compression;
  /** Attempts of exports that failed since one succeeded, a test did, or a change was checked. */
  readonly failuresInRow: number;
  readonly lastSuccessAt: string | null;
  readonly lastError: string | null;
  /** Another one after every change of the settings, never the same again. */
  readonly revision: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Whether a destination is shown as `failing`. */
export const isFailing = ({ failuresInRow }: Pick<Destination, "failuresInRow">): boolean =>
  failuresInRow >= limits.failuresUntilFailing;

const hintLength = 4;
const hintedLengthMin = 12;
const revisionBytes = 12;

/** The last four characters, by which its owner recognises a key that has many more. */
export const keyHint = (secretAccessKey: string): string | null =>
  secretAccessKey.length >= hintedLengthMin ? secretAccessKey.slice(-hintLength) : null;

/** The refusal of a call that needs a destination. */
export const noDestination = (): ServiceError =>
  notFound("An S3 destination", "Set one with PUT /v1/s3_destination first.");

export const newRevision = (chance: Chance): string =>
  Buffer.from(chance.bytes(revisionBytes)).toString("hex");

/**
 * What the trust policy of a customer's role asks for, so that no other account of this service can
 * have the role assumed. No secret, and the same for an account for ever: it can be read before
 * there is a destination.
 */
export const externalIdOf = (accountId: string): string =>
  `ext-${createHash("sha256").update(`s3_destination/${accountId}`).digest("hex").slice(0, 32)}`;

/** The context under which a destination's secret is sealed. */
export const destinationSecretContext = (accountId: string): SecretContext => ({
  account: accountId,
  record: "s3_destination",
  field: "secret_access_key",
});
