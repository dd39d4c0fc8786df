import type { KMSClient } from "@aws-sdk/client-kms";
import type { S3Client } from "@aws-sdk/client-s3";
import type { SchedulerClient } from "@aws-sdk/client-scheduler";
import type { SQSClient } from "@aws-sdk/client-sqs";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { RandomSource, Clock } from "../../shared/base/clock.ts";
import type { CustomerBuckets } from "../../shared/exports/customer-bucket.ts";
import type { RoleCredentials } from "../../shared/exports/role-credentials.ts";
import type { Resolver } from "../../shared/outgoing/resolver.ts";
import type { StepSources } from "../../shared/runs/read-step.ts";
import type { Sender } from "../../shared/outgoing/sender.ts";

/** The AWS clients for resources of the service. None of them accesses resources of customers. */
export interface Clients {
  readonly dynamo: DynamoDBDocumentClient;
  readonly sqs: SQSClient;
  readonly scheduler: SchedulerClient;
  readonly kms: KMSClient;
  readonly s3: S3Client;
}

/**
 * Replacements that tests and the local world inject into a function. A deployed function has none: no
 * environment variable sets them.
 */
export interface Overrides {
  /** True allows webhooks and exports to loopback addresses, also over plain HTTP. */
  readonly allowLoopback?: boolean;
  /** True addresses buckets by path, which local S3 stores need. Has no effect on an S3 client in `clients`. */
  readonly forcePathStyle?: boolean;
  /** Environment variables that references to secrets of sources may name, as `env:<name>`. */
  readonly secretVariables?: Readonly<Record<string, string | undefined>>;
  /** Sources of products, offers and steps, instead of those in SOURCES. */
  readonly sources?: StepSources;
  /** The clock, instead of the system's. */
  readonly clock?: Clock;
  /** The random source, instead of the system's. */
  readonly random?: RandomSource;
  /** AWS clients, instead of those that the process creates. */
  readonly clients?: Partial<Clients>;
  /** Sends webhooks, instead of the guarded sender; applies no address policy. */
  readonly sender?: Sender;
  /** Resolves host names that customers register, instead of the system. */
  readonly resolver?: Resolver;
  /** Opens customers' buckets, instead of a guarded S3 client for each. */
  readonly buckets?: CustomerBuckets;
  /** Assumes customers' roles, instead of STS. The delivery worker still caches its credentials. */
  readonly roles?: RoleCredentials;
}
