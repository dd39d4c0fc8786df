import type { StepScraperId } from "../scrapers/catalogue.ts";
import type { StepRecord, StepStats } from "./run.ts";

/** Stats of a step that read nothing. */
export const emptyStepStats = (scraper: StepScraperId): StepStats => ({
  scraper,
  requested: 0,
  ok: 0,
  partial: 0,
  notFound: 0,
  unavailable: 0,
  credits: 0,
  skipped: 0,
});

/**
 * Returns true for a settled step that a credit limit deferred before the run had read anything.
 * None of its batches was sent, so its items have neither an outcome nor an owed retry.
 */
export const isDeferredUnread = ({ decision, stats, done, batches }: StepRecord): boolean =>
  decision === "defer" && stats !== null && batches > 0 && done.size === 0;
