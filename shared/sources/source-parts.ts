import type { Chance, Clock } from "../base/clock.ts";
import type { SecretReader } from "../base/secret-reader.ts";
import { type StepScraperId, stepScrapers } from "../scrapers/catalogue.ts";
import type { AHistoryDependencies } from "./a-history-source.ts";
import type { TokensByKey } from "./a-history-tokens.ts";
import type { AHistoryOptions, UpstreamOptions } from "./adapter-options.ts";
import type { SecretUse } from "./configuration.ts";
import { isPageAnswer } from "./http/page-answer.ts";
import { type SourceClientOptions, sourceClient, temporaryStatuses } from "./http/polite-client.ts";
import type { RateBudget } from "./http/rate-budget.ts";
import type { SourceClient } from "./http/source-client.ts";
import { type OpenSecret, openSecret } from "./open-secret.ts";
import type { Reporting } from "./reported.ts";
import type { UpstreamDependencies } from "./upstream-exchange.ts";
import { callTally, type SourceReport } from "./source-report.ts";

export interface SourceDependencies {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly budget: RateBudget;
  readonly secrets: SecretReader;
  /** What is left to pay the history API with: one count in a process for each key. */
  readonly tokens: TokensByKey;
  /** What each read came to. */
  readonly report: (report: SourceReport) => void;
  /** What an operator has to mend; tells no secret, and nothing of an answer. */
  readonly warn: (problem: string) => void;
}

/** What every source over HTTP is made of. */
export interface SourceParts {
  readonly client: SourceClient;
  readonly reporting: Reporting;
  /** Tells the operator what is to be mended, naming the scraper. */
  readonly tell: (problem: string) => void;
  readonly open: (secret: SecretUse) => OpenSecret;
}

const bytesMaxDefault = 5 * 1_024 * 1_024;
const userAgentDefault = "retail-product-data-service/1.0";

/** The options of an adapter that say how its source is called. */
interface PacedOptions {
  readonly adapter: string;
  readonly callsPerSecond: number;
  readonly burst: number;
  readonly callsAtOnceMax: number;
  readonly tryTimeoutMs: number;
}

type Peculiarities = Partial<
  Pick<SourceClientOptions, "isTemporary" | "isBlock" | "userAgent" | "bytesMax">
>;

/** The rate is shared by all scrapers of a platform that read through the same adapter. */
export function partsOf(
  scraper: StepScraperId,
  options: PacedOptions & Peculiarities,
  dependencies: SourceDependencies,
): SourceParts {
  const { adapter, callsPerSecond, burst, callsAtOnceMax, tryTimeoutMs } = options;
  const { clock, chance, budget, report, secrets } = dependencies;
  const tell = operatorOf(scraper, dependencies);
  const tally = callTally();
  const client = sourceClient(
    {
      name: `${adapter}.${stepScrapers[scraper].platform}`,
      callsPerSecond,
      burst,
      callsAtOnce: callsAtOnceMax,
      tryTimeoutMs,
      bytesMax: options.bytesMax ?? bytesMaxDefault,
      userAgent: options.userAgent ?? userAgentDefault,
      isTemporary: options.isTemporary ?? ((status) => temporaryStatuses.has(status)),
      isBlock: options.isBlock ?? isPageAnswer,
    },
    { clock, chance, budget, note: tally.note },
  );
  return {
    client,
    reporting: { source: adapter, scraper, tally, clock, report },
    tell,
    open: (secret) => openSecret(secret, secrets, (problem) => tell(`${adapter}: ${problem}`)),
  };
}

const toldAgainMs = 60_000;

/** A problem that every call of a read meets, and every read, is told once a minute. */
function operatorOf(
  scraper: StepScraperId,
  { clock, warn }: SourceDependencies,
): (problem: string) => void {
  const toldAt = new Map<string, number>();
  return (problem) => {
    const now = clock.now().getTime();
    if (now - (toldAt.get(problem) ?? -Infinity) < toldAgainMs) return;
    toldAt.set(problem, now);
    warn(`${scraper}: ${problem}`);
  };
}

export function upstreamParts(
  scraper: StepScraperId,
  options: UpstreamOptions,
  dependencies: SourceDependencies,
): UpstreamDependencies & Pick<SourceParts, "reporting"> {
  const { clock, chance } = dependencies;
  const { client, reporting, tell, open } = partsOf(scraper, options, dependencies);
  return {
    client,
    reporting,
    clock,
    chance,
    ...(options.secret && { secret: open(options.secret) }),
    note: (note) => {
      const what =
        note.kind === "refused"
          ? `turns calls away (${note.status})`
          : "does not keep the contract";
      tell(`upstream: the server ${what}`);
    },
  };
}

/** A hundred products in full come near to what is enough for other sources. */
const historyBytesMax = 16 * 1_024 * 1_024;

/** The history API says in the body of a 429 when to come back, and the adapter heeds it. */
const isHistoryTemporary = (status: number): boolean =>
  status !== 429 && temporaryStatuses.has(status);

export function historyParts(
  scraper: StepScraperId,
  options: AHistoryOptions,
  dependencies: SourceDependencies,
): AHistoryDependencies & Pick<SourceParts, "reporting"> {
  const { client, reporting, tell, open } = partsOf(
    scraper,
    { ...options, isTemporary: isHistoryTemporary, bytesMax: historyBytesMax },
    dependencies,
  );
  return {
    client,
    reporting,
    clock: dependencies.clock,
    key: open(options.secret),
    tokens: dependencies.tokens(options.secret.reference),
    note: tell,
  };
}
