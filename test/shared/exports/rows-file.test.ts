import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import type { ChangeRow } from "../../../shared/exports/change-rows.ts";
import { rowsFile } from "../../../shared/exports/rows-file.ts";

const row: ChangeRow = {
  eventId: "evt_1",
  runId: "wlrun_1",
  runNumber: 7,
  kind: "changed",
  itemId: "1001",
  label: "Tasse \u2603",
  metadata: '{"target_price":9}',
  title: "Cup",
  url: null,
  step: "check",
  at: new Date("2026-11-20T10:00:00.123Z"),
  field: "price",
  before: "10",
  after: "8",
  beforeNumber: 10,
  afterNumber: 8,
  percent: -20,
};
const delisted: ChangeRow = {
  ...row,
  kind: "delisted",
  label: null,
  field: null,
  before: null,
  after: null,
  beforeNumber: null,
  afterNumber: null,
  percent: null,
};

describe("a Parquet file of rows", () => {
  it("contains every value of every row", async () => {
    const { bytes } = await rowsFile([row, delisted]);
    const file = bytes.buffer.slice(
      bytes.byteOffset,
      bytes.byteOffset + bytes.length,
    ) as ArrayBuffer;

    const common = {
      run_id: "wlrun_1",
      run: 7,
      event_id: "evt_1",
      item_id: "1001",
      metadata: '{"target_price":9}',
      title: "Cup",
      url: null,
      step: "check",
      changed_at: row.at,
    };
    expect(await parquetReadObjects({ file })).toEqual([
      {
        ...common,
        kind: "changed",
        label: "Tasse \u2603",
        field: "price",
        before: "10",
        after: "8",
        before_number: 10,
        after_number: 8,
        percent: -20,
      },
      {
        ...common,
        kind: "delisted",
        label: null,
        field: null,
        before: null,
        after: null,
        before_number: null,
        after_number: null,
        percent: null,
      },
    ]);
  });

  it("has the same bytes whenever it is created from the same rows", async () => {
    const rows = Array.from({ length: 3_000 }, (_, n) => ({ ...row, itemId: `${n}` }));
    const [one, two] = [await rowsFile(rows), await rowsFile(rows)];
    expect(Buffer.compare(one.bytes, two.bytes)).toBe(0);
    expect(one.sha256).toBe(two.sha256);
  });

  it("has no column with the name of a folder in its object key", async () => {
    const { bytes } = await rowsFile([row]);
    const file = bytes.buffer.slice(
      bytes.byteOffset,
      bytes.byteOffset + bytes.length,
    ) as ArrayBuffer;
    const [read = {}] = await parquetReadObjects({ file });
    for (const name of ["v", "dt", "watchlist_id", "run_number"])
      expect(read).not.toHaveProperty(name);
  });
});
