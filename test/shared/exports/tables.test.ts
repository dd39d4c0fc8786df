import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runOfChanges } from "../../../tools/stand-ins/run-of-changes.ts";
import { changeRows, typesWithRows } from "../../../shared/exports/change-rows.ts";
import { type ItemRow, itemsFile } from "../../../shared/exports/item-columns.ts";
import {
  manifestKey,
  objectKey,
  rowsKey,
  snapshotKey,
} from "../../../shared/exports/object-key.ts";
import { rowsFile } from "../../../shared/exports/rows-file.ts";
import {
  type ExportTable,
  exportTables,
  partitionColumns,
  savedQueries,
} from "../../../shared/exports/tables.ts";
import { codeBlocks } from "../../readme/code-blocks.ts";
import { openDuckDb } from "../../support/exported-bucket.ts";
import { tableStatement } from "./table-statement.ts";

const page = "docs/s3-export.md";
const items = 5;
const run = await runOfChanges({
  accountId: "acct_1",
  runId: "wlrun_7",
  runNumber: 7,
  items,
  startedAt: "2026-11-20T10:00:00.000Z",
});
const folder = { ...run, prefix: "shop/" };

const itemRow = (itemId: string, inStock: boolean): ItemRow => ({
  runId: run.runId,
  runNumber: run.runNumber,
  itemId,
  label: null,
  metadata: { target_price: 9 },
  title: `Cup ${itemId}`,
  url: null,
  image: null,
  sellerNames: {},
  state: "active",
  addedAt: "2026-11-01T00:00:00.000Z",
  firstReadAt: "2026-11-01T00:00:00.000Z",
  lastReadAt: "2026-11-20T10:00:00.000Z",
  lastReadStatus: "ok",
  consecutiveFailures: 0,
  snapshot: { price: 12.5, inStock, deliveryDate: null },
  snapshotAt: "2026-11-20T10:00:00.000Z",
  lastChange: null,
  delistedAt: null,
});

let duck: Awaited<ReturnType<typeof openDuckDb>>;
beforeAll(async () => {
  const objects = new Map<string, Buffer>();
  for (const [n, { id: eventId, type, body }] of run.events.entries()) {
    const name = { number: n + 1, type, eventId, compression: "none" } as const;
    objects.set(objectKey(folder, name), Buffer.from(`${body}\n`));
  }
  objects.set(manifestKey(folder), Buffer.from("{}"));
  const changes = run.events.filter(({ type }) => typesWithRows.has(type));
  const { bytes } = await rowsFile(changes.flatMap(({ body }) => changeRows(body)));
  objects.set(rowsKey(folder), Buffer.from(bytes));
  const snapshot = await itemsFile([[itemRow("1", true), itemRow("2", false)]]);
  objects.set(snapshotKey(folder), Buffer.from(snapshot.bytes));
  duck = await openDuckDb(objects);
  for (const table of exportTables) await duck.run(viewOf(table));
});
afterAll(() => duck.close());

/** Converts a type of Hive to DuckDB: `array<struct<id:string>>` becomes `STRUCT(id VARCHAR)[]`. */
function duckType(type: string): string {
  const [, outer, inner = ""] = /^(\w+)<(.*)>$/.exec(type) ?? [];
  if (outer === "array") return `${duckType(inner)}[]`;
  if (outer === "map") return `MAP(VARCHAR, ${duckType(parts(inner)[1] ?? "")})`;
  if (outer === "struct") {
    const fields = parts(inner).map((field) => {
      const [name = "", ...rest] = field.split(":");
      return `${name} ${duckType(rest.join(":"))}`;
    });
    return `STRUCT(${fields.join(", ")})`;
  }
  const names: Readonly<Record<string, string>> = { string: "VARCHAR", int: "INTEGER" };
  return names[type] ?? type.toUpperCase();
}

/** DuckDB quotes the names of fields that are keywords. */
const unquoted = (type: unknown): string => String(type).replaceAll('"', "");

/** Splits at the commas that are in no angle brackets. */
function parts(text: string): string[] {
  const found = [""];
  let depth = 0;
  for (const letter of text) {
    if (letter === "<") depth += 1;
    if (letter === ">") depth -= 1;
    if (letter === "," && depth === 0) found.push("");
    else found.push(`${found.pop()}${letter}`);
  }
  return found;
}

/** Returns the view of a table, with exactly the columns of its definition. */
function viewOf({ name, folder: place, format, columns }: ExportTable): string {
  const partitions = "hive_partitioning = true, hive_types = {dt: DATE, watchlist_id: VARCHAR}";
  const names = [...columns, ...partitionColumns].map((one) => `"${one.name}"`).join(", ");
  const glob = `${duck.folder}/shop/${place}*/*/*`;
  const types = columns.map((one) => `"${one.name}": '${duckType(one.type)}'`).join(", ");
  const source =
    format === "json"
      ? `read_json('${glob}/*.jsonl*', format = 'newline_delimited', columns = {${types}}, ${partitions})`
      : `read_parquet('${glob}/*.parquet', ${partitions})`;
  return `CREATE VIEW ${name} AS SELECT ${names} FROM ${source}`;
}

describe("the Athena tables in docs/s3-export.md", () => {
  it.each(exportTables)(
    "have the same column types in $name as the exported objects",
    async (table) => {
      const described = await duck.rows(`DESCRIBE SELECT * FROM ${table.name}`);
      expect(described.map((row) => [row["column_name"], unquoted(row["column_type"])])).toEqual(
        [...table.columns, ...partitionColumns].map(({ name, type }) => [name, duckType(type)]),
      );
      expect(await duck.rows(`SELECT * FROM ${table.name}`)).not.toEqual([]);
    },
  );

  it.each(exportTables)(
    "have only column names in $name that Hive and Spark allow",
    ({ name, columns }) => {
      const names = [...columns, ...partitionColumns].map((one) => one.name);
      for (const one of [name, ...names]) expect(one).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(new Set(names).size).toBe(names.length);
    },
  );

  it.each(exportTables)("include $name, with the CREATE statement of the page", (table) => {
    const statements = codeBlocks(page, "").map((code) => code.trim());
    expect(statements).toContain(tableStatement(table, "s3://my-bucket/shop/"));
  });
});

describe("the saved queries of Athena", () => {
  /** The query for the watchlist of the run, as if it were sent on the day of the run. */
  const sqlOf = (name: string): string =>
    savedQueries
      .find((query) => query.name === name)!
      .sql.replaceAll("wl_...", run.watchlistId)
      .replaceAll("current_date", "DATE '2026-11-20'");

  it("list the price cuts, the largest first", async () => {
    const rows = await duck.rows(sqlOf("price-cuts"));
    const percents = rows.map((row) => Number(row["percent"]));
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    const cuts = await duck.rows("SELECT * FROM changes WHERE after_number < before_number");
    expect(rows).toHaveLength(cuts.length);
    expect(rows).not.toEqual([]);
  });

  it("count the changed items of each day", async () => {
    expect(await duck.rows(sqlOf("changes-per-day"))).toEqual([
      { dt: "2026-11-20", field: "price", items: String(items) },
    ]);
  });

  it("list the items that are out of stock in the newest snapshot", async () => {
    expect(await duck.rows(sqlOf("out-of-stock-now"))).toEqual([
      { item_id: "2", name: "Cup 2", price: 12.5, snapshot_at: "2026-11-20 10:00:00" },
    ]);
  });

  it("list the prices of each item", async () => {
    expect(await duck.rows(sqlOf("price-by-day"))).toMatchObject([
      { item_id: "1", name: "Cup 1", lowest: 12.5, average: 12.5, highest: 12.5, snapshots: "1" },
      { item_id: "2" },
    ]);
  });

  it("count the events of each run", async () => {
    expect(await duck.rows(sqlOf("events-per-run"))).toEqual([
      { dt: "2026-11-20", run: 7, type: "watchlist.product.changed", events: "1" },
    ]);
  });

  it.each(["price-cuts", "out-of-stock-now"])("are shown in docs/s3-export.md: %s", (name) => {
    const query = savedQueries.find((one) => one.name === name);
    expect(codeBlocks(page, "").map((code) => code.trim())).toContain(query?.sql);
  });

  it("select one watchlist and a time span of days each", () => {
    for (const { sql } of savedQueries) {
      const tables = sql.match(/FROM (?:events|changes|snapshots)/g) ?? [];
      expect(tables.length).toBeGreaterThan(0);
      expect(sql.match(/watchlist_id = 'wl_\.\.\.' AND dt >= /g)).toHaveLength(tables.length);
    }
  });
});
