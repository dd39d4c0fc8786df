import type { KMSClient } from "@aws-sdk/client-kms";
import type { S3Client } from "@aws-sdk/client-s3";
import type { SchedulerClient } from "@aws-sdk/client-scheduler";
import type { SQSClient } from "@aws-sdk/client-sqs";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { RandomSource, Clock } from "../../shared/base/clock.ts";
import type { WrittenVersions } from "../../shared/base/stored-versions.ts";
import { systemClock, systemRandom } from "../../shared/base/system.ts";
import type { EventBus } from "../../shared/event-bus/event-bus.ts";
import type { CustomerBuckets } from "../../shared/exports/customer-bucket.ts";
import type { RoleCredentials } from "../../shared/exports/role-credentials.ts";
import { type AddressPolicy, addressPolicy } from "../../shared/outgoing/address-policy.ts";
import type { Resolver } from "../../shared/outgoing/resolver.ts";
import type { StepSources } from "../../shared/runs/read-step.ts";
import type { Sender } from "../../shared/outgoing/sender.ts";

/**
 * The AWS clients for the service's own resources. Customers' resources are accessed with other
 * clients.
 */
export interface Clients {
  readonly dynamo: DynamoDBDocumentClient;
  readonly sqs: SQSClient;
  readonly scheduler: SchedulerClient;
  readonly kms: KMSClient;
  readonly s3: S3Client;
}

/**
 * Replacements of a function's dependencies, for tests and the local world. A deployed function has
 * no overrides: no environment variable sets them.
 */
export interface Overrides {
  /** True allows webhooks and exports to loopback addresses, even over plain HTTP. */
  readonly allowLoopback?: boolean;
  /**
   * True puts the bucket into the path of S3 URLs, which local S3 stores require. Does not change
   * an S3 client in `clients`.
   */
  readonly forcePathStyle?: boolean;
  /**
   * The environment variables from which sources may read their secrets, with references such as
   * `env:<name>`. If undefined, such references are refused.
   */
  readonly secretVariables?: Readonly<Record<string, string | undefined>>;
  /** Replaces the sources that the variable SOURCES configures. */
  readonly sources?: StepSources;
  /** Replaces the configured versions of rows and objects that the function writes. */
  readonly writes?: WrittenVersions;
  /** Replaces the system clock. */
  readonly clock?: Clock;
  /** Replaces the system's random source. */
  readonly random?: RandomSource;
  /** Replaces AWS clients that the process would create. */
  readonly clients?: Partial<Clients>;
  /** Replaces the sender of webhooks and its address policy. */
  readonly sender?: Sender;
  /** Replaces the system's resolver for host names that customers register. */
  readonly resolver?: Resolver;
  /** Replaces the S3 clients for customers' buckets and their address policy. */
  readonly buckets?: CustomerBuckets;
  /** Replaces the event bus, if the deployment has one. */
  readonly eventBus?: EventBus;
  /** Replaces STS for customers' roles. The delivery worker still caches the credentials. */
  readonly roles?: RoleCredentials;
}

/** Returns the clock in the overrides, or otherwise the system clock. */
export const clock = (overrides: Overrides): Clock => overrides.clock ?? systemClock;
/** Returns the random source in the overrides, or otherwise the system's random source. */
export const random = (overrides: Overrides): RandomSource => overrides.random ?? systemRandom;
/**
 * Returns the clock and the random source together, from the overrides or otherwise from the
 * system.
 */
export const timeAndRandom = (overrides: Overrides) => ({
  clock: clock(overrides),
  random: random(overrides),
});

/**
 * Returns the policy for the addresses to which webhooks and exports may connect: public addresses,
 * and loopback addresses if the overrides allow them.
 */
export const addressPolicyOf = (overrides: Overrides): AddressPolicy =>
  addressPolicy({ allowLoopback: overrides.allowLoopback === true });
