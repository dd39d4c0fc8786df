import type { HealthOfTier, TierHealth } from "../platforms/present-platform.ts";
import { type StepScraperId, stepScraperIds, stepScrapers } from "../scrapers/catalog.ts";
import { presentSources, type SourceRecord } from "./present-sources.ts";
import type { HealthByScraper } from "./read-health.ts";

/**
 * Creates a function that returns the health of a tier as `GET /v1/platforms` shows it: a less
 * detailed form of the health of the tier's scraper.
 * @param now time at which the health is read
 */
export function tierHealth(health: HealthByScraper, now: Date): HealthOfTier {
  const sources = new Map(presentSources(health, now).data.map((source) => [source.id, source]));
  return (platform, { endpoint, tier }): TierHealth => {
    const id = stepScraperIds.find((scraper) => reads(scraper, { platform, endpoint, tier }));
    return tierOf(id === undefined ? undefined : sources.get(id));
  };
}

const unknown: TierHealth = {
  status: "unknown",
  success_rate: null,
  partial_rate: null,
  unavailable_rate: null,
  latency_ms: null,
  data_age_seconds: null,
  updated_at: null,
};

/** Returns the health of a tier, from its scraper; `unknown` if the tier has no scraper. */
function tierOf(source: SourceRecord | undefined): TierHealth {
  if (source === undefined) return unknown;
  const { status, last_hour: lastHour, updated_at: updatedAt } = source;
  return {
    status,
    success_rate: lastHour.success_rate,
    partial_rate: lastHour.partial_rate,
    unavailable_rate: lastHour.unavailable_rate,
    latency_ms: lastHour.latency_ms?.median ?? null,
    data_age_seconds: lastHour.data_age_seconds,
    updated_at: updatedAt,
  };
}

/** Returns true for the scraper that reads a tier. One scraper reads all tiers of offers. */
function reads(
  scraper: StepScraperId,
  { platform, endpoint, tier }: Readonly<Record<"platform" | "endpoint" | "tier", string>>,
): boolean {
  const entry = stepScrapers[scraper];
  if (entry.platform !== platform || entry.endpoint !== endpoint) return false;
  return endpoint !== "products" || entry.tier === tier;
}
