import type { Chance, Clock } from "../base/clock.ts";
import type { SecretReader } from "../base/secret-reader.ts";
import { type StepScraperId, stepScrapers } from "../scrapers/catalogue.ts";
import type { AHistoryDependencies } from "./a-history-source.ts";
import type { AHistoryOptions, UpstreamOptions } from "./adapter-options.ts";
import type { SecretUse } from "./configuration.ts";
import { type SourceClientOptions, sourceClient, temporaryStatuses } from "./http/polite-client.ts";
import type { RateBudget } from "./http/rate-budget.ts";
import type { SourceClient } from "./http/source-client.ts";
import type { Reporting } from "./reported.ts";
import type { UpstreamDependencies } from "./upstream-exchange.ts";
import { callTally, type SourceReport } from "./source-report.ts";

export interface SourceDependencies {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly budget: RateBudget;
  readonly secrets: SecretReader;
  /** What each read came to. */
  readonly report: (report: SourceReport) => void;
  /** What an operator has to mend; tells no secret, and nothing of an answer. */
  readonly warn: (problem: string) => void;
}

/** What every source over HTTP is made of. */
export interface SourceParts {
  readonly client: SourceClient;
  readonly reporting: Reporting;
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
  const { clock, chance, budget, report } = dependencies;
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
      ...(options.isBlock !== undefined && { isBlock: options.isBlock }),
    },
    { clock, chance, budget, note: tally.note },
  );
  return { client, reporting: { source: adapter, scraper, tally, clock, report } };
}

export function upstreamParts(
  scraper: StepScraperId,
  options: UpstreamOptions,
  dependencies: SourceDependencies,
): UpstreamDependencies & Pick<SourceParts, "reporting"> {
  const { clock, chance, warn } = dependencies;
  return {
    ...partsOf(scraper, options, dependencies),
    clock,
    chance,
    ...(options.secret && { secret: secretOf(options.secret, dependencies) }),
    note: (note) => {
      const what =
        note.kind === "refused"
          ? `turns calls away (${note.status})`
          : "does not keep the contract";
      warn(`upstream: the server for ${note.scraper} ${what}`);
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
  const { clock, warn } = dependencies;
  return {
    ...partsOf(
      scraper,
      { ...options, isTemporary: isHistoryTemporary, bytesMax: historyBytesMax },
      dependencies,
    ),
    clock,
    key: secretOf(options.secret, dependencies),
    note: warn,
  };
}

/** Opens a secret when it is needed. */
export const secretOf =
  ({ reference }: SecretUse, { secrets }: SourceDependencies): (() => Promise<string>) =>
  () =>
    secrets.read(reference);
