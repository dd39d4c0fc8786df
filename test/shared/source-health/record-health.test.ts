import { describe, expect, it } from "vitest";
import { countRead, type HealthCounts } from "../../../shared/source-health/health-counts.ts";
import { healthRecorder } from "../../../shared/source-health/record-health.ts";
import { fixedClock } from "../../support/clock.ts";

const clock = () => fixedClock("2026-03-01T12:00:00Z");

const okCounts = (at: Date): HealthCounts =>
  countRead({
    answers: [{ status: "ok", fetchedAt: at.toISOString() }],
    callMs: [100],
    quota: null,
    endedAt: at,
  });

function recording(add: (counts: HealthCounts) => Promise<void> = async () => {}) {
  const time = clock();
  const writes: [string, HealthCounts][] = [];
  const warnings: string[] = [];
  const record = healthRecorder({
    store: {
      async add(scraper, counts) {
        await add(counts);
        writes.push([scraper, counts]);
      },
    },
    clock: time,
    warn: (message) => warnings.push(message),
  });
  return { time, writes, warnings, record };
}

describe("the recorder of source health", () => {
  it("writes the health of the first read immediately, then writes at most once a minute, and loses no count", async () => {
    const { time, writes, record } = recording();
    for (let second = 0; second < 150; second += 1) {
      await record("retailer_a.lite", okCounts(time.now()));
      time.advance(1_000);
    }
    expect(writes.map(([, { ok }]) => ok)).toEqual([1, 60, 60]);
  });

  it("writes the counts of each scraper separately", async () => {
    const { time, writes, record } = recording();
    await record("retailer_a.lite", okCounts(time.now()));
    await record("retailer_b.standard", okCounts(time.now()));
    expect(writes.map(([scraper]) => scraper)).toEqual(["retailer_a.lite", "retailer_b.standard"]);
  });

  it("makes one write for all reads that end during a write", async () => {
    let finish = (): void => {};
    const { time, writes, record } = recording(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    const first = record("retailer_a.lite", okCounts(time.now()));
    await record("retailer_a.lite", okCounts(time.now()));
    finish();
    await first;
    expect(writes).toHaveLength(1);
  });

  it("warns if the recorder cannot write the health, and the read still succeeds", async () => {
    const { time, warnings, record } = recording(() => Promise.reject(new Error("down")));
    await record("retailer_a.lite", okCounts(time.now()));
    expect(warnings).toEqual([
      "source health not recorded; these reads are missing from the source's health",
    ]);
  });
});
