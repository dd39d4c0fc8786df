import { itemColumns } from "./item-columns.ts";
import { layoutFolders } from "./object-key.ts";
import type { Column, ColumnType } from "./parquet-file.ts";
import { changeColumns } from "./rows-file.ts";

/** A column of a table, with its type in Hive. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
}

/** A table of Glue and Athena over the objects of exports. */
export interface ExportTable {
  readonly name: "events" | "changes" | "snapshots";
  readonly description: string;
  /** Folder of the objects below the prefix of the destination. */
  readonly folder: string;
  readonly format: "json" | "parquet";
  readonly columns: readonly TableColumn[];
}

const hiveTypes: Readonly<Record<ColumnType, string>> = {
  STRING: "string",
  TIMESTAMP: "timestamp",
  DOUBLE: "double",
  INT32: "int",
  BOOLEAN: "boolean",
};

const hiveColumns = (
  columns: readonly Pick<Column<never>, "name" | "type">[],
): readonly TableColumn[] => columns.map(({ name, type }) => ({ name, type: hiveTypes[type] }));

const entryFields = "id:string,label:string,title:string,metadata:map<string,string>";
const eventData = [
  "run_id:string,run_number:int,part:int,parts:int,events_digest:string",
  `changes:array<struct<${entryFields},changes:map<string,struct<before:string,after:string>>>>`,
  `products:array<struct<${entryFields},step:string,branch:string>>`,
].join(",");

/** The tables of exports. The run number is not a partition, because the objects contain it. */
export const exportTables: readonly ExportTable[] = [
  {
    name: "events",
    description: "Every event, as webhooks carry it.",
    folder: layoutFolders.events,
    format: "json",
    columns: [
      { name: "id", type: "string" },
      { name: "type", type: "string" },
      { name: "created_at", type: "string" },
      { name: "data", type: `struct<${eventData}>` },
    ],
  },
  {
    name: "changes",
    description: "One row for each changed field of an item, and for each delisted item.",
    folder: layoutFolders.rows,
    format: "parquet",
    columns: hiveColumns(changeColumns),
  },
  {
    name: "snapshots",
    description: "All items of a watchlist at the end of a run.",
    folder: layoutFolders.snapshots,
    format: "parquet",
    columns: hiveColumns(itemColumns),
  },
];

/** The partitions of every table. */
export const partitionColumns: readonly TableColumn[] = [
  { name: "dt", type: "date" },
  { name: "watchlist_id", type: "string" },
];

/** Java classes with which Hive reads and writes the objects of a format. */
export const formats = {
  json: {
    serde: "org.openx.data.jsonserde.JsonSerDe",
    input: "org.apache.hadoop.mapred.TextInputFormat",
    output: "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
  },
  parquet: {
    serde: "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe",
    input: "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
    output: "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
  },
} as const satisfies Readonly<Record<ExportTable["format"], Readonly<Record<string, string>>>>;

/**
 * Returns the Athena table properties that derive the partitions from a query (partition
 * projection), so that no crawler is needed. A query must then select one watchlist.
 * @param place address of the exports, such as `s3://my-bucket/shop/`
 */
export const tableProperties = (
  { folder }: ExportTable,
  place: string,
): Readonly<Record<string, string>> => ({
  "projection.enabled": "true",
  "projection.dt.type": "date",
  "projection.dt.format": "yyyy-MM-dd",
  "projection.dt.range": "2026-01-01,NOW",
  "projection.watchlist_id.type": "injected",
  "storage.location.template": `${place}${folder}dt=\${dt}/watchlist_id=\${watchlist_id}/`,
});

/** A query of Athena, which the deployment saves under its name. */
export interface SavedQuery {
  readonly name: string;
  readonly description: string;
  readonly sql: string;
}

/**
 * Example queries of the tables. Each selects the watchlist `wl_...`, which the analyst replaces.
 * They also run in DuckDB, which the tests use.
 */
export const savedQueries: readonly SavedQuery[] = [
  {
    name: "price-cuts",
    description: "The largest price cuts of the last 7 days.",
    sql: `SELECT dt, item_id, coalesce(label, title) AS name, before_number, after_number, percent
FROM changes
WHERE watchlist_id = 'wl_...' AND dt >= current_date - INTERVAL '7' DAY
  AND field = 'price' AND percent < 0
ORDER BY percent, item_id LIMIT 100`,
  },
  {
    name: "changes-per-day",
    description: "How many items changed on each day of the last 30 days, by field.",
    sql: `SELECT dt, field, count(DISTINCT item_id) AS items
FROM changes
WHERE watchlist_id = 'wl_...' AND dt >= current_date - INTERVAL '30' DAY AND kind = 'changed'
GROUP BY dt, field
ORDER BY dt, field`,
  },
  {
    name: "out-of-stock-now",
    description: "The items that are out of stock in the newest snapshot of the last 7 days.",
    sql: `SELECT item_id, coalesce(label, title) AS name, price, snapshot_at
FROM snapshots
WHERE watchlist_id = 'wl_...' AND dt >= current_date - INTERVAL '7' DAY AND in_stock = false
  AND run = (SELECT max(run) FROM snapshots
    WHERE watchlist_id = 'wl_...' AND dt >= current_date - INTERVAL '7' DAY)
ORDER BY item_id`,
  },
  {
    name: "price-by-day",
    description: "The lowest, average and highest price of each item over the last 30 days.",
    sql: `SELECT item_id, max(coalesce(label, title)) AS name, min(price) AS lowest, avg(price) AS average,
  max(price) AS highest, count(price) AS snapshots
FROM snapshots
WHERE watchlist_id = 'wl_...' AND dt >= current_date - INTERVAL '30' DAY
GROUP BY item_id
ORDER BY item_id`,
  },
  {
    name: "events-per-run",
    description: "The events of each run of the last 7 days, by type.",
    sql: `SELECT dt, data.run_number AS run, type, count(*) AS events
FROM events
WHERE watchlist_id = 'wl_...' AND dt >= current_date - INTERVAL '7' DAY
  AND type <> 'watchlist.run.completed'
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3`,
  },
];
