import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { exportWrite } from "../../../shared/aws/exports/export-store.ts";
import type { EventType, RunEvents } from "../../../shared/events/event.ts";
import type { ExportRecord } from "../../../shared/exports/export-record.ts";
import { destinationTarget } from "../../../shared/outbox/outbox.ts";
import { aRun } from "../../support/delivery-world.ts";
import { exportedObjects, openDuckDb } from "../../support/exported-bucket.ts";
import { pageText } from "../../readme/pages.ts";
import { type ExportWorld, startExportWorld } from "../../support/export-world.ts";

const account = "acct_1";
const types: EventType[] = ["watchlist.product.changed", "watchlist.run.completed"];
const since = "2026-11-20T09:00:00.000Z";
/** Milliseconds after which a lease and the first wait of the retry schedule have ended. */
const leaseEndMs = 70_000;

let base: Awaited<ReturnType<typeof startExportWorld>>;
let world: ExportWorld;
beforeAll(async () => {
  base = await startExportWorld();
});
afterAll(() => base.stop());
beforeEach(async () => {
  world = await base.open();
});

async function publishAndExport(runNumber: number): Promise<RunEvents> {
  const run = aRun(types, { runId: `wlrun_${runNumber}`, runNumber });
  await world.publish(run);
  await world.work();
  return run;
}

/** Exports every run again, as `POST /v1/s3_destination/backfill` does. */
async function backfill(): Promise<void> {
  world.clock.advance(1_000);
  const until = world.clock.now().toISOString();
  const content = { kind: "backfill", since, until, after: null };
  const entry = {
    lane: "first",
    dueAt: until,
    key: `backfill#${since}#${until}`,
    content,
  } as const;
  await world.outbox.add(destinationTarget(account), [entry]);
  await world.work();
  expect(new Set(await world.exportStates(account))).toEqual(new Set(["done"]));
}

/** Writes an object in the previous release's layout, in one of its two formats. */
async function putOfLayout1({ runNumber, events }: RunEvents, suffix: string): Promise<void> {
  for (const [n, { id, type, body }] of events.entries()) {
    const folder = `shop/events/v=1/dt=2026-11-19/watchlist_id=wl_1/run=0000000${runNumber}/`;
    const Key = `${folder}0000${n + 1}-${type}-${id}${suffix}`;
    const object = { Bucket: world.exportBucket, Key, Body: `${body}\n` };
    await world.s3.send(new PutObjectCommand(object));
  }
}

const idsOf = (runs: readonly RunEvents[]): readonly string[] =>
  runs.flatMap(({ events }) => events.map(({ id }) => id)).toSorted();

/**
 * Checks that the documented views contain each event once, and that manifests list exactly the
 * objects.
 */
async function expectEachEventOnce(runs: readonly RunEvents[]): Promise<void> {
  const objects = await exportedObjects(world);
  const duck = await openDuckDb(objects);
  try {
    for (const statement of duck.pageStatements()) {
      if (/^CREATE VIEW (?:events|runs) /.test(statement)) await duck.run(statement);
    }
    const events = await duck.rows("SELECT id FROM events ORDER BY id");
    expect(events.map(({ id }) => id)).toEqual(idsOf(runs));
    const listed = await duck.rows(
      "SELECT unnest(objects).key AS name FROM runs WHERE run ->> '$.run_id' IS NOT NULL",
    );
    const keys = [...objects.keys()].filter((key) => /^shop\/events\/v=2\/.*jsonl/.test(key));
    expect(listed.map(({ name }) => String(name)).toSorted()).toEqual(keys.toSorted());
  } finally {
    duck.close();
  }
}

describe("the format of a run's exported objects", () => {
  it("stays that of the first export if the compression is changed before a backfill", async () => {
    await world.setDestination(account);
    const runs = [await publishAndExport(1)];
    await world.setDestination(account, { compression: "none" });
    runs.push(await publishAndExport(2));
    await backfill();

    await expectEachEventOnce(runs);
    const formats = [...(await exportedObjects(world)).keys()]
      .filter((key) => key.includes("completed"))
      .map((key) => /run_number=0000000(\d).*(jsonl.*)$/.exec(key)?.slice(1));
    expect(formats).toEqual([
      ["1", "jsonl.gz"],
      ["2", "jsonl"],
    ]);
  });

  it("stays the same if the prefix is changed and restored, with a backfill after each change", async () => {
    await world.setDestination(account);
    const run = await publishAndExport(1);
    for (const wanted of [
      { prefix: "other/", compression: "none" },
      { prefix: "shop/", compression: "none" },
      { prefix: "shop/", compression: "gzip" },
    ] as const) {
      await world.setDestination(account, wanted);
      await backfill();
    }

    await expectEachEventOnce([run]);
    const elsewhere = [...(await exportedObjects(world)).keys()].filter((key) =>
      key.startsWith("other/"),
    );
    expect(elsewhere).toHaveLength(types.length + 1);
  });

  it("stays the same if the destination is deleted and created again with another compression", async () => {
    await world.setDestination(account);
    const run = await publishAndExport(1);
    await world.registering.destinations.delete(account);
    await world.setDestination(account, { compression: "none" });
    await backfill();

    await expectEachEventOnce([run]);
  });

  it("is the same for all objects if the compression is changed between the attempts of an export", async () => {
    await world.setDestination(account);
    failPuts((put) => put === 2);
    const run = await publishAndExport(1);
    await world.setDestination(account, { compression: "none" });
    world.clock.advance(leaseEndMs);
    await world.work();

    expect(await world.exportStates(account)).toEqual(["done"]);
    await expectEachEventOnce([run]);
  });

  it("is the same for all objects if the compression is changed after a process died during the export", async () => {
    await world.setDestination(account);
    let isDead = false;
    const { outbox } = world.delivering.exports;
    const { buckets } = world.exporting;
    const died = async (): Promise<never> => {
      throw new Error("the process ended");
    };
    Object.assign(world.exporting, {
      buckets: {
        open: (access: Parameters<typeof buckets.open>[0]) => {
          const bucket = buckets.open(access);
          const put: typeof bucket.put = async (object) => {
            if (isDead) return died();
            isDead = true;
            return bucket.put(object);
          };
          return { ...bucket, put };
        },
      },
    });
    Object.assign(world.delivering.exports, {
      outbox: {
        ...outbox,
        record: (...change: Parameters<typeof outbox.record>) =>
          isDead ? died() : outbox.record(...change),
        release: (...held: Parameters<typeof outbox.release>) =>
          isDead ? died() : outbox.release(...held),
      },
    });
    const run = aRun(types, { runId: "wlrun_1", runNumber: 1 });
    await world.publish(run);
    await expect(world.work()).rejects.toThrow("the process ended");
    expect((await exportedObjects(world)).size).toBe(1);

    Object.assign(world.exporting, { buckets });
    Object.assign(world.delivering.exports, { outbox });
    await world.setDestination(account, { compression: "none" });
    world.clock.advance(leaseEndMs);
    await world.work();

    expect(await world.exportStates(account)).toEqual(["done"]);
    await expectEachEventOnce([run]);
  });
});

describe("after an upgrade from export layout 1,", () => {
  it("a run is exported again from its first event if the previous release exported only a part of the run", async () => {
    await world.setDestination(account);
    const run = aRun(types, { runId: "wlrun_1", runNumber: 1 });
    failPuts(() => true);
    await world.publish(run);
    await world.work();
    const [record] = await exports();
    const before = { ...record!, objects: 1, bytes: 99 };
    const { compression: _, ...Item } =
      exportWrite(world.tableName, account, before).Put?.Item ?? {};
    await world.client.send(new PutCommand({ TableName: world.tableName, Item }));
    world.clock.advance(leaseEndMs);
    await world.work();

    await expectEachEventOnce([run]);
  });

  it("a backfill makes the documented glob and the documented view contain each event exactly once", async () => {
    await world.setDestination(account);
    const run = aRun(types, { runId: "wlrun_1", runNumber: 1 });
    const old = aRun(types, { runId: "wlrun_0", runNumber: 0 });
    for (const suffix of [".jsonl", ".txt.jsonl"]) {
      await putOfLayout1(run, suffix);
      await putOfLayout1(old, suffix);
    }
    await world.publish(run);
    await world.work();
    await backfill();

    await expectEachEventOnce([run]);
    const duck = await openDuckDb(await exportedObjects(world));
    for (const statement of duck.pageStatements()) {
      if (statement.startsWith("CREATE VIEW events")) await duck.run(statement);
    }
    const both = await duck.rows(
      "SELECT id, dt, watchlist_id, run_number FROM events_of_both_layouts ORDER BY id",
    );
    duck.close();
    expect(both).toEqual(
      [old, run].flatMap(({ runNumber, events }) =>
        events.map(({ id }) => ({
          id,
          dt: "2026-11-19",
          watchlist_id: "wl_1",
          run_number: runNumber,
        })),
      ),
    );
  });
});

describe("the partition columns of a run's export folder", () => {
  it("have names that no field of a manifest or an event has", async () => {
    await world.setDestination(account);
    const run = await publishAndExport(7);
    const objects = await exportedObjects(world);
    const names = [...objects.keys()].flatMap((key) =>
      [...key.matchAll(/(\w+)=/g)].map(([, name]) => name),
    );
    const fields = [...objects].flatMap(([key, bytes]) =>
      key.endsWith(".json") ? Object.keys(JSON.parse(bytes.toString()) as object) : [],
    );
    const eventFields = run.events.flatMap(({ body }) => Object.keys(JSON.parse(body) as object));
    expect(fields).toContain("run");
    expect(names.filter((name) => [...fields, ...eventFields].includes(name ?? ""))).toEqual([]);

    const duck = await openDuckDb(objects);
    const [shown] = await duck.rows(
      `SELECT run ->> '$.run_id' AS id FROM read_json('${duck.folder}/shop/events/v=2/*/*/*/_manifest.json',
        columns = {run: 'JSON'}, hive_partitioning = true)`,
    );
    duck.close();
    expect(shown).toEqual({ id: "wlrun_7" });
  });

  it("equal the partition columns of the Athena table in docs/s3-export.md", async () => {
    await world.setDestination(account);
    await publishAndExport(7);
    const [key = ""] = (await exportedObjects(world)).keys();
    const page = pageText("docs/s3-export.md");
    const [, template = ""] = /'storage.location.template' =\s+'([^']+)'/.exec(page) ?? [];
    const [, location = ""] = /LOCATION '([^']+)'/.exec(page) ?? [];
    const folder = template
      .replace("${dt}", "2026-11-19")
      .replace("${watchlist_id}", "wl_1")
      .replace("s3://my-bucket/", "");

    expect(template.startsWith(location)).toBe(true);
    expect(key.startsWith(`${folder}run_number=00000007/`)).toBe(true);
  });
});

/**
 * Until the clock advances, makes a put fail if `isFailing` returns true for its number (from 1).
 */
function failPuts(isFailing: (put: number) => boolean): void {
  const { buckets } = world.exporting;
  const begunAt = world.clock.now().getTime();
  let puts = 0;
  Object.assign(world.exporting, {
    buckets: {
      open: (access: Parameters<typeof buckets.open>[0]) => {
        const bucket = buckets.open(access);
        const put: typeof bucket.put = async (object) => {
          puts += 1;
          return isFailing(puts) && world.clock.now().getTime() === begunAt
            ? { outcome: "failed", reason: "SlowDown" }
            : bucket.put(object);
        };
        return { ...bucket, put };
      },
    },
  });
}

const exports = async (): Promise<readonly ExportRecord[]> =>
  (await world.registering.exports.list(account, { limit: 10, before: null, state: null })).exports;
