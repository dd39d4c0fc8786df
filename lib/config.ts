import { RemovalPolicy } from "aws-cdk-lib";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { StepScraperId } from "../shared/scrapers/catalogue.ts";
import type { Sources } from "./source-config.ts";

export const stages = ["dev", "prod"] as const;
export type Stage = (typeof stages)[number];

export const responseModes = ["stream", "buffered"] as const;
/** How the gateway passes on the answers of streaming groups. */
export type ResponseMode = (typeof responseModes)[number];

export const accessLogModes = ["off", "on", "setup"] as const;
/**
 * Whether the gateway writes a line for each request. It writes by a role that belongs to the whole
 * account and region. `on` takes that role for given: where there is none, the deployment fails, and
 * is rolled back, with "CloudWatch Logs role ARN must be set in account settings to enable logging".
 * `setup` makes one and names it to the gateway in the place of any other, for all its APIs there,
 * and leaves it behind when the stack goes: for an account of the service's own.
 */
export type AccessLogMode = (typeof accessLogModes)[number];

/** What differs between stages; everything else is the same everywhere. */
export interface Config {
  readonly logRetention: RetentionDays;
  /**
   * What becomes of tables, keys, buckets and logs when they leave the stack. Where they are kept, a
   * first deployment that failed still takes back what it made, which holds nothing yet.
   */
  readonly removalPolicy: RemovalPolicy;
  /** True refuses the deletion of tables and of the data stack. */
  readonly protectedFromDeletion: boolean;
  /** A finisher holds what all steps of a run found, a step what those before it send on. */
  readonly memoryMegabytes: {
    readonly api: number;
    readonly worker: number;
    readonly step: number;
    readonly finisher: number;
  };
  /**
   * The most invocations of a worker at once; 2 to 1,000. However many runs are due, they leave the
   * rest of the account's quota to the API.
   */
  readonly concurrencyMax: {
    readonly runs: number;
    readonly steps: number;
    readonly finishes: number;
    readonly deliveries: number;
  };
  /**
   * Invocations that only these functions may take, and the most that they may: slow item calls
   * leave the rest of the quota to everything else, and calls of any kind leave the sweeper its own.
   * With these, each worker has its `concurrencyMax` reserved too. Null reserves nothing: Lambda
   * refuses a reservation that leaves less than 100 of the account's quota.
   */
  readonly reservedConcurrency: ReservedConcurrency | null;
  /** The account's quota of invocations at once, in the region. New accounts start at 10 to 50. */
  readonly accountConcurrency: number;
  /** What the gateway lets through to all callers together before it answers 429. */
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number };
  readonly accessLogs: AccessLogMode;
  readonly sources: Sources;
  /** False where customers pay: invented data is then served only if the deployment says so. */
  readonly sandboxByDefault: boolean;
  readonly responseMode: ResponseMode;
}

type ReservedConcurrency = Readonly<Record<"products" | "offers" | "sweeper", number>>;
/** A stage's own part; where its items come from is the deployment's. */
export type StageConfig = Omit<Config, "sources">;

/** What reads for each scraper in `-c sources=sandbox`: invented data. */
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

export const configs: Readonly<Record<Stage, StageConfig>> = {
  dev: {
    logRetention: RetentionDays.ONE_WEEK,
    removalPolicy: RemovalPolicy.DESTROY,
    protectedFromDeletion: false,
    memoryMegabytes: { api: 512, worker: 512, step: 1_024, finisher: 3_008 },
    concurrencyMax: { runs: 2, steps: 5, finishes: 2, deliveries: 12 },
    // Lambda would refuse any in a new account.
    reservedConcurrency: null,
    accountConcurrency: 50,
    throttle: { requestsPerSecond: 200, burst: 200 },
    accessLogs: "off",
    sandboxByDefault: true,
    responseMode: "stream",
  },
  prod: {
    logRetention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    protectedFromDeletion: true,
    memoryMegabytes: { api: 1_024, worker: 512, step: 1_024, finisher: 3_008 },
    concurrencyMax: { runs: 10, steps: 50, finishes: 10, deliveries: 100 },
    // Two sweeps may overlap, as one may take two minutes.
    reservedConcurrency: { products: 400, offers: 200, sweeper: 3 },
    accountConcurrency: 1_000,
    throttle: { requestsPerSecond: 2_000, burst: 2_000 },
    accessLogs: "on",
    sandboxByDefault: false,
    responseMode: "stream",
  },
};

/** Lambda keeps so much of an account's quota from being reserved. */
const unreservedMin = 100;
/** The fewest invocations at once that an event source mapping can be bounded to. */
const shareMin = 2;

/**
 * The configuration for an account with another quota. In a smaller one every share shrinks in
 * proportion, to 2 at least, and nothing is reserved where that would leave Lambda too little.
 */
export function withAccountConcurrency(config: StageConfig, quota: number): StageConfig {
  const factor = Math.min(1, quota / config.accountConcurrency);
  const part = (share: number): number => Math.max(shareMin, Math.floor(share * factor));
  const { concurrencyMax: workers, reservedConcurrency: reserved } = config;
  const smaller = {
    ...config,
    accountConcurrency: quota,
    concurrencyMax: {
      runs: part(workers.runs),
      steps: part(workers.steps),
      finishes: part(workers.finishes),
      deliveries: part(workers.deliveries),
    },
    reservedConcurrency: reserved && {
      products: part(reserved.products),
      offers: part(reserved.offers),
      sweeper: part(reserved.sweeper),
    },
  };
  return leftOf(smaller) < unreservedMin ? { ...smaller, reservedConcurrency: null } : smaller;
}

/**
 * @throws Error when functions of this configuration could take what another needs, or when Lambda
 *   would refuse it
 */
export function assertConcurrency(config: StageConfig): void {
  const left = leftOf(config);
  const needed = config.reservedConcurrency === null ? 1 : unreservedMin;
  if (left >= needed) return;
  const workers = sumOf(Object.values(config.concurrencyMax));
  throw new Error(
    `${workers} invocations of workers and ${reservedOf(config)} reserved ones leave ${left} of ` +
      `the account's ${config.accountConcurrency} to the rest of the API, which needs ${needed}: ` +
      "lower concurrencyMax or reservedConcurrency in lib/config.ts, or have the quota raised and " +
      "say so by the context accountConcurrency.",
  );
}

/** What workers and those with shares of their own leave to everything else. */
const leftOf = (config: StageConfig): number =>
  config.accountConcurrency - sumOf(Object.values(config.concurrencyMax)) - reservedOf(config);

const reservedOf = ({ reservedConcurrency }: StageConfig): number =>
  sumOf(Object.values(reservedConcurrency ?? {}));

const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);
