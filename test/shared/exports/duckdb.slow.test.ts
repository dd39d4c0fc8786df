import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runOfChanges } from "../../../tools/stand-ins/run-of-changes.ts";
import { putSnapshot } from "../../../shared/events/event-archive.ts";
import { eventsDigest } from "../../../shared/events/event-digest.ts";
import { type ItemRow, itemsFile } from "../../../shared/exports/item-columns.ts";
import { startDeliveryWorld, startedAt } from "../../support/delivery-world.ts";
import { exportedObjects, openDuckDb } from "../../support/exported-bucket.ts";
import { type Receiver, startReceiver } from "../../support/receiver.ts";
import { codeBlocks } from "../../readme/code-blocks.ts";

const items = 50_000;
const accountId = "acct_1";
const runStartedAt = "2026-11-19T23:59:00.000Z";
const folderName = "shop/events/v=2/dt=2026-11-19/watchlist_id=wl_prices/run_number=00000007/";

interface Change {
  readonly id: string;
  readonly changes: { readonly price: { readonly before: number; readonly after: number } };
}

/** A delivery that the receiver got. */
interface Received {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly changes?: readonly Change[]; readonly events_digest?: string };
}

interface Manifest {
  readonly digest: string;
  readonly objects: readonly { key: string; event_id: string; bytes: number; sha256: string }[];
  readonly totals: { readonly objects: number; readonly items: number };
}

let close: () => Promise<void>;
let receiver: Receiver;
/** Bytes of the bucket's objects by key. */
let objects: ReadonlyMap<string, Buffer>;
let duck: Awaited<ReturnType<typeof openDuckDb>>;
let received: readonly Received[];

beforeAll(async () => {
  const worlds = await startDeliveryWorld();
  receiver = await startReceiver();
  close = async () => {
    duck.close();
    await receiver.stop();
    await worlds.stop();
  };
  const world = await worlds.open();
  await world.addEndpoint(accountId, receiver.url);
  await world.setDestination(accountId, { rows: true, snapshot: "run" });
  const run = { accountId, runId: "wlrun_large", runNumber: 7, items, startedAt: runStartedAt };
  world.clock.set(startedAt);
  const { bytes, rows, sha256: digest } = await itemsFile(groupsOfItems());
  const snapshot = { name: "1", rows, bytes: bytes.length, sha256: digest };
  await putSnapshot(run, snapshot, { bytes, bodies: world.exporting.bodies });
  await world.publish({ ...(await runOfChanges(run)), snapshot });
  await world.deliverDue();
  received = receiver.requests.map(({ body }) => JSON.parse(body) as Received);
  objects = await exportedObjects(world);
  duck = await openDuckDb(objects);
  for (const statement of duck.pageStatements().filter((one) => isView(one))) {
    await duck.run(statement);
  }
});
afterAll(() => close());

const idOf = (n: number): string => String(1_000_000 + n);
const priceOf = (n: number): number => 5 + (n % 997) / 100;

/**
 * Yields the rows of all items in groups, as the finisher does. Every third item is out of stock.
 */
function* groupsOfItems(): Generator<readonly ItemRow[]> {
  const at = "2026-11-19T23:59:00.000Z";
  for (let first = 0; first < items; first += 5_000) {
    yield Array.from({ length: 5_000 }, (_, index) => {
      const n = first + index;
      return {
        runId: "wlrun_large",
        runNumber: 7,
        itemId: idOf(n),
        label: n % 2 === 0 ? `Tasse \u2603 ${n}` : null,
        metadata: { target_price: n },
        title: `Cup ${n}`,
        url: `https://shop.example/${n}`,
        image: null,
        sellerNames: {},
        state: "active",
        addedAt: at,
        firstReadAt: at,
        lastReadAt: at,
        lastReadStatus: "ok",
        consecutiveFailures: 0,
        snapshot: { price: priceOf(n), inStock: n % 3 !== 0, condition: "New" },
        snapshotAt: at,
        lastChange: { changedAt: at, runNumber: 7, changes: { price: { before: 1, after: 2 } } },
        delistedAt: null,
      };
    });
  }
}

/**
 * Returns true for the statement that creates the view of the current layout. Returns false for the
 * view of layout 1 (`events/v=1`), because the bucket contains no such objects.
 */
const isView = (statement: string): boolean =>
  statement.startsWith("CREATE VIEW") && !statement.includes("events/v=1");

const manifest = (): Manifest =>
  JSON.parse(objects.get(`${folderName}_manifest.json`)!.toString()) as Manifest;

const sha256 = (bytes: Uint8Array | string): string =>
  createHash("sha256").update(bytes).digest("hex");

describe("a run of 50,000 changes in a customer's bucket, read by DuckDB", () => {
  it("consists of one object for each event, and a manifest that lists the objects", () => {
    const stored = [...objects.keys()].filter((key) => key.startsWith(folderName)).sort();

    expect(stored).toHaveLength(102);
    expect(stored.at(-1)).toBe(`${folderName}_manifest.json`);
    expect(manifest().objects.map(({ key }) => key)).toEqual(stored.slice(0, -1));
    expect(manifest().totals).toMatchObject({ objects: 101, items });
    for (const { key, bytes, sha256: digest } of manifest().objects) {
      const object = objects.get(key)!;
      expect({ bytes: object.length, digest: sha256(object) }).toEqual({ bytes, digest });
    }
  });

  it("contains the events as lines, with the same bytes and order as the webhook receiver got", async () => {
    const bodies = receiver.requests.map(({ body }) => `${body}\n`);
    const lines = manifest().objects.map(({ key }) => gunzipSync(objects.get(key)!).toString());
    expect(lines.map(sha256)).toEqual(bodies.map(sha256));

    const events = await duck.rows("SELECT id, type FROM events ORDER BY filename");
    expect(events).toEqual(received.map(({ id, type }) => ({ id, type })));
    expect(events).toHaveLength(101);
  });

  it("has in DuckDB a column for each partition of the object keys", async () => {
    const partitions = await duck.rows(
      "SELECT DISTINCT dt, watchlist_id, run_number, typeof(run_number) AS type FROM events",
    );

    expect(partitions).toEqual([
      { dt: "2026-11-19", watchlist_id: "wl_prices", run_number: 7, type: "INTEGER" },
    ]);
  });

  it("contains each change that the webhook receiver got, without repetitions", async () => {
    const got = received.flatMap(({ data }) => data.changes ?? []);
    const [counts] = await duck.rows(`SELECT CAST(count(*) AS INT) AS entries,
      CAST(count(DISTINCT id) AS INT) AS items,
      sha256(string_agg(id || ' ' || (changes ->> '$.price.after'), chr(10) ORDER BY id)) AS digest
      FROM changes`);

    const ofReceiver = got.map(({ id, changes }) => `${id} ${changes.price.after}`).sort();
    expect(counts).toEqual({ entries: items, items, digest: sha256(ofReceiver.join("\n")) });
  });

  it("has the same digest as the manifest, the last event and the webhook receiver", async () => {
    const [digest] = await duck.rows(
      "SELECT sha256(string_agg(id, chr(10) ORDER BY filename)) AS digest FROM events",
    );

    const ids = received.map(({ id }) => id);
    expect(digest).toEqual({ digest: eventsDigest(ids) });
    expect(digest).toEqual({ digest: manifest().digest });
    expect(digest).toEqual({ digest: received.at(-1)?.data.events_digest });
  });
});

/**
 * Returns true if Python has the modules. Otherwise, prints why the tests that need them are
 * skipped.
 */
function canImport(modules: string): boolean {
  const { status, error, stderr } = spawnSync("python3", ["-c", `import ${modules}`], {
    encoding: "utf8",
  });
  if (status === 0) return true;
  const why = error?.message ?? stderr.trim().split("\n").at(-1);
  process.stdout.write(`Python did not read the exported files with ${modules}: ${why}\n`);
  return false;
}

const readers = {
  pandas: "pandas.read_parquet(path)",
  pyarrow: "pyarrow.parquet.read_table(path, partitioning=None).to_pandas()",
};
const hasReaders = canImport("pandas, pyarrow.parquet");

describe("the Parquet file of a run of 50,000 changes", () => {
  const rowsKey = folderName.replace("/events/v=2/", "/rows/v=1/") + "changes.parquet";
  const expected = () =>
    received
      .flatMap(({ data }) => data.changes ?? [])
      .map(({ id, changes: { price } }) => [id, price.before, price.after].join(" "))
      .sort();

  it("is listed in the run's manifest with its size and digest", () => {
    const bytes = objects.get(rowsKey)!;
    const listed = { key: rowsKey, rows: items, bytes: bytes.length, sha256: sha256(bytes) };
    expect(manifest()).toMatchObject({ rows: listed });
  });

  it("in DuckDB has the changes that the webhook receiver got, and a column for each partition", async () => {
    const rows = await duck.rows(
      `SELECT item_id, before_number, after_number, field, kind, CAST(dt AS VARCHAR) AS dt,
        watchlist_id, CAST(run_number AS INT) AS run_number, typeof(changed_at) AS time,
        round(percent, 6) = round(100 * (after_number / before_number - 1), 6) AS is_percent
      FROM rows ORDER BY item_id`,
    );
    const found = rows.map(({ item_id: id, before_number: before, after_number: after }) =>
      [id, before, after].join(" "),
    );
    expect(found).toEqual(expected());
    const others = new Set(
      rows.map((row) => {
        const { item_id: _id, before_number: _before, after_number: _after, ...rest } = row;
        return JSON.stringify(rest);
      }),
    );
    expect([...others].map((one) => JSON.parse(one) as unknown)).toEqual([
      {
        field: "price",
        kind: "changed",
        dt: "2026-11-19",
        watchlist_id: "wl_prices",
        run_number: 7,
        time: "TIMESTAMP",
        is_percent: true,
      },
    ]);
  });

  it.skipIf(!hasReaders).each(Object.entries(readers))(
    "in %s has the changes that the webhook receiver got",
    (_reader, read) => {
      const program = `
import sys, pandas, pyarrow.parquet
path = sys.argv[1]
for row in ${read}.itertuples():
    print(row.item_id, repr(row.before_number), repr(row.after_number))`;
      const path = join(duck.folder, rowsKey);
      const { stdout, stderr } = spawnSync("python3", ["-c", program, path], {
        encoding: "utf8",
        maxBuffer: 100_000_000,
      });
      expect(stderr).toBe("");
      const found = stdout
        .trim()
        .split("\n")
        .map((line) => {
          const [id, before, after] = line.split(" ");
          return [id, Number(before), Number(after)].join(" ");
        });
      expect(found.sort()).toEqual(expected());
    },
  );
});

describe("the snapshot file of a watchlist with 50,000 items", () => {
  const key = folderName.replace("/events/v=2/", "/snapshots/v=1/") + "items.parquet";
  const expected = () =>
    Array.from({ length: items }, (_, n) => [idOf(n), priceOf(n), n % 3 !== 0].join(" "));

  it("is listed in the run's manifest with its size and digest", () => {
    const bytes = objects.get(key)!;
    const listed = { key, rows: items, bytes: bytes.length, sha256: sha256(bytes) };
    expect(manifest()).toMatchObject({ snapshot: listed });
  });

  it("in DuckDB has every item with its values, and a column for each partition", async () => {
    const rows = await duck.rows(
      `SELECT item_id, price, in_stock FROM snapshots
        WHERE dt = DATE '2026-11-19' AND watchlist_id = 'wl_prices' AND run_number = run
        ORDER BY item_id`,
    );
    expect(rows.map((row) => [row["item_id"], row["price"], row["in_stock"]].join(" "))).toEqual(
      expected(),
    );
  });

  it.skipIf(!hasReaders).each(Object.entries(readers))(
    "in %s has every item with its values",
    (_reader, read) => {
      const program = `
import sys, pandas, pyarrow.parquet
path = sys.argv[1]
for row in ${read}.itertuples():
    print(row.item_id, repr(float(row.price)), str(bool(row.in_stock)).lower())`;
      const path = join(duck.folder, key);
      const { stdout, stderr } = spawnSync("python3", ["-c", program, path], {
        encoding: "utf8",
        maxBuffer: 100_000_000,
      });
      expect(stderr).toBe("");
      const found = stdout
        .trim()
        .split("\n")
        .map((line) => {
          const [id, price, inStock] = line.split(" ");
          return [id, Number(price), inStock].join(" ");
        });
      expect(found).toEqual(expected());
    },
  );
});

describe("the queries of docs/s3-export.md", () => {
  const query = (beginning: string): string =>
    duck.pageStatements().find((statement) => statement.startsWith(beginning)) ?? "";

  it("list the lower prices, the largest cuts first", async () => {
    const expected = received
      .flatMap(({ data }) => data.changes ?? [])
      .map(({ id, changes: { price } }) => ({ id, before: price.before, after: price.after }))
      .filter(({ before, after }) => after < before)
      .sort((a, b) => a.after / a.before - b.after / b.before || (a.id < b.id ? -1 : 1));

    const rows = await duck.rows(query("SELECT dt, id"));

    expect(rows.map(({ dt }) => dt)).toEqual(Array(20).fill("2026-11-19"));
    expect(rows.map(({ id, before, after }) => ({ id, before, after }))).toEqual(
      expected.slice(0, 20),
    );
  });

  it("list the items that are out of stock in the newest snapshot", async () => {
    const rows = await duck.rows(query("SELECT watchlist_id, item_id"));
    expect(rows.map((row) => row["item_id"])).toEqual(
      Array.from({ length: items }, (_, n) => n)
        .filter((n) => n % 3 === 0)
        .map(idOf),
    );
  });

  it("return the cost of each run, from the run object in the manifest", async () => {
    expect(await duck.rows(query("SELECT dt, watchlist_id, run_number"))).toEqual([
      {
        dt: "2026-11-19",
        watchlist_id: "wl_prices",
        run_number: 7,
        status: "completed",
        credits: items,
      },
    ]);
  });

  it("report a run as incomplete only if one of its objects is missing", async () => {
    const lacking = query("SELECT watchlist_id, run_number");
    expect(await duck.rows(lacking)).toEqual([]);

    const [, { key } = { key: "" }] = manifest().objects;
    rmSync(join(duck.folder, key));
    try {
      expect(await duck.rows(lacking)).toEqual([{ watchlist_id: "wl_prices", run_number: 7 }]);
    } finally {
      writeFileSync(join(duck.folder, key), objects.get(key)!);
    }
  });
});

const hasPandas = canImport("fsspec, pandas");
describe.skipIf(!hasPandas)("the pandas program of docs/s3-export.md", () => {
  it("lists the changed prices, the largest cuts first", () => {
    const [program = ""] = codeBlocks("docs/s3-export.md", "python");
    const { stdout, stderr } = spawnSync("python3", ["-c", program], {
      encoding: "utf8",
      env: { ...process.env, EVENTS: join(duck.folder, "shop/events/v=2") },
      maxBuffer: 100_000_000,
    });
    const ratios = received
      .flatMap(({ data }) => data.changes ?? [])
      .map(({ changes: { price } }) => price.after / price.before)
      .sort((a, b) => a - b);

    expect(stderr).toBe("");
    const rows = stdout.split("\n").filter((line) => line.trim().startsWith("wl_prices"));
    expect(rows).toHaveLength(ratios.length);
    expect(rows.map((row) => Number(row.trim().split(/ +/).at(-1)))).toEqual(
      ratios.map((ratio) => expect.closeTo(ratio, 5)),
    );
  });
});
