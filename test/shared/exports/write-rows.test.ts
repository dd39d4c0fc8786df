import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RunEvents } from "../../../shared/events/event.ts";
import { runOfChanges } from "../../../tools/stand-ins/run-of-changes.ts";
import { aRun, startedAt } from "../../support/delivery-world.ts";
import { exportedObjects } from "../../support/exported-bucket.ts";
import { type ExportWorld, startExportWorld } from "../../support/export-world.ts";

const account = "acct_1";
/** Milliseconds after which a lease and the first wait of the retry schedule have ended. */
const leaseEndMs = 70_000;
const partitions = "dt=2026-11-20/watchlist_id=wl_prices/run_number=00000007";
const rowsKey = `shop/rows/v=1/${partitions}/changes.parquet`;

let base: Awaited<ReturnType<typeof startExportWorld>>;
let world: ExportWorld;
beforeAll(async () => {
  base = await startExportWorld();
});
afterAll(() => base.stop());
beforeEach(async () => {
  world = await base.open();
});

const threeChanges = (): Promise<RunEvents> =>
  runOfChanges({ accountId: account, runId: "wlrun_7", runNumber: 7, items: 3, startedAt });

const manifestOf = (objects: ReadonlyMap<string, Buffer>) => {
  const [bytes] = [...objects].flatMap(([key, found]) =>
    key.endsWith("_manifest.json") ? [found] : [],
  );
  return JSON.parse(String(bytes)) as { readonly rows: unknown };
};

describe("the export of a run to a destination with the setting 'rows'", () => {
  it("writes the changes of the run as one Parquet file, and lists the file in the manifest", async () => {
    await world.setDestination(account, { rows: true });
    const run = await threeChanges();
    await world.publish(run);
    await world.work();

    const objects = await exportedObjects(world);
    const bytes = objects.get(rowsKey) ?? Buffer.alloc(0);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    expect(manifestOf(objects).rows).toEqual({
      key: rowsKey,
      rows: 3,
      bytes: bytes.length,
      sha256,
    });
    const { data } = JSON.parse(run.events[0]?.body ?? "{}") as {
      data: { changes: { id: string; changes: { price: { before: number; after: number } } }[] };
    };
    const file = bytes.buffer.slice(
      bytes.byteOffset,
      bytes.byteOffset + bytes.length,
    ) as ArrayBuffer;
    expect(await parquetReadObjects({ file })).toMatchObject(
      data.changes.map(({ id, changes: { price } }) => ({
        item_id: id,
        field: "price",
        before_number: price.before,
        after_number: price.after,
      })),
    );
  });

  it("writes a manifest that the published JSON Schema accepts", async () => {
    await world.setDestination(account, { rows: true, snapshot: "run" });
    await world.publish(await threeChanges());
    await world.work();

    const path = "../../../functions/meta/generated/published/schemas/manifest.json";
    const schema = JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as object;
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const isValid = ajv.compile(schema);
    isValid(manifestOf(await exportedObjects(world)));
    expect(isValid.errors).toBeNull();
  });

  it("writes no Parquet file for a run without changes", async () => {
    await world.setDestination(account, { rows: true });
    await world.publish(aRun(["watchlist.run.completed"], { runId: "wlrun_8", runNumber: 8 }));
    await world.work();

    const objects = await exportedObjects(world);
    expect([...objects.keys()].filter((key) => key.endsWith(".parquet"))).toEqual([]);
    expect(manifestOf(objects).rows).toBeNull();
  });

  it.each([".parquet", "_manifest.json"])(
    "is complete after a retry if the store refused the object key with the ending %s",
    async (suffix) => {
      await world.setDestination(account, { rows: true });
      world.refuseOnce(suffix);
      await world.publish(await threeChanges());
      await world.work();
      expect(await world.exportStates(account)).toEqual(["pending"]);
      expect(
        [...(await exportedObjects(world)).keys()].some((key) => key.endsWith("_manifest.json")),
      ).toBe(false);
      world.clock.advance(leaseEndMs);
      await world.work();

      expect(await world.exportStates(account)).toEqual(["done"]);
      const objects = await exportedObjects(world);
      const sha256 = createHash("sha256")
        .update(objects.get(rowsKey) ?? "")
        .digest("hex");
      expect(manifestOf(objects).rows).toMatchObject({ rows: 3, sha256 });
    },
  );
});

it("the export of a run to a destination without the setting 'rows' has no Parquet file", async () => {
  await world.setDestination(account);
  await world.publish(await threeChanges());
  await world.work();

  const objects = await exportedObjects(world);
  expect([...objects.keys()].filter((key) => key.endsWith(".parquet"))).toEqual([]);
  expect(manifestOf(objects).rows).toBeNull();
});
