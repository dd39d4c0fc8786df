import type { Clock } from "../base/clock.ts";
import type { Warn } from "../base/best-effort.ts";
import { withSeparateLoss } from "../base/retry-budget.ts";
import { type StepScraperId, stepScraperIds } from "../scrapers/catalog.ts";
import type { HealthPeriod, HealthStore } from "./health-store.ts";

/** The stored periods of each scraper. Empty for a scraper without reads. */
export type HealthByScraper = ReadonlyMap<StepScraperId, readonly HealthPeriod[]>;

/**
 * Milliseconds that a read of health may lose to retries and to requests without a response. A
 * response without health is better than a late one.
 */
const readLossMs = 1_000;

interface Options {
  readonly store: Pick<HealthStore, "since">;
  /** Length of the time span before now whose periods are read, in milliseconds. */
  readonly spanMs: number;
  /** Milliseconds for which a result is reused before the store is queried again. */
  readonly freshMs: number;
  readonly clock: Clock;
  readonly warn: Warn;
}

/**
 * Creates a cached reader of the health of all scrapers in the last `spanMs` milliseconds. The
 * reader queries the store at most once in `freshMs` milliseconds, however often it is called. If
 * the store fails, the reader logs a warning and returns an empty map, because missing health must
 * never make a call fail. The next call then queries the store again.
 */
export function healthReader({ store, spanMs, freshMs, clock, warn }: Options) {
  let latest: { readonly at: number; readonly health: Promise<HealthByScraper> } | undefined;
  const read = async (now: number): Promise<HealthByScraper> => {
    const since = new Date(now - spanMs);
    const all = stepScraperIds.map(
      async (scraper) => [scraper, await store.since(scraper, since)] as const,
    );
    return new Map(await Promise.all(all));
  };
  return (): Promise<HealthByScraper> => {
    const now = clock.now().getTime();
    if (latest !== undefined && now - latest.at < freshMs) return latest.health;
    const health = withSeparateLoss(readLossMs, () => read(now)).catch((error: unknown) => {
      latest = undefined;
      warn(
        "source health could not be read; the status of every source is unknown until a call reads it",
        error,
      );
      return new Map();
    });
    latest = { at: now, health };
    return health;
  };
}
