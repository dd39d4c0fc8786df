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

/** The clients of the service's own resources; none of them reaches a customer's. */
export interface Clients {
  readonly dynamo: DynamoDBDocumentClient;
  readonly sqs: SQSClient;
  readonly scheduler: SchedulerClient;
  readonly kms: KMSClient;
  readonly s3: S3Client;
}

/**
 * What the local world and tests may inject into a function. A deployed function never passes any:
 * there is no environment variable behind these.
 */
export interface Overrides {
  /** Lets webhooks and exports reach loopback addresses, over plain HTTP too. */
  readonly allowLoopback?: boolean;
  /** Addresses buckets by path, as local S3 stores need it; a given S3 client stays as it is. */
  readonly forcePathStyle?: boolean;
  /** Variables that the references to sources' secrets may name, as `env:<name>`. */
  readonly secretVariables?: Readonly<Record<string, string | undefined>>;
  /** What products, offers and steps are read from, instead of what SOURCES says. */
  readonly sources?: StepSources;
  /** The time, instead of the machine's. */
  readonly clock?: Clock;
  /** Instead of the machine's randomness. */
  readonly chance?: RandomSource;
  /** Used as they are, instead of ones that the process makes once for all of its functions. */
  readonly clients?: Partial<Clients>;
  /** Sends webhooks, instead of the guarded sender: what it sends is held to no address policy. */
  readonly sender?: Sender;
  /** Looks up the addresses of what customers register, instead of the system. */
  readonly resolver?: Resolver;
  /** Opens customers' buckets, instead of a guarded S3 client for each. */
  readonly buckets?: CustomerBuckets;
  /** Assumes customers' roles, instead of STS; deliveries still keep what it gives. */
  readonly roles?: RoleCredentials;
}
