import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addCounts, countRead } from "../../../shared/source-health/health-counts.ts";
import { windowHealth } from "../../../shared/source-health/health-window.ts";

const status = fc.constantFrom("ok", "partial", "not_found", "unavailable");
const time = fc.integer({ min: 0, max: 1_000_000_000 }).map((ms) => new Date(ms));
const read = fc.record({
  answers: fc.array(fc.record({ status, fetchedAt: time.map((at) => at.toISOString()) })),
  callMs: fc.array(fc.nat(400_000)),
  endedAt: time,
  quota: fc.constant(null),
});

describe("the counts of a source's reads", () => {
  it("do not depend on the order in which processes add their counts", () => {
    fc.assert(
      fc.property(read, read, read, (...reads) => {
        const [a, b, c] = reads.map(countRead) as [Sum, Sum, Sum];
        expect(addCounts(addCounts(a, b), c)).toEqual(addCounts(c, addCounts(b, a)));
      }),
    );
  });

  it("include every item and every call of the reads", () => {
    fc.assert(
      fc.property(read, read, (one, other) => {
        const { ok, partial, notFound, unavailable, latencies } = addCounts(
          countRead(one),
          countRead(other),
        );
        expect(ok + partial + notFound + unavailable).toBe(
          one.answers.length + other.answers.length,
        );
        expect(latencies.reduce((sum, count) => sum + count, 0)).toBe(
          one.callMs.length + other.callMs.length,
        );
      }),
    );
  });

  it("result in shares that add up to 1, and in a median of at most the 95th percentile", () => {
    fc.assert(
      fc.property(read, (one) => {
        const { shares, latencyMs } = windowHealth(countRead(one));
        if (shares !== null) {
          const sum = Object.values(shares).reduce((all, share) => all + share, 0);
          expect(sum).toBeCloseTo(1, 10);
        }
        if (latencyMs !== null) expect(latencyMs.median).toBeLessThanOrEqual(latencyMs.p95);
      }),
    );
  });
});

type Sum = ReturnType<typeof countRead>;
