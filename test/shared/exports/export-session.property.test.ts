import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { EventType } from "../../../shared/events/event.ts";
import type { BucketObject } from "../../../shared/exports/customer-bucket.ts";
import { aRun } from "../../support/delivery-world.ts";
import { type ExportWorld, startExportWorld } from "../../support/export-world.ts";

const account = "acct_1";
/** EXPORT_RUNS=60 plays 60 random sequences instead of 6. */
const runsMade = Number(process.env["EXPORT_RUNS"] ?? 6);

/** The result of an attempt to read a run's events and to put them in the bucket. */
const fault = fc.oneof(
  { weight: 4, arbitrary: fc.constant("none" as const) },
  fc.constant("refused" as const),
  /** The object was written, but the response was lost. */
  fc.constant("unheard" as const),
  /** The put throws an error, as it does if a part of the service fails. */
  fc.constant("broken" as const),
  /** The put takes so long that the time slice ends during it. */
  fc.constant("slow" as const),
);

let base: Awaited<ReturnType<typeof startExportWorld>>;
beforeAll(async () => {
  base = await startExportWorld();
});
afterAll(() => base.stop());

/** Injects one fault into each put of the exports; returns the keys of the written objects. */
function withFaults(world: ExportWorld, faults: readonly string[]): string[] {
  const { buckets } = world.exporting;
  const written: string[] = [];
  const left = [...faults];
  const open = (access: Parameters<typeof buckets.open>[0]) => {
    const bucket = buckets.open(access);
    const put = async (object: BucketObject) => {
      const now = left.shift();
      if (now === "broken") throw new Error("a part of the service failed");
      if (now === "refused") return { outcome: "failed", reason: "SlowDown" } as const;
      if (now === "slow") world.clock.advance(40_000);
      const outcome = await bucket.put(object);
      written.push(object.key);
      return now === "unheard" ? ({ outcome: "failed", reason: "timeout" } as const) : outcome;
    };
    return { ...bucket, put };
  };
  Object.assign(world.exporting, { buckets: { open } });
  return written;
}

it("an export writes one object per event, and each manifest after its objects, no matter which requests fail", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 3 }),
      fc.array(fault, { maxLength: 25 }),
      async (changes, faults) => {
        const world = await base.open();
        await world.setDestination(account);
        const written = withFaults(world, faults);
        const runs = changes.map((count, n) => {
          const types: EventType[] = Array.from(
            { length: count },
            () => "watchlist.product.changed",
          );
          const wanted = { runId: `wlrun_${n}`, runNumber: n };
          return aRun([...types, "watchlist.run.completed"], wanted);
        });
        for (const run of runs) await world.publish(run);

        let states: readonly string[] = [];
        for (let slices = 0; slices < 60; slices += 1) {
          await world.work().catch(() => {});
          states = await world.exportStates(account);
          if (states.length === runs.length && states.every((state) => state === "done")) break;
          world.clock.advance(10 * 60_000);
        }

        expect(states).toEqual(runs.map(() => "done"));
        const listing = new ListObjectsV2Command({ Bucket: world.exportBucket });
        const keys = ((await world.s3.send(listing)).Contents ?? []).map(({ Key = "" }) => Key);
        for (const [n, { events }] of runs.entries()) {
          const own = keys.filter((key) => key.includes(`/run_number=0000000${n}/`));
          expect(own).toHaveLength(events.length + 1);
          const manifest = own.find((key) => key.endsWith("/_manifest.json")) ?? "";
          expect(manifest).not.toBe("");
          for (const [index, { id }] of events.entries()) {
            const key = own.find((name) => name.includes(`-${id}.jsonl.gz`)) ?? "";
            expect(key).toContain(`/0000${index + 1}-`);
            expect(written.indexOf(key)).toBeLessThan(written.indexOf(manifest));
          }
        }
      },
    ),
    { numRuns: runsMade, endOnFailure: true },
  );
});
