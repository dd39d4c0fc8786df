import { RemovalPolicy } from "aws-cdk-lib";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { WrittenVersions } from "../shared/base/stored-versions.ts";
import type { StepScraperId } from "../shared/scrapers/catalog.ts";
import type { Sources } from "./source-config.ts";

/** The names of the stages. Each stage has a configuration in `configs`. */
export const stages = ["dev", "prod"] as const;
export type Stage = (typeof stages)[number];

/** Values of `ResponseMode`. */
export const responseModes = ["stream", "buffered"] as const;
/** How the gateway sends the responses of streaming groups: as a stream or buffered. */
export type ResponseMode = (typeof responseModes)[number];

/** Values of `AccessLogMode`. */
export const accessLogModes = ["off", "on", "setup"] as const;
/**
 * Whether the gateway writes an access log. The gateway uses one role to write the logs of all APIs
 * of an account and region.
 * - `on` requires that this role exists. Otherwise the deployment fails and is rolled back, with
 *   "CloudWatch Logs role ARN must be set in account settings to enable logging".
 * - `setup` creates the role, which replaces the current role of all APIs and remains when the
 *   stack is deleted. Use it only in an account without other APIs.
 */
export type AccessLogMode = (typeof accessLogModes)[number];

/** Values of `Deployment`. */
export const deployments = [
  "all-at-once",
  "canary-10-percent-5-minutes",
  "linear-10-percent-every-1-minute",
] as const;
/**
 * How a new version of a function replaces the previous one. `all-at-once` does not use CodeDeploy.
 * The other values are named as in CodeDeploy: they shift the traffic gradually, and roll back if
 * an alarm starts.
 */
export type Deployment = (typeof deployments)[number];

/** The settings that differ between stages. */
export interface Config {
  readonly logRetention: RetentionDays;
  /**
   * Removal policy of tables, keys, buckets and logs: what CloudFormation does with them when they
   * leave the stack. After a failed first deployment, it always deletes them, because they are
   * still empty.
   */
  readonly removalPolicy: RemovalPolicy;
  /** True if the tables and the data stack are protected from deletion. */
  readonly protectedFromDeletion: boolean;
  /**
   * Memory of the functions, in megabytes. A step needs memory for the results of the steps before
   * it. A finisher of a large run and a delivery worker for a busy webhook endpoint need more CPU,
   * which grows with the memory (docs/performance.md).
   */
  readonly memoryMegabytes: {
    readonly api: number;
    readonly worker: number;
    readonly step: number;
    readonly finisher: number;
    readonly delivery: number;
    readonly backtest: number;
  };
  /**
   * Maximum number of parallel invocations of each worker, from 2 to 1,000. The API uses the rest
   * of the AWS account's quota.
   */
  readonly concurrencyMax: {
    readonly runs: number;
    readonly steps: number;
    readonly finishes: number;
    readonly deliveries: number;
    readonly backtests: number;
  };
  /**
   * Reserved concurrency of these functions, which is also their limit; null reserves nothing.
   * Reservations keep slow item calls, and calls that wait for a customer's receiver or store, from
   * using the whole quota. The sweeper can then always start. `concurrencyMax` of each worker is
   * reserved too. Lambda refuses reservations that leave less than 100 of the AWS account's quota.
   */
  readonly reservedConcurrency: ReservedConcurrency | null;
  /**
   * The AWS account's quota of concurrent executions in the region. New AWS accounts have 10 to 50.
   */
  readonly accountConcurrency: number;
  readonly throttle: Throttle;
  /** True if the API has a web ACL by default. The context can remove the web ACL with a reason. */
  readonly firewallByDefault: boolean;
  /**
   * True if AWS Backup backs the tables up by default. The context key `backups` can turn the
   * backups off.
   */
  readonly backupsByDefault: boolean;
  readonly accessLogs: AccessLogMode;
  readonly deployment: Deployment;
  readonly sources: Sources;
  /**
   * True if the stage uses invented data when the context has no sources. False if the context must
   * have sources, for stages with paying customers.
   */
  readonly sandboxByDefault: boolean;
  readonly responseMode: ResponseMode;
  /** Which versions of rows and objects the functions write. */
  readonly storedVersions: WrittenVersions;
}

type ReservedConcurrency = Readonly<
  Record<"products" | "offers" | "webhook-endpoints" | "s3-destination" | "sweeper", number>
>;
/**
 * The gateway's limits, in calls per second of all callers together. API Gateway has no limit for a
 * whole stage, so each limit applies to one HTTP method of one resource. A call above its limit
 * gets 429. The gateway counts a call before a function checks the key.
 */
export interface Throttle {
  /** The limit for one HTTP method of one resource that serves item calls. */
  readonly itemCalls: number;
  /** The limit for one HTTP method of one resource that serves other calls. */
  readonly otherCalls: number;
  /**
   * The limit for each HTTP method that a resource does not serve: `HEAD`, or an unsupported
   * method.
   */
  readonly otherwise: number;
}

/**
 * The limits of every stage.
 *
 * One caller alone must not use up a limit. `itemCalls` and `otherCalls` are therefore at least
 * three times the number that the firewall accepts from one address (`requestsPerSecondOfAddress`).
 * A key can make 50 calls a second.
 *
 * A flood of calls to all paths must not use up API Gateway's quota, which other APIs of the AWS
 * account share. The limits must therefore add up to at most this quota: 10,000 calls a second with
 * a burst of 5,000.
 */
const throttle: Throttle = { itemCalls: 400, otherCalls: 150, otherwise: 8 };

/**
 * The part of a stage's configuration that the code defines. Each deployment sets the other parts
 * in its context.
 */
export type StageConfig = Omit<Config, "sources" | "storedVersions">;

/** The sources for `-c sources=sandbox`. They return invented data for every scraper. */
export const sandboxSources = {
  "retailer_a.pulse": { adapter: "sandbox" },
  "retailer_a.lite": { adapter: "sandbox" },
  "retailer_a.full": { adapter: "sandbox" },
  "retailer_a.offers": { adapter: "sandbox" },
  "retailer_a.offer_check": { adapter: "sandbox" },
  "retailer_b.standard": { adapter: "sandbox" },
  "retailer_c.standard": { adapter: "sandbox" },
  "retailer_d.standard": { adapter: "sandbox" },
} as const satisfies Record<StepScraperId, { readonly adapter: string }>;

/** The configuration of each stage, without the settings that come from the context. */
export const configs: Readonly<Record<Stage, StageConfig>> = {
  dev: {
    logRetention: RetentionDays.ONE_WEEK,
    removalPolicy: RemovalPolicy.DESTROY,
    protectedFromDeletion: false,
    memoryMegabytes: {
      api: 512,
      worker: 512,
      step: 1_024,
      finisher: 1_769,
      delivery: 512,
      backtest: 3_008,
    },
    concurrencyMax: { runs: 2, steps: 5, finishes: 2, deliveries: 12, backtests: 2 },
    // Lambda refuses reservations in an AWS account with a low quota.
    reservedConcurrency: null,
    accountConcurrency: 50,
    throttle,
    firewallByDefault: false,
    backupsByDefault: false,
    accessLogs: "off",
    deployment: "all-at-once",
    sandboxByDefault: true,
    responseMode: "stream",
  },
  prod: {
    logRetention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    protectedFromDeletion: true,
    memoryMegabytes: {
      api: 1_024,
      worker: 512,
      step: 1_024,
      finisher: 1_769,
      delivery: 512,
      backtest: 3_008,
    },
    concurrencyMax: { runs: 10, steps: 60, finishes: 10, deliveries: 100, backtests: 5 },
    // The sweeper needs a reservation of more than one: it starts every minute and may take two
    // minutes, so two passes may run at the same time.
    reservedConcurrency: {
      products: 370,
      offers: 180,
      "webhook-endpoints": 30,
      "s3-destination": 30,
      sweeper: 3,
    },
    accountConcurrency: 1_000,
    throttle,
    firewallByDefault: true,
    backupsByDefault: true,
    accessLogs: "on",
    deployment: "canary-10-percent-5-minutes",
    sandboxByDefault: false,
    responseMode: "stream",
  },
};

/** The part of an AWS account's quota that Lambda requires to stay unreserved. */
const unreservedMin = 100;
/** Lambda's minimum for the maximum concurrency of an event source mapping. */
const concurrencyMin = 2;

/**
 * Adapts the configuration of a stage to an AWS account with another quota of concurrent
 * executions. For a lower quota, reduces every maximum and reservation of concurrency in
 * proportion, but not below 2. If less than 100 executions would then stay unreserved, removes all
 * reservations. For a higher quota, keeps every maximum and reservation.
 */
export function withAccountConcurrency(config: StageConfig, quota: number): StageConfig {
  const factor = Math.min(1, quota / config.accountConcurrency);
  const part = (maximum: number): number => Math.max(concurrencyMin, Math.floor(maximum * factor));
  const { concurrencyMax: workers, reservedConcurrency: reserved } = config;
  const smaller = {
    ...config,
    accountConcurrency: quota,
    concurrencyMax: {
      runs: part(workers.runs),
      steps: part(workers.steps),
      finishes: part(workers.finishes),
      deliveries: part(workers.deliveries),
      backtests: part(workers.backtests),
    },
    reservedConcurrency: reserved && {
      products: part(reserved.products),
      offers: part(reserved.offers),
      "webhook-endpoints": part(reserved["webhook-endpoints"]),
      "s3-destination": part(reserved["s3-destination"]),
      sweeper: part(reserved.sweeper),
    },
  };
  return leftOf(smaller) < unreservedMin ? { ...smaller, reservedConcurrency: null } : smaller;
}

/**
 * Checks that workers and reservations leave enough concurrency for the other functions.
 * @throws Error if they leave less than 1, or less than 100 if the stage reserves concurrency
 */
export function assertConcurrency(config: StageConfig): void {
  const left = leftOf(config);
  const needed = config.reservedConcurrency === null ? 1 : unreservedMin;
  if (left >= needed) return;
  const workers = workersOf(config);
  throw new Error(
    `${workers} invocations of workers and ${reservedOf(config)} reserved invocations leave ${left} of ` +
      `the AWS account's quota of ${config.accountConcurrency} for other functions, which need ${needed}. ` +
      "Lower concurrencyMax or reservedConcurrency in lib/config.ts, or request a higher quota and " +
      "set it as context key 'accountConcurrency'.",
  );
}

/**
 * Returns the concurrency that workers and reservations leave for all other functions; negative if
 * they exceed the quota.
 */
const leftOf = (config: StageConfig): number =>
  config.accountConcurrency - workersOf(config) - reservedOf(config);

/**
 * Returns the maximum number of invocations of workers that run at the same time. Without
 * reservations, the number does not include back-tests: few customers start one at the same time,
 * and a new AWS account has a quota of only 10.
 */
function workersOf({ concurrencyMax, reservedConcurrency }: StageConfig): number {
  const all = sumOf(Object.values(concurrencyMax));
  return reservedConcurrency === null ? all - concurrencyMax.backtests : all;
}

const reservedOf = ({ reservedConcurrency }: StageConfig): number =>
  sumOf(Object.values(reservedConcurrency ?? {}));

const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);
