import type { RandomSource, Clock } from "../../base/clock.ts";
import type { SecretReader } from "../../base/secret-reader.ts";
import type { StepScraperId } from "../../scrapers/catalog.ts";
import { isTokenRefusal } from "../price-history/account.ts";
import type { PriceHistoryDependencies } from "../price-history/source.ts";
import type { TokensByKey } from "../price-history/tokens.ts";
import type { PriceHistoryOptions, UpstreamOptions } from "./adapter-options.ts";
import type { SecretUse } from "../contract/secret-reference.ts";
import { isBlockedByProxy, isCallerRefused } from "../http/page-answer.ts";
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
import { secretName, sourceName } from "./name.ts";
import { statusProblem } from "../contract/status-problem.ts";
import type { UpstreamDependencies, UpstreamNote } from "../upstream/exchange.ts";
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

/** Creates the dependencies of the adapter `upstream` for one scraper. */
export function upstreamParts(
  scraper: StepScraperId,
  options: UpstreamOptions,
  dependencies: SourceDependencies,
): UpstreamDependencies & Pick<SourceParts, "reporting"> {
  const { clock, random } = dependencies;
  const { client, reporting, warn, open } = sourceParts(
    scraper,
    // With 401 or 403, the server rejects one key. It may still accept calls with another key, so
    // these statuses do not open the circuit.
    { ...options, isBlock: isBlockedByProxy },
    dependencies,
  );
  return {
    client,
    reporting,
    clock,
    random,
    ...(options.secret && { secret: open(options.secret) }),
    note: (note) => warn(`upstream: the server ${problemOf(note)}`),
  };
}

/** Returns the end of a warning that begins with "upstream: the server". */
function problemOf(note: UpstreamNote): string {
  switch (note.kind) {
    case "refused":
      return statusProblem(note.status) ?? `refuses calls (${note.status})`;
    case "too_many":
      return "accepts fewer IDs in a call than batchIdsMax (413); lower batchIdsMax";
    case "unreadable":
      return "sends replies that violate the contract; run npm run check:upstream to find the violations";
    default:
      return note satisfies never;
  }
}

/**
 * Maximum size of a reply of the price history API, in bytes. It exceeds the default of 5 MiB,
 * because a reply with 100 complete products is almost that large.
 */
const historyBytesMax = 16 * 1_024 * 1_024;

/**
 * Returns true for a temporary status other than 429. From the price history API, a 429 means too
 * few tokens, for which the adapter waits instead of the client.
 */
const isTemporaryExcept429 = (status: number): boolean =>
  status !== 429 && temporaryStatuses.has(status);

/** Creates the dependencies of the adapter `a_history` for one scraper. */
export function historyParts(
  scraper: StepScraperId,
  options: PriceHistoryOptions,
  dependencies: SourceDependencies,
): PriceHistoryDependencies & Pick<SourceParts, "reporting"> {
  const tokens = dependencies.tokens(secretName(options.secret.reference));
  const { client, reporting, warn, open } = sourceParts(
    scraper,
    {
      ...options,
      quota: () => tokens.quota(),
      isTemporary: isTemporaryExcept429,
      isUsual: isTokenRefusal,
      bytesMax: historyBytesMax,
    },
    dependencies,
  );
  return {
    client,
    reporting,
    clock: dependencies.clock,
    key: open(options.secret),
    tokens,
    note: warn,
  };
}
