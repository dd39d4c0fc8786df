import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  ExportError,
  type ExportStore,
  readEvents,
  readRuns,
  readTables,
} from "../../../clients/typescript/source/index.ts";

const sha256 = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex");

const folderOf = (run: number): string =>
  `shop/events/v=2/dt=2026-11-23/watchlist_id=wl_1/run_number=0000000${run}/`;

/** Returns the objects of a run with two events. */
function runObjects(folder: string, name: string): [string, Uint8Array][] {
  const events = [1, 2].map((n) => {
    const id = `evt_${name}_${n}`;
    const content = gzipSync(`${JSON.stringify({ id })}\n`);
    return { id, key: `${folder}0000${n}-changed-${id}.jsonl.gz`, content };
  });
  const manifest = {
    run: {},
    objects: events.map(({ id, key, content }) => ({
      key,
      event_id: id,
      type: "watchlist.product.changed",
      items: 1,
      bytes: content.byteLength,
      sha256: sha256(content),
    })),
    totals: { objects: 2, items: 2, bytes: 0 },
    digest: sha256(events.map(({ id }) => id).join("\n")),
  };
  return [
    ...events.map(({ key, content }): [string, Uint8Array] => [key, content]),
    [`${folder}_manifest.json`, Buffer.from(JSON.stringify(manifest))],
  ];
}

function storeOf(objects: ReadonlyMap<string, Uint8Array>): ExportStore {
  return {
    async *keys(prefix) {
      yield* [...objects.keys()].filter((key) => key.startsWith(prefix)).toSorted();
    },
    async read(key) {
      const content = objects.get(key);
      if (content === undefined) throw new Error(`There is no ${key}.`);
      return content;
    },
  };
}

const complete = () =>
  new Map([
    ...runObjects(folderOf(1), "a"),
    ...runObjects(`${folderOf(1)}hold/`, "hold"),
    ...runObjects(folderOf(2), "b"),
  ]);
const idsOf = async (objects: ReadonlyMap<string, Uint8Array>) => {
  const ids = [];
  for await (const { id } of readEvents(storeOf(objects), { prefix: "shop/" })) ids.push(id);
  return ids;
};

describe("the export reader of the TypeScript client", () => {
  it("yields the events of every run, and the notices about held runs, in order", async () => {
    expect(await idsOf(complete())).toEqual([
      "evt_a_1",
      "evt_a_2",
      "evt_hold_1",
      "evt_hold_2",
      "evt_b_1",
      "evt_b_2",
    ]);
  });

  it("reports a folder without a manifest, and yields no events from this folder", async () => {
    const objects = complete();
    objects.delete(`${folderOf(2)}_manifest.json`);
    const incomplete: string[] = [];
    const runs = [];
    const options = {
      prefix: "shop/",
      onIncomplete: (folder: string) => void incomplete.push(folder),
    };
    for await (const { folder } of readRuns(storeOf(objects), options)) runs.push(folder);
    expect(runs).toEqual([folderOf(1), `${folderOf(1)}hold/`]);
    expect(incomplete).toEqual([folderOf(2)]);
  });

  it("throws an error before the first event of a run if an object of the run is missing", async () => {
    const objects = complete();
    objects.delete(`${folderOf(1)}00002-changed-evt_a_2.jsonl.gz`);
    await expect(idsOf(objects)).rejects.toThrow(/cannot be read/);
  });

  it("throws an error if the bytes of an object differ from the manifest's hash", async () => {
    const objects = complete();
    objects.set(`${folderOf(1)}00002-changed-evt_a_2.jsonl.gz`, gzipSync('{"id":"evt_a_2"}'));
    await expect(idsOf(objects)).rejects.toThrow(/, but its manifest states /);
  });

  it("throws an error if the 'digest' of a manifest differs from the events that the manifest lists", async () => {
    const objects = complete();
    const key = `${folderOf(2)}_manifest.json`;
    const text = Buffer.from(objects.get(key) ?? "").toString();
    objects.set(key, Buffer.from(text.replace(/"digest":"[0-9a-f]{4}/, '"digest":"0000')));
    await expect(idsOf(objects)).rejects.toThrow(/digest/);
  });

  it("throws an error that names a damaged manifest", async () => {
    const key = `${folderOf(2)}_manifest.json`;
    for (const damaged of ["{", "null", "{}"]) {
      const objects = complete().set(key, Buffer.from(damaged));
      await expect(idsOf(objects)).rejects.toThrow(`The manifest ${key} `);
    }
  });

  it("refuses a value of 'since' that is not a date", async () => {
    for (const since of ["yesterday", "2026-02-31"])
      await expect(readRuns(storeOf(complete()), { since }).next()).rejects.toThrow(RangeError);
  });

  it("yields runs from the day of 'since' on, and skips earlier runs", async () => {
    const found = [];
    const later = folderOf(3).replace("2026-11-23", "2026-11-24");
    const objects = new Map([...complete(), ...runObjects(later, "c")]);
    const options = { prefix: "shop/", since: "2026-11-24" };
    for await (const { folder } of readRuns(storeOf(objects), options)) found.push(folder);
    expect(found).toEqual([later]);
  });

  it("throws an error if the 'events_digest' that a manifest contains differs from the events of the run", async () => {
    const objects = complete();
    const key = `${folderOf(2)}_manifest.json`;
    const text = Buffer.from(objects.get(key) ?? "").toString();
    objects.set(key, Buffer.from(text.replace('"run":{}', '"run":{"events_digest":"00"}')));
    await expect(idsOf(objects)).rejects.toThrow(/'events_digest'/);
  });

  it("verifies the size and hash of the Parquet files that a manifest lists", async () => {
    const content = Buffer.from("PAR1");
    const rows = { key: "shop/rows/a.parquet", rows: 1, bytes: 4, sha256: sha256(content) };
    const store = (found: Uint8Array) => storeOf(new Map([[rows.key, found]]));
    await expect(readTables(store(content), { rows })).resolves.toBeUndefined();
    await expect(readTables(store(Buffer.from("PAR2")), { rows })).rejects.toThrow(ExportError);
    await expect(readTables(storeOf(new Map()), { rows })).rejects.toThrow("cannot be read");
  });
});
