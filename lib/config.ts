import { RemovalPolicy } from "aws-cdk-lib";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { GroupName } from "../functions/routes.ts";
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
 * account and region: `on` takes that role for given, `setup` makes one and names it to the gateway,
 * for all its APIs there, and leaves it behind when the stack goes.
 */
export type AccessLogMode = (typeof accessLogModes)[number];

/** What differs between stages; everything else is the same everywhere. */
export interface Config {
  readonly logRetention: RetentionDays;
  /** What becomes of tables, keys, buckets and logs when they leave the stack. */
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
   * leave the rest of the quota to everything else. Lambda refuses a reservation that leaves less
   * than 100 of the account's quota.
   */
  readonly reservedConcurrency: Readonly<Partial<Record<GroupName, number>>>;
  /** The account's quota of invocations at once, in the region. New accounts start at 10 to 50. */
  readonly accountConcurrency: number;
  /** What the gateway lets through to all callers together before it answers 429. */
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number };
  readonly accessLogs: AccessLogMode;
  readonly sources: Sources;
  readonly responseMode: ResponseMode;
}

/** What reads for each scraper as long as nobody says otherwise. */
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

export const configs: Readonly<Record<Stage, Omit<Config, "sources">>> = {
  dev: {
    logRetention: RetentionDays.ONE_WEEK,
    removalPolicy: RemovalPolicy.DESTROY,
    protectedFromDeletion: false,
    memoryMegabytes: { api: 512, worker: 512, step: 1_024, finisher: 3_008 },
    concurrencyMax: { runs: 2, steps: 5, finishes: 2, deliveries: 12 },
    // Lambda would refuse any in a new account.
    reservedConcurrency: {},
    accountConcurrency: 50,
    throttle: { requestsPerSecond: 200, burst: 200 },
    accessLogs: "off",
    responseMode: "stream",
  },
  prod: {
    logRetention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.RETAIN,
    protectedFromDeletion: true,
    memoryMegabytes: { api: 1_024, worker: 512, step: 1_024, finisher: 3_008 },
    concurrencyMax: { runs: 10, steps: 50, finishes: 10, deliveries: 100 },
    reservedConcurrency: { products: 400, offers: 200 },
    accountConcurrency: 1_000,
    throttle: { requestsPerSecond: 2_000, burst: 2_000 },
    accessLogs: "setup",
    responseMode: "stream",
  },
};

/** Lambda keeps so much of an account's quota from being reserved. */
const unreservedMin = 100;

/**
 * @throws Error when functions of this configuration could take what another needs, or when Lambda
 *   would refuse it
 */
export function assertConcurrency(config: Omit<Config, "sources">): void {
  const workers = sumOf(Object.values(config.concurrencyMax));
  const reserved = sumOf(Object.values(config.reservedConcurrency));
  const forOthers = config.accountConcurrency - reserved - workers;
  const needed = reserved > 0 ? unreservedMin : 1;
  if (forOthers >= needed) return;
  throw new Error(
    `${reserved} reserved invocations and ${workers} of workers leave ${forOthers} of the account's ` +
      `${config.accountConcurrency} to the rest of the API, which needs ${needed}: lower ` +
      "reservedConcurrency or concurrencyMax in lib/config.ts, or raise the quota and " +
      "accountConcurrency.",
  );
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);
