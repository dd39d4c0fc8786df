import { RemovalPolicy } from "aws-cdk-lib";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { StepScraperId } from "../shared/scrapers/catalogue.ts";
import type { Sources } from "./source-config.ts";

export const stages = ["dev", "prod"] as const;
export type Stage = (typeof stages)[number];

export const responseModes = ["stream", "buffered"] as const;
/** How the gateway passes on the answers of streaming groups. */
export type ResponseMode = (typeof responseModes)[number];

/** What differs between stages; everything else is the same everywhere. */
export interface Config {
  readonly logRetention: RetentionDays;
  /** What becomes of tables, keys and buckets when they leave the stack. */
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
  /** The most invocations of a worker at once; 2 to 1,000. */
  readonly concurrencyMax: {
    readonly runs: number;
    readonly steps: number;
    readonly finishes: number;
    readonly deliveries: number;
  };
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
    responseMode: "stream",
  },
  prod: {
    logRetention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.RETAIN,
    protectedFromDeletion: true,
    memoryMegabytes: { api: 1_024, worker: 512, step: 1_024, finisher: 3_008 },
    concurrencyMax: { runs: 10, steps: 50, finishes: 10, deliveries: 100 },
    responseMode: "stream",
  },
};
