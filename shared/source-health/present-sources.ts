import * as v from "valibot";
import { healthItemsMin, healthStatuses, healthStatusText } from "../platforms/health-status.ts";
import { type StepScraperId, stepScraperIds, stepScrapers } from "../scrapers/catalog.ts";
import {
  countsWithin,
  healthStatus,
  quotaLevel,
  quotaLevels,
  successShare,
  windowHealth,
  windowMs,
} from "./health-window.ts";
import { latencyBoundsMs } from "./health-counts.ts";
import type { HealthPeriod } from "./health-store.ts";
import type { HealthByScraper } from "./read-health.ts";

const share = (description: string) =>
  v.pipe(v.nullable(v.number()), v.description(`${description} From 0 to 1.`));

const milliseconds = v.pipe(v.number(), v.integer());

const windowSchema = v.pipe(
  v.object({
    success_rate: share("Share of items that were answered completely or that do not exist."),
    partial_rate: share("Share of items with a missing field."),
    not_found_rate: share("Share of items that do not exist."),
    unavailable_rate: share("Share of items without an answer."),
    latency_ms: v.pipe(
      v.nullable(
        v.object({
          median: v.pipe(milliseconds, v.description("Half of the calls took at most this long.")),
          p95: v.pipe(milliseconds, v.description("95% of the calls took at most this long.")),
        }),
      ),
      v.description(
        "Duration of the calls to the source in milliseconds, waits and retries included. A value is the upper bound " +
          `of its range: ${latencyBoundsMs.slice(0, -1).join(", ")} or ${latencyBoundsMs.at(-1)}.`,
      ),
    ),
    data_age_seconds: v.pipe(
      v.nullable(v.pipe(v.number(), v.integer())),
      v.description(
        "Mean age, in seconds, that the data of complete answers had when the service returned the answers.",
      ),
    ),
  }),
  v.description(`Rates are null if fewer than ${healthItemsMin} items were read.`),
);

/** The health of the source of a scraper in API responses. */
export const sourceSchema = v.pipe(
  v.object({
    id: v.pipe(v.string(), v.description("ID of the scraper."), v.examples(["retailer_a.lite"])),
    object: v.literal("source"),
    platform: v.pipe(v.string(), v.description("The platform that the scraper reads.")),
    endpoint: v.pipe(v.string(), v.description("The endpoint that the scraper serves.")),
    tier: v.pipe(v.string(), v.description("How much of each item the scraper reads.")),
    status: v.pipe(
      v.picklist(healthStatuses),
      v.description(
        `By \`success_rate\` of the last hour: ${healthStatusText} ` +
          `\`unknown\` if fewer than ${healthItemsMin} items were read.`,
      ),
    ),
    last_hour: v.pipe(windowSchema, v.description("The reads of the last hour.")),
    last_day: v.pipe(windowSchema, v.description("The reads of the last 24 hours.")),
    quota: v.pipe(
      v.nullable(v.picklist(quotaLevels)),
      v.description(
        "What is left of the quota that the source reports; `low` is at most a tenth. Null if " +
          "the source reports no quota.",
      ),
    ),
    updated_at: v.pipe(
      v.nullable(v.string()),
      v.description("Time of the last recorded read, ISO 8601. Null if there was none for a day."),
    ),
  }),
  v.title("Source"),
  v.description("How the source of a scraper answered recent reads."),
);

/** Response 200 of `GET /v1/watchlists/sources`. */
export const sourcesResponse = v.object({
  object: v.literal("list"),
  data: v.pipe(v.array(sourceSchema), v.description("A source for each scraper.")),
});

export type SourceRecord = v.InferOutput<typeof sourceSchema>;

/**
 * Converts the health of all scrapers to its form in API responses, in the order of the catalog.
 */
export const presentSources = (
  health: HealthByScraper,
  now: Date,
): v.InferOutput<typeof sourcesResponse> => ({
  object: "list",
  data: stepScraperIds.map((id) => presentSource(id, health.get(id) ?? [], now)),
});

/** Converts the health of one scraper to its form in API responses. */
function presentSource(
  id: StepScraperId,
  periods: readonly HealthPeriod[],
  now: Date,
): SourceRecord {
  const { platform, endpoint, tier } = stepScrapers[id];
  const lastDay = countsWithin(periods, now, windowMs.lastDay);
  const lastHour = countsWithin(periods, now, windowMs.lastHour);
  return {
    id,
    object: "source",
    platform,
    endpoint,
    tier,
    status: healthStatus(windowHealth(lastHour)),
    last_hour: presentWindow(lastHour),
    last_day: presentWindow(lastDay),
    quota: quotaLevel(lastHour?.quota),
    updated_at: lastDay?.lastReadAt ?? null,
  };
}

/** Converts the counts of a time span to its form in API responses. Null means no reads. */
function presentWindow(
  counts: Parameters<typeof windowHealth>[0],
): v.InferOutput<typeof windowSchema> {
  const health = windowHealth(counts);
  const { shares, latencyMs, ageMs } = health;
  return {
    success_rate: roundDown(successShare(health)),
    partial_rate: roundDown(shares?.partial ?? null),
    not_found_rate: roundDown(shares?.notFound ?? null),
    unavailable_rate: roundDown(shares?.unavailable ?? null),
    latency_ms: latencyMs,
    data_age_seconds: ageMs === null ? null : Math.round(ageMs / 1_000),
  };
}

/** Rounds a share down to hundredths, so that only a share of 1 is returned as 1. */
const roundDown = (value: number | null): number | null =>
  value === null ? null : Math.floor(value * 100 + 1e-9) / 100;
