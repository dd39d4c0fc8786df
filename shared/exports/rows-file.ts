import type { ChangeRow } from "./change-rows.ts";
import { type Column, parquetFile, type ParquetFile } from "./parquet-file.ts";

/**
 * The columns of the Parquet file with the changes of a run. Query engines add columns for the
 * folders `dt`, `watchlist_id` and `run_number`, so no column here may have one of these names.
 */
export const changeColumns: readonly Column<ChangeRow>[] = [
  { name: "run_id", type: "STRING", nullable: false, value: ({ runId }) => runId },
  // The column is not named `run_number`, because query engines add a column with that name for the
  // folder.
  { name: "run", type: "INT32", nullable: false, value: ({ runNumber }) => runNumber },
  { name: "event_id", type: "STRING", nullable: false, value: ({ eventId }) => eventId },
  { name: "kind", type: "STRING", nullable: false, value: ({ kind }) => kind },
  { name: "item_id", type: "STRING", nullable: false, value: ({ itemId }) => itemId },
  { name: "label", type: "STRING", nullable: true, value: ({ label }) => label },
  { name: "metadata", type: "STRING", nullable: true, value: ({ metadata }) => metadata },
  { name: "title", type: "STRING", nullable: true, value: ({ title }) => title },
  { name: "url", type: "STRING", nullable: true, value: ({ url }) => url },
  { name: "step", type: "STRING", nullable: false, value: ({ step }) => step },
  { name: "changed_at", type: "TIMESTAMP", nullable: false, value: ({ at }) => at },
  { name: "field", type: "STRING", nullable: true, value: ({ field }) => field },
  { name: "before", type: "STRING", nullable: true, value: ({ before }) => before },
  { name: "after", type: "STRING", nullable: true, value: ({ after }) => after },
  {
    name: "before_number",
    type: "DOUBLE",
    nullable: true,
    value: ({ beforeNumber }) => beforeNumber,
  },
  { name: "after_number", type: "DOUBLE", nullable: true, value: ({ afterNumber }) => afterNumber },
  { name: "percent", type: "DOUBLE", nullable: true, value: ({ percent }) => percent },
];

const rowsInGroupMax = 50_000;

/**
 * Writes the changes of a run as a Parquet file. The same rows give the same bytes, so a repeated
 * export overwrites the file with an equal one.
 */
export const rowsFile = (rows: readonly ChangeRow[]): Promise<ParquetFile> =>
  parquetFile(
    changeColumns,
    Array.from({ length: Math.ceil(rows.length / rowsInGroupMax) }, (_, n) =>
      rows.slice(n * rowsInGroupMax, (n + 1) * rowsInGroupMax),
    ),
  );
