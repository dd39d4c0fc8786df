import { type Snapshot, stepScrapers } from "../scrapers/catalog.ts";
import { type FieldType, fieldTypes } from "../scrapers/fields.ts";
import { type Column, type ColumnType, parquetFile, type ParquetFile } from "./parquet-file.ts";

/** One row of a snapshot file: an item of a watchlist at the end of a run. Times are ISO 8601. */
export interface ItemRow {
  readonly runId: string;
  readonly runNumber: number;
  readonly itemId: string;
  readonly label: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly title: string | null;
  readonly url: string | null;
  readonly image: string | null;
  readonly sellerNames: Readonly<Record<string, string>>;
  readonly state: string;
  readonly addedAt: string;
  readonly firstReadAt: string | null;
  readonly lastReadAt: string | null;
  readonly lastReadStatus: string | null;
  readonly consecutiveFailures: number;
  readonly snapshot: Snapshot | null;
  readonly snapshotAt: string | null;
  readonly lastChange: {
    readonly changedAt: string;
    readonly runNumber: number;
    readonly changes: Readonly<Record<string, unknown>>;
  } | null;
  readonly delistedAt: string | null;
}

const timeOf = (at: string | null): Date | null => (at === null ? null : new Date(at));
const jsonOf = (values: Readonly<Record<string, unknown>>): string | null =>
  Object.keys(values).length === 0 ? null : JSON.stringify(values);

const text = (
  name: string,
  value: (row: ItemRow) => string | null,
  nullable = true,
): Column<ItemRow> => ({ name, type: "STRING", nullable, value });
const time = (
  name: string,
  value: (row: ItemRow) => string | null,
  nullable = true,
): Column<ItemRow> => ({ name, type: "TIMESTAMP", nullable, value: (row) => timeOf(value(row)) });

const ownColumns: readonly Column<ItemRow>[] = [
  text("run_id", ({ runId }) => runId, false),
  // The column is not named `run_number`, because query engines add a column with that name for the
  // folder.
  { name: "run", type: "INT32", nullable: false, value: ({ runNumber }) => runNumber },
  text("item_id", ({ itemId }) => itemId, false),
  text("label", ({ label }) => label),
  text("metadata", ({ metadata }) => jsonOf(metadata)),
  text("title", ({ title }) => title),
  text("url", ({ url }) => url),
  text("image", ({ image }) => image),
  text("seller_names", ({ sellerNames }) => jsonOf(sellerNames)),
  // The column is not named `state`, because retailer_d has a field with that name.
  text("item_state", ({ state }) => state, false),
  time("added_at", ({ addedAt }) => addedAt, false),
  time("first_read_at", ({ firstReadAt }) => firstReadAt),
  time("last_read_at", ({ lastReadAt }) => lastReadAt),
  text("last_read_status", ({ lastReadStatus }) => lastReadStatus),
  {
    name: "consecutive_failures",
    type: "INT32",
    nullable: false,
    value: ({ consecutiveFailures }) => consecutiveFailures,
  },
  time("snapshot_at", ({ snapshotAt }) => snapshotAt),
  time("last_changed_at", ({ lastChange }) => lastChange?.changedAt ?? null),
  {
    name: "last_changed_run",
    type: "INT32",
    nullable: true,
    value: ({ lastChange }) => lastChange?.runNumber ?? null,
  },
  text("last_changes", ({ lastChange }) =>
    lastChange === null ? null : JSON.stringify(lastChange.changes),
  ),
  time("delisted_at", ({ delistedAt }) => delistedAt),
];

const columnTypes: Readonly<Record<FieldType, ColumnType>> = {
  number: "DOUBLE",
  boolean: "BOOLEAN",
  string: "STRING",
};

/**
 * Returns the name of the Parquet column for a field: `newMinPrice` becomes `new_min_price`. Snake
 * case is needed because Hive and Spark ignore case in column names.
 */
export const columnOfField = (field: string): string =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const columnOf = (field: string, fieldType: FieldType): Column<ItemRow> => ({
  name: columnOfField(field),
  type: columnTypes[fieldType],
  nullable: true,
  value({ snapshot }) {
    const value = snapshot?.[field] ?? null;
    return typeof value === fieldType ? value : null;
  },
});

/** The fields that snapshots of items can contain. Derived fields are not stored. */
const storedFields = new Set(
  Object.values(stepScrapers).flatMap(({ trackedFields, testableFields }) =>
    [trackedFields, testableFields].flat(),
  ),
);

/**
 * The columns of snapshot files. The columns of every item come first. After them, there is one
 * column for each field of any platform, so that all files have the same columns.
 */
export const itemColumns: readonly Column<ItemRow>[] = [
  ...ownColumns,
  ...Object.entries(fieldTypes)
    .filter(([field]) => storedFields.has(field))
    .map(([field, fieldType]) => columnOf(field, fieldType)),
];

/**
 * Writes the items of a watchlist as a Parquet file, with one row group for each chunk of items.
 */
export const itemsFile = (
  chunks: AsyncIterable<readonly ItemRow[]> | Iterable<readonly ItemRow[]>,
): Promise<ParquetFile> => parquetFile(itemColumns, chunks);
