import type { Clock } from "../base/clock.ts";
import type { Warn } from "../base/best-effort.ts";
import { withSeparateLoss } from "../base/retry-budget.ts";
import type { StepScraperId } from "../scrapers/catalog.ts";
import { addCounts, type HealthCounts } from "./health-counts.ts";
import type { HealthStore } from "./health-store.ts";

/** Minimum time between two writes of a process for a scraper, in milliseconds. */
export const writeIntervalMs = 60_000;
/** Milliseconds that a write may lose to retries. The answers of the read wait for the write. */
const writeLossMs = 300;

/** Records the counts of a finished read. Never rejects. */
export type RecordHealth = (scraper: StepScraperId, counts: HealthCounts) => Promise<void>;

interface Dependencies {
  readonly store: Pick<HealthStore, "add">;
  readonly clock: Clock;
  readonly warn: Warn;
}

/**
 * Creates the recorder of source health for one process. The recorder writes the counts of a
 * scraper's first read immediately. After that, it adds up the counts of further reads, and writes
 * the sum with the first read that ends at least a minute after the last write. The number of
 * writes therefore does not grow with the number of items, batches or calls. Counts are lost if
 * their write fails, or if the process ends before it writes them.
 */
export function healthRecorder({ store, clock, warn }: Dependencies): RecordHealth {
  const pending = new Map<StepScraperId, HealthCounts>();
  const writtenAt = new Map<StepScraperId, number>();
  return async (scraper, counts) => {
    const before = pending.get(scraper);
    const all = before === undefined ? counts : addCounts(before, counts);
    const now = clock.now().getTime();
    if (now - (writtenAt.get(scraper) ?? -Infinity) < writeIntervalMs) {
      pending.set(scraper, all);
      return;
    }
    // The time is set before the write, so that reads that end during the write do not start
    // another write.
    writtenAt.set(scraper, now);
    pending.delete(scraper);
    try {
      await withSeparateLoss(writeLossMs, () => store.add(scraper, all));
    } catch (error) {
      warn("source health not recorded; these reads are missing from the source's health", error);
    }
  };
}
