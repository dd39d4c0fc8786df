import { describe, expect, it } from "vitest";
import { batchSize } from "../../../../shared/sources/http/batch-size.ts";
import { fixedClock } from "../../../support/clock.ts";

describe("the batch size for a source that refuses batches without a clear reason", () => {
  const minuteMs = 60_000;

  it("is never smaller than the smallest size that every source accepts", () => {
    const size = batchSize(50, { clock: fixedClock("2026-03-01T12:00:00Z"), reducedMin: 10 });
    size.tooMany(50);
    expect(size.max()).toBe(25);
    size.tooMany(25);
    size.tooMany(13);
    size.tooMany(2);
    expect(size.max()).toBe(10);
  });

  it("is doubled every ten minutes, up to the configured size", () => {
    const clock = fixedClock("2026-03-01T12:00:00Z");
    const size = batchSize(50, { clock, reducedMin: 10 });
    size.tooMany(20);
    clock.advance(10 * minuteMs - 1);
    expect(size.max()).toBe(10);
    clock.advance(1);
    expect(size.max()).toBe(20);
    clock.advance(10 * minuteMs);
    expect(size.max()).toBe(40);
    clock.advance(10 * minuteMs);
    expect(size.max()).toBe(50);
  });
});
