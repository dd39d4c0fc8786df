import { describe, expect, it } from "vitest";
import { countRead } from "../../../shared/source-health/health-counts.ts";
import { healthReader } from "../../../shared/source-health/read-health.ts";
import { fixedClock } from "../../support/clock.ts";

const clock = () => fixedClock("2026-03-01T12:00:00Z");

describe("the reader of source health", () => {
  const counts = countRead({
    answers: [{ status: "ok", fetchedAt: "2026-03-01T12:00:00.000Z" }],
    callMs: [100],
    quota: null,
    endedAt: clock().now(),
  });
  const period = { startsAt: "2026-03-01T12:00:00.000Z", counts };

  it("queries the store at most once a minute for each scraper, however often the reader is called", async () => {
    const time = clock();
    let queries = 0;
    const read = healthReader({
      store: {
        async since() {
          queries += 1;
          return [period];
        },
      },
      spanMs: 3_600_000,
      freshMs: 60_000,
      clock: time,
      warn: () => {},
    });
    const [first, second] = await Promise.all([read(), read()]);
    expect(first).toBe(second);
    expect(first.get("retailer_a.lite")).toEqual([period]);
    const perRead = queries;
    time.advance(59_999);
    await read();
    expect(queries).toBe(perRead);
    time.advance(1);
    await read();
    expect(queries).toBe(2 * perRead);
  });

  it("returns no periods if the store fails, and queries the store again at the next call", async () => {
    const warnings: string[] = [];
    let isDown = true;
    const read = healthReader({
      store: { since: async () => (isDown ? Promise.reject(new Error("down")) : [period]) },
      spanMs: 3_600_000,
      freshMs: 60_000,
      clock: clock(),
      warn: (message) => warnings.push(message),
    });
    expect((await read()).size).toBe(0);
    expect(warnings).toEqual([
      "source health could not be read; the status of every source is unknown until a call reads it",
    ]);
    isDown = false;
    expect((await read()).get("retailer_b.standard")).toEqual([period]);
  });
});
