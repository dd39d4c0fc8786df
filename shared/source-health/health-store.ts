import type { StepScraperId } from "../scrapers/catalog.ts";
import type { HealthCounts } from "./health-counts.ts";

/** Length of the periods by which the store adds up counts, in milliseconds. */
export const periodMs = 15 * 60_000;

/** Counts of one period of a scraper. */
export interface HealthPeriod {
  /** Start of the period, ISO 8601. */
  readonly startsAt: string;
  readonly counts: HealthCounts;
}

/** Stores the counts of all processes by scraper and period. */
export interface HealthStore {
  /**
   * Adds counts to the period of `counts.lastReadAt`. Not idempotent: after an error without a
   * response, the counts may or may not have been added.
   */
  add(scraper: StepScraperId, counts: HealthCounts): Promise<void>;
  /** Returns the periods of a scraper that end after `since`, oldest first. */
  since(scraper: StepScraperId, since: Date): Promise<readonly HealthPeriod[]>;
}

/** Returns the start (ISO 8601) of the period of health counts that contains a time. */
export const periodOf = (at: Date): string =>
  new Date(Math.floor(at.getTime() / periodMs) * periodMs).toISOString();
