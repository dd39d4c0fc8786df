import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { putSnapshot } from "../../../shared/events/event-archive.ts";
import type { RunEvents } from "../../../shared/events/event.ts";
import type { SnapshotFile } from "../../../shared/events/snapshot-file.ts";
import { aRun, startedAt } from "../../support/delivery-world.ts";
import { exportedObjects } from "../../support/exported-bucket.ts";
import { type ExportWorld, startExportWorld } from "../../support/export-world.ts";

const account = "acct_1";
/** Milliseconds after which a lease and the first wait of the retry schedule have ended. */
const leaseEndMs = 70_000;
const key =
  "shop/snapshots/v=1/dt=2026-11-20/watchlist_id=wl_prices/run_number=00000007/items.parquet";
const content = Buffer.from("items of the run");
const sha256 = createHash("sha256").update(content).digest("hex");
const snapshot: SnapshotFile = { name: "0a1b2c", rows: 3, bytes: content.length, sha256 };
const listed = { key, rows: 3, bytes: content.length, sha256 };

let base: Awaited<ReturnType<typeof startExportWorld>>;
let world: ExportWorld;
beforeAll(async () => {
  base = await startExportWorld();
});
afterAll(() => base.stop());
beforeEach(async () => {
  world = await base.open();
});

const runWithSnapshot = (): RunEvents => ({
  ...aRun(["watchlist.run.completed"], { runId: "wlrun_7", watchlistId: "wl_prices" }),
  runStartedAt: startedAt,
  snapshot,
});

/** Publishes a run whose snapshot file is in the events bucket. */
async function publishRun(): Promise<void> {
  const run = runWithSnapshot();
  await putSnapshot(run, snapshot, { bytes: content, bodies: world.exporting.bodies });
  await world.publish(run);
}

const manifestOf = (objects: ReadonlyMap<string, Buffer>) => {
  const [bytes] = [...objects].flatMap(([name, found]) =>
    name.endsWith("_manifest.json") ? [found] : [],
  );
  return bytes === undefined
    ? undefined
    : (JSON.parse(String(bytes)) as { readonly snapshot: unknown });
};

describe("the export of a run that has a snapshot file", () => {
  it.each(["run", "day"] as const)(
    "copies the file to a destination with the 'snapshot' setting \"%s\", and lists the file in the manifest",
    async (choice) => {
      await world.setDestination(account, { snapshot: choice });
      await publishRun();
      await world.work();

      const objects = await exportedObjects(world);
      expect(objects.get(key)).toEqual(content);
      expect(manifestOf(objects)?.snapshot).toEqual(listed);
    },
  );

  it("copies nothing to a destination without the setting 'snapshot'", async () => {
    await world.setDestination(account);
    await publishRun();
    await world.work();

    const objects = await exportedObjects(world);
    expect([...objects.keys()].filter((one) => one.endsWith(".parquet"))).toEqual([]);
    expect(manifestOf(objects)?.snapshot).toBeNull();
  });

  it.each([".parquet", "_manifest.json"])(
    "is complete after a retry if the store refused the object key with the ending %s",
    async (suffix) => {
      await world.setDestination(account, { snapshot: "run" });
      world.refuseOnce(suffix);
      await publishRun();
      await world.work();
      expect(await world.exportStates(account)).toEqual(["pending"]);
      expect(manifestOf(await exportedObjects(world))).toBeUndefined();
      world.clock.advance(leaseEndMs);
      await world.work();

      expect(await world.exportStates(account)).toEqual(["done"]);
      const objects = await exportedObjects(world);
      expect(objects.get(key)).toEqual(content);
      expect(manifestOf(objects)?.snapshot).toEqual(listed);
    },
  );

  it("fails and writes no manifest if the snapshot file has expired", async () => {
    await world.setDestination(account, { snapshot: "run" });
    await world.publish(runWithSnapshot());
    await world.work();

    expect(await world.exportStates(account)).toEqual(["failed"]);
    expect(manifestOf(await exportedObjects(world))).toBeUndefined();
  });
});

it("the export of a run without a snapshot file contains no snapshot file", async () => {
  await world.setDestination(account, { snapshot: "run" });
  await world.publish(aRun(["watchlist.run.completed"], { runId: "wlrun_8", runNumber: 8 }));
  await world.work();

  const objects = await exportedObjects(world);
  expect([...objects.keys()].filter((one) => one.endsWith(".parquet"))).toEqual([]);
  expect(manifestOf(objects)?.snapshot).toBeNull();
});
