import type { RandomSource, Clock } from "../../base/clock.ts";
import type { SecretReader } from "../../base/secret-reader.ts";
import type { StepScraperId } from "../../scrapers/catalogue.ts";
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
import type { SourceReport } from "./report.ts";

export interface SourceDependencies {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly budget: RateBudget;
  /** State that the scrapers of one source share; one instance for each process. */
  readonly states: SourceStates;
  readonly secrets: SecretReader;
  /** Token balances of the price history API by key; one instance for each process. */
  readonly tokens: TokensByKey;
  /** Receives the report of each read. */
  readonly report: (report: SourceReport) => void;
  /** Receives problems that an operator must fix, without secrets and data of answers. */
  readonly warn: (problem: string) => void;
}

/** The parts of every source over HTTP. */
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
  Pick<SourceClientOptions, "isTemporary" | "isBlock" | "isUsual" | "userAgent" | "bytesMax">
>;

/** Creates the parts of a source. Scrapers of the same source share all its limits. */
export function sourceParts(
  scraper: StepScraperId,
  options: PacedOptions & SourceOverrides,
  dependencies: SourceDependencies,
): SourceParts {
  const { adapter, callsPerSecond, burst, callsAtOnceMax, tryTimeoutMs } = options;
  const { clock, random, budget, states, report, secrets } = dependencies;
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
      ...(options.isUsual && { isUsual: options.isUsual }),
    },
    { clock, random, budget, states, note: noteForRead },
  );
  return {
    client,
    reporting: { source: adapter, scraper, clock, report, warn },
    warn,
    open: (secret) => openSecret(secret, secrets, (problem) => warn(`${adapter}: ${problem}`)),
  };
}

const warningIntervalMs = 60_000;

/** Limits repeated warnings: every call of every read may meet the same problem. */
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

export function upstreamParts(
  scraper: StepScraperId,
  options: UpstreamOptions,
  dependencies: SourceDependencies,
): UpstreamDependencies & Pick<SourceParts, "reporting"> {
  const { clock, random } = dependencies;
  const { client, reporting, warn, open } = sourceParts(
    scraper,
    // A 401 or 403 of the server refuses one key. Callers with another key may still be served.
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

function problemOf(note: UpstreamNote): string {
  switch (note.kind) {
    case "refused":
      return statusProblem(note.status) ?? `refuses calls (${note.status})`;
    case "too_many":
      return "takes fewer IDs in a call than batchIdsMax (413); lower batchIdsMax";
    case "unreadable":
      return "violates the contract";
    default:
      return note satisfies never;
  }
}

/** A reply with 100 complete products almost reaches the default limit. */
const historyBytesMax = 16 * 1_024 * 1_024;

/**
 * A 429 of the price history API is not retried here: its body holds the time of the next try,
 * which the adapter uses.
 */
const isHistoryTemporary = (status: number): boolean =>
  status !== 429 && temporaryStatuses.has(status);

export function historyParts(
  scraper: StepScraperId,
  options: PriceHistoryOptions,
  dependencies: SourceDependencies,
): PriceHistoryDependencies & Pick<SourceParts, "reporting"> {
  const { client, reporting, warn, open } = sourceParts(
    scraper,
    {
      ...options,
      isTemporary: isHistoryTemporary,
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
    tokens: dependencies.tokens(secretName(options.secret.reference)),
    note: warn,
  };
}
