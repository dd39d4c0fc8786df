import { createHash } from "node:crypto";
import type { ColumnSource } from "hyparquet-writer";
import type { ChangeRow } from "./change-rows.ts";

/** A Parquet file. `sha256` is in hexadecimal digits. */
export interface RowsFile {
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

/** The Parquet file of a run as the manifest lists it. `sha256` is in hexadecimal digits. */
export interface WrittenRows {
  readonly key: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

type Column = {
  readonly name: string;
  readonly type: NonNullable<ColumnSource["type"]>;
  readonly nullable: boolean;
  readonly value: (row: ChangeRow) => string | number | Date | null;
};

/**
 * The columns. The folders of the file name `dt`, `watchlist_id` and `run_number`, which query
 * engines add as columns, so no column here may have these names.
 */
const columns: readonly Column[] = [
  { name: "run_id", type: "STRING", nullable: false, value: ({ runId }) => runId },
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

/**
 * Writes rows as a Parquet file. The same rows give the same bytes, so a repeated export overwrites
 * a file with an equal one.
 */
export async function rowsFile(rows: readonly ChangeRow[]): Promise<RowsFile> {
  // Only an export with rows needs the library, so other invocations do not load it.
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  const columnData = columns.map(({ name, type, nullable, value }) => ({
    name,
    type,
    nullable,
    data: rows.map(value),
  }));
  const bytes = new Uint8Array(parquetWriteBuffer({ columnData }));
  return { bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
}
