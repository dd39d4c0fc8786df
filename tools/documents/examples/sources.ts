import { countRead } from "../../../shared/source-health/health-counts.ts";
import { periodOf } from "../../../shared/source-health/health-store.ts";
import { presentSources } from "../../../shared/source-health/present-sources.ts";
import type { HealthByScraper } from "../../../shared/source-health/read-health.ts";
import { tierHealth } from "../../../shared/source-health/tier-health.ts";

const now = new Date("2026-11-21T01:10:00.000Z");
const endedAt = new Date("2026-11-21T01:09:35.668Z");

const answers = (status: "ok" | "partial" | "not_found" | "unavailable", count: number) =>
  Array.from({ length: count }, () => ({ status, fetchedAt: "2026-11-21T00:47:05.000Z" }));

const counts = countRead({
  answers: [
    ...answers("ok", 962),
    ...answers("partial", 9),
    ...answers("not_found", 14),
    ...answers("unavailable", 15),
  ],
  callMs: [1_840, 2_310, 2_050, 4_400],
  quota: { left: 7_800, max: 72_000 },
  endedAt,
});

/** The health of a scraper as an example. The other scrapers have no reads. */
const health: HealthByScraper = new Map([
  ["retailer_a.lite", [{ startsAt: periodOf(endedAt), counts }]],
]);

/** The health of the tiers of platforms. */
export const healthOfTier = tierHealth(health, now);

/** An example of a source that has been read. */
export const source = presentSources(health, now).data.find(({ id }) => id === "retailer_a.lite");
