import { createHash } from "node:crypto";
import { parquetReadObjects } from "hyparquet";
import { beforeEach, describe, expect, it } from "vitest";
import type { Destination } from "../../../shared/exports/destination.ts";
import { columnOfField, itemColumns } from "../../../shared/exports/item-columns.ts";
import { itemSnapshots } from "../../../shared/publishing/take-snapshot.ts";
import type { Run } from "../../../shared/runs/run.ts";
import { decideHold } from "../../../shared/runs/decide-hold.ts";
import { snapshotTimeoutMs } from "../../../shared/runs/finish-run.ts";
import { completeReads, lastReadAt } from "../../../shared/runs/last-read.ts";
import { listItems } from "../../../shared/watchlists/list-items.ts";
import { presentItem } from "../../../shared/watchlists/present-item.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { openTables } from "../../support/tables.ts";
import { type CrashPoint, type RunBench, startRunBench } from "../../support/run-bench.ts";

type Choice = Pick<Destination, "enabled" | "snapshot">;
type Row = Readonly<Record<string, unknown>>;

const tables = openTables();
const found = (price: number) => () => ({
  status: "ok" as const,
  fields: { price: { amount: price }, availability: { inStock: true } },
});
const byKey = (key: string) => (key === "10002" ? { status: "not_found" as const } : undefined);

let bench: RunBench;
let choice: Choice | null;
/** The objects of the events bucket. */
let objects: Map<string, Uint8Array>;
beforeEach(async () => {
  choice = { enabled: true, snapshot: "run" };
  objects = new Map();
  bench = await startRunBench({
    tables,
    snapshotsOf: (stores) =>
      itemSnapshots({
        ...stores,
        destinations: { get: async () => choice as Destination | null },
        bodies: {
          get: async (key) => objects.get(key) ?? null,
          put: async (key, bytes) => void objects.set(key, bytes),
        },
      }),
  });
  bench.answers.product = found(10);
});

/** Reads the snapshot file of the newest run. */
async function rowsOfLastRun(list: Watchlist): Promise<Row[]> {
  const { accountId, id, snapshot } = await bench.lastRun(list);
  const key = `accounts/${accountId}/runs/${id}/items-${snapshot?.name}.parquet`;
  const bytes = objects.get(key) ?? new Uint8Array();
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const file = Uint8Array.from(bytes).buffer;
  const rows = await parquetReadObjects({ file });
  expect(snapshot).toMatchObject({ rows: rows.length, bytes: bytes.length, sha256 });
  return rows;
}

/** Returns the items as `GET /v1/watchlists/{id}/items` returns them. */
async function listedItems(list: Watchlist): Promise<Row[]> {
  const query = { limit: 1_000, startingAfter: undefined, state: undefined };
  const page = await listItems(list.id, { ...query, changedSince: undefined }, bench.pages);
  const reads = await completeReads(list.id, bench.runs);
  return page.items.map(({ item, details }) =>
    presentItem(item, list.platform, { details, lastReadAt: lastReadAt(item, reads) }),
  );
}

const timeOf = (value: unknown): unknown => (typeof value === "string" ? new Date(value) : value);
const jsonOf = (value: unknown): unknown =>
  Object.keys(value as Row).length === 0 ? null : JSON.stringify(value);

/** Returns the row of an item as the columns of a snapshot file represent it. */
function expectedRow({ id: runId, runNumber }: Run, item: Row): Row {
  const change = item["last_change"] as Row | null;
  const fields = Object.entries((item["snapshot"] ?? {}) as Row);
  const blank = Object.fromEntries(itemColumns.map(({ name }) => [name, null]));
  return {
    ...blank,
    ...Object.fromEntries(fields.map(([field, value]) => [columnOfField(field), value])),
    run_id: runId,
    run: runNumber,
    item_id: item["id"],
    label: item["label"],
    metadata: jsonOf(item["metadata"]),
    title: item["title"],
    url: item["url"],
    image: item["image"],
    seller_names: jsonOf(item["seller_names"]),
    item_state: item["state"],
    added_at: timeOf(item["added_at"]),
    first_read_at: timeOf(item["first_read_at"]),
    last_read_at: timeOf(item["last_read_at"]),
    last_read_status: item["last_read_status"],
    consecutive_failures: item["consecutive_failures"],
    snapshot_at: timeOf(item["snapshot_at"]),
    last_changed_at: timeOf(change?.["changed_at"] ?? null),
    last_changed_run: change?.["run_number"] ?? null,
    last_changes: change === null ? null : JSON.stringify(change["changes"]),
    delisted_at: timeOf(item["delisted_at"]),
  };
}

describe("the snapshot file of a run", () => {
  it("contains each item as GET /v1/watchlists/{id}/items returns it after the run", async () => {
    const list = await bench.createList(["10001", "10002", "10003", "10004"]);
    const at = bench.clock.now().toISOString();
    await bench.pages.createDetails(list.id, [
      {
        id: "10001",
        addedAt: at,
        label: "Tasse \u2603",
        metadata: { target_price: 9 },
        facts: { title: "Cup", url: "https://shop.example/10001" },
        readAt: at,
      },
    ]);
    await bench.run(list);
    bench.clock.set("2026-03-01T01:00:00Z");
    bench.answers.product = (id) =>
      byKey(id) ?? (id === "10003" ? { status: "unavailable" } : found(12)());
    await bench.run(list);

    const run = await bench.lastRun(list);
    const rows = await rowsOfLastRun(list);
    expect(rows).toEqual((await listedItems(list)).map((item) => expectedRow(run, item)));
    expect(rows).toMatchObject([
      { label: "Tasse \u2603", title: "Cup", metadata: '{"target_price":9}', price: 12 },
      { item_state: "delisted", delisted_at: new Date("2026-03-01T01:00:00Z") },
      { consecutive_failures: 1, price: 10, last_read_at: new Date(at) },
      { item_state: "active", price: 12, in_stock: true, last_changed_run: 2 },
    ]);
  });

  it("contains all items of a watchlist in ID order, even if the file needs several row groups", async () => {
    const ids = Array.from({ length: 5_003 }, (_, n) => String(10_001 + n));
    const list = await bench.createList(ids);
    bench.answers.product = () => ({ status: "unavailable" });
    await bench.run(list);

    expect((await rowsOfLastRun(list)).map((row) => row["item_id"])).toEqual(ids);
  });

  it.each([
    ["has no destination", null],
    ["has a disabled destination", { enabled: false, snapshot: "run" }],
    ['has the snapshot setting "none"', { enabled: true, snapshot: "none" }],
  ] as const)("is not written if the account %s", async (_, chosen) => {
    choice = chosen;
    const list = await bench.createList(["10001"]);
    await bench.run(list);

    const run = await bench.lastRun(list);
    expect(run.phase).toBe("done");
    expect(run.snapshot).toBeUndefined();
    expect(objects.size).toBe(0);
  });

  it('is written with the first run of each UTC day, and with no other run, if the account chose "day"', async () => {
    choice = { enabled: true, snapshot: "day" };
    const list = await bench.createList(["10001"]);
    const hasFile: boolean[] = [];
    for (const at of ["01T22:00", "01T23:59", "02T00:00", "02T01:00"]) {
      bench.clock.set(`2026-03-${at}:00Z`);
      await bench.run(list);
      hasFile.push((await bench.lastRun(list)).snapshot !== undefined);
    }

    expect(hasFile).toEqual([true, false, true, false]);
  });

  it.each(["before", "after"] as const)(
    "comes from the attempt that ended the run, even if an earlier attempt died %s the effect of a call",
    async (when) => {
      const finished = async (crash?: CrashPoint) => {
        const list = await bench.createList(["10001", "10003"]);
        await bench.runSome(list, 2);
        await bench.work([], crash);
        return list;
      };
      await finished();
      const calls = bench.calls();
      for (let call = 1; call <= calls; call += 1) {
        const list = await finished({ call, when });
        const run = await bench.lastRun(list);

        expect(run.phase).toBe("done");
        expect(await rowsOfLastRun(list)).toEqual(
          (await listedItems(list)).map((item) => expectedRow(run, item)),
        );
      }
    },
  );

  it.each([
    ["published with a released run", "released", true],
    ["not published with a discarded run", "discarded", false],
  ] as const)("is %s", async (_, status, isPublished) => {
    const brake = { maxChangedPercent: 50, minItems: 4 };
    const list = await bench.createList(["10001", "10002", "10003", "10004"], { brake });
    await bench.run(list);
    bench.clock.set("2026-03-01T01:00:00Z");
    bench.answers.product = found(1_000);
    await bench.run(list);
    const held = await bench.lastRun(list);
    expect(held).toMatchObject({ phase: "held", snapshot: { rows: 4 } });
    await decideHold(held, { status, reason: null }, { ...bench, warn: () => {} });
    await bench.work([]);

    const [notice, ended] = bench.publications.slice(-2);
    expect(notice).not.toHaveProperty("snapshot");
    expect(ended?.snapshot).toEqual(isPublished ? held.snapshot : undefined);
  });

  it("is abandoned after 15 minutes of failed writes, and the run ends without the file", async () => {
    const list = await bench.createList(["10001"]);
    await bench.runSome(list, 2);
    const run = await bench.lastRun(list);
    expect(run.phase).toBe("finishing");
    bench.clock.advance(snapshotTimeoutMs);
    await bench.work([{ queue: "finishes", run }]);

    const ended = await bench.lastRun(list);
    expect(ended.phase).toBe("done");
    expect(ended.snapshot).toBeUndefined();
  });
});
