import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { platforms } from "../../../shared/platforms/catalog.ts";
import { stepScraperIds } from "../../../shared/scrapers/catalog.ts";
import { countRead } from "../../../shared/source-health/health-counts.ts";
import { periodOf } from "../../../shared/source-health/health-store.ts";
import { presentSources, sourcesResponse } from "../../../shared/source-health/present-sources.ts";
import { tierHealth } from "../../../shared/source-health/tier-health.ts";
import { noHealth } from "../../support/no-health.ts";

const endedAt = new Date("2026-03-10T11:59:00Z");
const now = new Date("2026-03-10T12:00:00Z");
const counts = countRead({
  answers: Array.from({ length: 30 }, (_, n) => ({
    status: n < 26 ? ("ok" as const) : ("partial" as const),
    fetchedAt: "2026-03-10T11:58:00.000Z",
  })),
  callMs: [700],
  quota: { left: 4, max: 60 },
  endedAt,
});
const health = new Map([
  ["retailer_d.standard" as const, [{ startsAt: periodOf(endedAt), counts }]],
  ["retailer_a.offers" as const, [{ startsAt: periodOf(endedAt), counts }]],
]);

describe("the list of sources", () => {
  it("contains each scraper with shares, latency, data age and the level of the quota, but no counts", () => {
    const presented = presentSources(health, now);
    expect(v.parse(v.strictObject(sourcesResponse.entries), presented)).toEqual(presented);
    expect(presented.data.map(({ id }) => id)).toEqual(stepScraperIds);
    const window = {
      success_rate: 0.86,
      partial_rate: 0.13,
      not_found_rate: 0,
      unavailable_rate: 0,
      latency_ms: { median: 1_000, p95: 1_000 },
      data_age_seconds: 60,
    };
    expect(presented.data.find(({ id }) => id === "retailer_d.standard")).toEqual({
      id: "retailer_d.standard",
      object: "source",
      platform: "retailer_d",
      endpoint: "products",
      tier: "standard",
      status: "degraded",
      last_hour: window,
      last_day: window,
      quota: "low",
      updated_at: "2026-03-10T11:59:00.000Z",
    });
  });

  it('shows the status "unknown" for a scraper without reads', () => {
    const source = presentSources(new Map(), now).data[0];
    expect(source).toMatchObject({
      status: "unknown",
      last_day: { success_rate: null, latency_ms: null, data_age_seconds: null },
      quota: null,
      updated_at: null,
    });
  });

  it("separates the reads of the last hour from older reads of the last day", () => {
    const later = new Date("2026-03-10T20:00:00Z");
    const source = presentSources(health, later).data.find(
      ({ id }) => id === "retailer_d.standard",
    );
    expect(source).toMatchObject({
      status: "unknown",
      last_hour: { success_rate: null },
      last_day: { success_rate: 0.86 },
    });
  });
});

describe("the health of a tier", () => {
  it("is the health of the scraper that reads the tier", () => {
    const healthOf = tierHealth(health, now);
    const known = {
      status: "degraded",
      success_rate: 0.86,
      partial_rate: 0.13,
      unavailable_rate: 0,
      latency_ms: 1_000,
      data_age_seconds: 60,
      updated_at: counts.lastReadAt,
    };
    expect(healthOf("retailer_d", { endpoint: "products", tier: "standard" })).toEqual(known);
    for (const tier of ["single", "multiple"]) {
      expect(healthOf("retailer_a", { endpoint: "offers", tier })).toEqual(known);
    }
    for (const platform of ["retailer_c", "retailer_e"]) {
      const tier = { endpoint: "products", tier: "standard" } as const;
      expect(healthOf(platform, tier)).toEqual(noHealth(platform, tier));
    }
  });

  it("exists for every tier of every platform", () => {
    const all = new Map(
      stepScraperIds.map((id) => [id, [{ startsAt: periodOf(endedAt), counts }]] as const),
    );
    const healthOf = tierHealth(all, now);
    for (const [platform, { endpoints }] of Object.entries(platforms)) {
      for (const { id: endpoint, tiers } of endpoints) {
        for (const { id: tier } of tiers) {
          expect(healthOf(platform, { endpoint, tier }).status).toBe("degraded");
        }
      }
    }
  });
});
