import { beforeAll, describe, expect, it } from "vitest";
import { dynamoHealthStore } from "../../../../shared/aws/sources/health-store.ts";
import {
  addCounts,
  countRead,
  type HealthCounts,
} from "../../../../shared/source-health/health-counts.ts";
import type { HealthStore } from "../../../../shared/source-health/health-store.ts";
import { openTables } from "../../../support/tables.ts";

const tables = openTables();
let store: HealthStore;
beforeAll(async () => {
  store = dynamoHealthStore(tables.client, await tables.create());
});

const at = (time: string): Date => new Date(`2026-03-01T${time}Z`);

function counts(time: string, quota: HealthCounts["quota"] | null = null): HealthCounts {
  const fetchedAt = at("10:00:00").toISOString();
  const statuses = ["ok", "ok", "partial", "not_found", "unavailable"] as const;
  return countRead({
    answers: statuses.map((status) => ({ status, fetchedAt })),
    callMs: [80, 700, 900_000],
    quota,
    endedAt: at(time),
  });
}

describe("the source health in DynamoDB", () => {
  it("is the sum of the values that all processes added in a period", async () => {
    const writes = [counts("12:00:00"), counts("12:07:00"), counts("12:14:59")];
    for (const one of writes) await store.add("retailer_a.lite", one);
    expect(await store.since("retailer_a.lite", at("12:00:00"))).toEqual([
      { startsAt: "2026-03-01T12:00:00.000Z", counts: writes.reduce(addCounts) },
    ]);
  });

  it("includes all writes that are made in parallel", async () => {
    const one = counts("12:00:00");
    await Promise.all(Array.from({ length: 20 }, () => store.add("retailer_a.pulse", one)));
    const [period] = await store.since("retailer_a.pulse", at("12:00:00"));
    expect(period?.counts).toMatchObject({ ok: 40, partial: 20, unavailable: 20 });
    expect(period?.counts.latencies.reduce((sum, count) => sum + count, 0)).toBe(60);
  });

  it("is listed by period, oldest first, from the period that contains the given time", async () => {
    for (const time of ["12:15:00", "11:59:59", "12:45:00"]) {
      await store.add("retailer_b.standard", counts(time));
    }
    const startsOf = async (time: string) =>
      (await store.since("retailer_b.standard", at(time))).map(({ startsAt }) =>
        startsAt.slice(11, 16),
      );
    expect(await startsOf("11:59:59")).toEqual(["11:45", "12:15", "12:45"]);
    expect(await startsOf("12:00:00")).toEqual(["12:15", "12:45"]);
    expect(await startsOf("13:00:00")).toEqual([]);
    expect(await store.since("retailer_c.standard", at("11:00:00"))).toEqual([]);
  });

  it("has the last quota that a process reported", async () => {
    await store.add("retailer_a.full", counts("12:00:00", { left: 40, max: 60 }));
    await store.add("retailer_a.full", counts("12:01:00", { left: -3, max: 60 }));
    await store.add("retailer_a.full", counts("12:02:00"));
    const [period] = await store.since("retailer_a.full", at("12:00:00"));
    expect(period?.counts.quota).toEqual({ left: -3, max: 60 });
  });
});
