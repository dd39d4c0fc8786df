import type { RandomSource, Clock } from "../../base/clock.ts";
import type { SecretReader } from "../../base/secret-reader.ts";
import type { StepScraperId } from "../../scrapers/catalog.ts";
import type { TokensByKey } from "../price-history/tokens.ts";
import type { SecretUse } from "../contract/secret-reference.ts";
import { isCallerRefused } from "../http/page-answer.ts";
import {
  type SourceClientOptions,
  sourceClient,
  temporaryStatuses,
} from "../http/polite-client.ts";
import type { RateBudget } from "../http/rate-budget.ts";
import type { SourceClient } from "../http/source-client.ts";
import type { SourceStates } from "../http/source-state.ts";
import { type OpenSecret, openSecret } from "../contract/open-secret.ts";
import { noteForRead, type Reporting, type WarnOperator } from "./reported.ts";
import { sourceName } from "./name.ts";
import type { RecordHealth } from "../../source-health/record-health.ts";
import type { SourceReport } from "./report.ts";

/** The dependencies of all sources of a process. */
export interface SourceDependencies {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly budget: RateBudget;
  /** The states that the scrapers of one source share. Use one instance in each process. */
  readonly states: SourceStates;
  readonly secrets: SecretReader;
  /** The token balances of the price history API by key. Use one instance in each process. */
  readonly tokens: TokensByKey;
  /**
   * Address of the service's own agent profile, with `{version}`. The adapter `storefront` sends
   * this address if its options contain no other profile.
   */
  readonly agentProfileUrl: string;
  /** Receives the report of each read. */
  readonly report: (report: SourceReport) => void;
  /** Records the health of the sources. Use one instance in each process. */
  readonly recordHealth: RecordHealth;
  /**
   * Receives problems that an operator must fix. They contain no secrets and no data from
   * responses.
   */
  readonly warn: (problem: string) => void;
}

/** The parts that every adapter for an HTTP source needs. */
export interface SourceParts {
  readonly client: SourceClient;
  readonly reporting: Reporting;
  readonly warn: WarnOperator;
  readonly open: (secret: SecretUse) => OpenSecret;
}

const bytesMaxDefault = 5 * 1_024 * 1_024;
const userAgentDefault = "retail-product-data-service/1.0";

/** The options that identify a source and limit its calls. */
type PacedOptions = Parameters<typeof sourceName>[0] & {
  readonly callsPerSecond: number;
  readonly burst: number;
  readonly callsAtOnceMax: number;
  readonly tryTimeoutMs: number;
};

type SourceOverrides = Partial<
  Pick<
    SourceClientOptions,
    "isTemporary" | "asksToWait" | "isBlock" | "isUsual" | "userAgent" | "bytesMax"
  >
> &
  Pick<NonNullable<Reporting["remote"]>, "quota">;

/**
 * Creates the parts that an adapter needs for a scraper: the client of the source, the recording of
 * reads, the warnings to operators, and access to secrets. Scrapers of the same source share all
 * limits of the source.
 */
export function sourceParts(
  scraper: StepScraperId,
  options: PacedOptions & SourceOverrides,
  dependencies: SourceDependencies,
): SourceParts {
  const { adapter, callsPerSecond, burst, callsAtOnceMax, tryTimeoutMs } = options;
  const { clock, random, budget, states, report, secrets, recordHealth } = dependencies;
  const warn = limitedWarnings(scraper, dependencies);
  const client = sourceClient(
    {
      name: sourceName(options),
      callsPerSecond,
      burst,
      callsAtOnce: callsAtOnceMax,
      isSpread: adapter !== "web",
      tryTimeoutMs,
      bytesMax: options.bytesMax ?? bytesMaxDefault,
      userAgent: options.userAgent ?? userAgentDefault,
      isTemporary: options.isTemporary ?? ((status) => temporaryStatuses.has(status)),
      isBlock: options.isBlock ?? isCallerRefused,
      ...(options.asksToWait && { asksToWait: options.asksToWait }),
      ...(options.isUsual && { isUsual: options.isUsual }),
    },
    { clock, random, budget, states, note: noteForRead },
  );
  return {
    client,
    reporting: {
      scraper,
      clock,
      recordHealth,
      remote: { source: adapter, quota: options.quota, report, warn },
    },
    warn,
    open: (secret) => openSecret(secret, secrets, (problem) => warn(`${adapter}: ${problem}`)),
  };
}

const warningIntervalMs = 60_000;

/**
 * Creates a function that warns of the same problem at most once a minute, because one problem can
 * affect every call of every read.
 */
function limitedWarnings(
  scraper: StepScraperId,
  { clock, warn }: SourceDependencies,
): WarnOperator {
  const warnedAt = new Map<string, number>();
  return (problem, detail) => {
    const now = clock.now().getTime();
    if (now - (warnedAt.get(problem) ?? -Infinity) < warningIntervalMs) return;
    warnedAt.set(problem, now);
    warn(`${scraper}: ${problem}${detail === undefined ? "" : ` (${detail})`}`);
  };
}
