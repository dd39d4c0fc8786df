import { describe, expect, it } from "vitest";
import {
  addCounts,
  countRead,
  type HealthCounts,
} from "../../../shared/source-health/health-counts.ts";
import {
  countsWithin,
  healthStatus,
  quotaLevel,
  successShare,
  windowHealth,
} from "../../../shared/source-health/health-window.ts";

const endedAt = new Date("2026-03-01T12:00:00Z");

interface Statuses {
  readonly ok?: number;
  readonly partial?: number;
  readonly not_found?: number;
  readonly unavailable?: number;
}

/** Returns the counts of a read with the given numbers of answers, each 30 seconds old. */
function counts(statuses: Statuses, callMs: readonly number[] = []): HealthCounts {
  const fetchedAt = new Date(endedAt.getTime() - 30_000).toISOString();
  const answers = (["ok", "partial", "not_found", "unavailable"] as const).flatMap((status) =>
    Array.from({ length: statuses[status] ?? 0 }, () => ({ status, fetchedAt })),
  );
  return countRead({ answers, callMs, quota: null, endedAt });
}

const statusOf = (statuses: Statuses) => healthStatus(windowHealth(counts(statuses)));

describe("the health of a source in a time window", () => {
  it("has the share of each status, and the mean data age of complete answers", () => {
    const health = windowHealth(counts({ ok: 14, partial: 2, not_found: 1, unavailable: 3 }));
    expect(health.shares).toEqual({ ok: 0.7, partial: 0.1, notFound: 0.05, unavailable: 0.15 });
    expect(successShare(health)).toBe(0.75);
    expect(health.ageMs).toBe(30_000);
  });

  it("has no shares if fewer than 10 items were read", () => {
    expect(windowHealth(counts({ ok: 9 })).shares).toBeNull();
    expect(windowHealth(counts({ ok: 10 })).shares).not.toBeNull();
    expect(windowHealth(null)).toEqual({ shares: null, latencyMs: null, ageMs: null });
  });

  it("has the upper bounds of the latency ranges that contain the median and the 95th percentile", () => {
    const calls = [...Array<number>(19).fill(240), 6_000];
    expect(windowHealth(counts({}, calls)).latencyMs).toEqual({ median: 250, p95: 250 });
    expect(windowHealth(counts({}, [...calls, 6_000])).latencyMs).toEqual({
      median: 250,
      p95: 10_000,
    });
    expect(windowHealth(counts({}, [900_000])).latencyMs?.median).toBe(300_000);
    expect(windowHealth(counts({ ok: 20 })).latencyMs).toBeNull();
  });

  it.each([
    ["operational", { ok: 95, partial: 5 }],
    ["operational", { ok: 50, not_found: 45, unavailable: 5 }],
    ["degraded", { ok: 94, partial: 6 }],
    ["degraded", { ok: 50, unavailable: 50 }],
    ["down", { ok: 49, unavailable: 51 }],
    ["unknown", { unavailable: 9 }],
  ] as const)('has the status "%s" for the counts %j', (status, statuses) => {
    expect(statusOf(statuses)).toBe(status);
  });

  it("includes a period that overlaps with the window, and excludes earlier periods", () => {
    const now = new Date("2026-03-01T12:20:00Z");
    const periods = ["11:00", "11:15", "12:15"].map((time, n) => ({
      startsAt: `2026-03-01T${time}:00.000Z`,
      counts: counts({ ok: 10 ** n }),
    }));
    expect(countsWithin(periods, now, 60 * 60_000)?.ok).toBe(110);
    expect(countsWithin(periods, now, 24 * 60 * 60_000)?.ok).toBe(111);
    expect(countsWithin([], now, 60 * 60_000)).toBeNull();
  });
});

describe("the counts of a source's reads", () => {
  it("contain a data age of 0 if the clock of the source is ahead", () => {
    const fetchedAt = new Date(endedAt.getTime() + 5_000).toISOString();
    const read = countRead({
      answers: [{ status: "ok", fetchedAt }],
      callMs: [],
      quota: null,
      endedAt,
    });
    expect(read.ageMs).toBe(0);
  });

  it("keep the quota and the time of the later read, in whichever order the counts are added", () => {
    const early = { ...counts({ ok: 1 }), quota: { left: 5, max: 60 } };
    const late = { ...counts({ ok: 2 }), lastReadAt: "2026-03-01T12:01:00.000Z" };
    const later = { ...late, quota: { left: 3, max: 60 } };
    for (const sum of [addCounts(early, later), addCounts(later, early)]) {
      expect(sum).toMatchObject({ ok: 3, quota: { left: 3 }, lastReadAt: late.lastReadAt });
    }
    expect(addCounts(early, late).quota?.left).toBe(5);
  });
});

describe("the level of a source's quota", () => {
  it.each([
    [null, undefined],
    ["exhausted", { left: -20, max: 1_200 }],
    ["exhausted", { left: 0, max: 1_200 }],
    ["low", { left: 120, max: 1_200 }],
    ["ample", { left: 121, max: 1_200 }],
  ] as const)("is the level %j for the quota %j", (level, quota) => {
    expect(quotaLevel(quota)).toBe(level);
  });
});
