import { createHash } from "node:crypto";
import type { ColumnSource } from "hyparquet-writer";

/** A Parquet file. `sha256` is in hexadecimal digits. */
export interface ParquetFile {
  readonly bytes: Uint8Array;
  readonly rows: number;
  readonly sha256: string;
}

/** The types of columns. `TIMESTAMP` has milliseconds, in UTC. */
export type ColumnType = "STRING" | "TIMESTAMP" | "DOUBLE" | "INT32" | "BOOLEAN";

/**
 * A column of a Parquet file. Query engines add further columns from the names of the file's
 * folders (`partitionColumns`).
 */
export interface Column<Row> {
  /** Lower-case letters, digits and underscores, as Hive and Spark require. */
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly value: (row: Row) => string | number | boolean | Date | null;
}

/**
 * Writes rows as a Parquet file. Each chunk of rows becomes a row group, so only one chunk and the
 * compressed file are in memory. The same chunks give the same bytes.
 */
export async function parquetFile<Row>(
  columns: readonly Column<Row>[],
  chunks: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
): Promise<ParquetFile> {
  // The library is loaded here, because only a process that writes files needs it.
  const { ByteWriter, ParquetWriter, schemaFromColumnData } = await import("hyparquet-writer");
  const columnsOf = (rows: readonly Row[]): ColumnSource[] =>
    columns.map(({ name, type, nullable, value }) => ({
      name,
      type,
      nullable,
      data: rows.map(value),
    }));
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    schema: schemaFromColumnData({ columnData: columnsOf([]) }),
  });
  let rows = 0;
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    rows += chunk.length;
    const columnData = columnsOf(chunk).map(({ name, data }) => ({ name, data }));
    await file.write({ columnData, rowGroupSize: chunk.length });
  }
  await file.finish();
  const bytes = writer.getBytes();
  return { bytes, rows, sha256: createHash("sha256").update(bytes).digest("hex") };
}
