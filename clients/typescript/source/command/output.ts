/** Where a command writes its result, and its messages to the user. */
export interface Output {
  /**
   * Writes text of the result. Returns a promise if the reader of the output cannot take more text
   * yet. The promise resolves when the reader can.
   */
  write(text: string): void | Promise<void>;
  /** Writes a message to the user, separately from the result. */
  warn(text: string): void;
}

/** The format of a result. `json` is one JSON object per line. */
export type Format = "table" | "json" | "csv";
/** A row of a result: values by the name of their column. */
export type Row = Readonly<Record<string, unknown>>;

const widthMax = 40;

/**
 * Writes rows as they arrive: JSON and CSV row by row, and tables in groups of aligned rows.
 * @param columns The names of the columns of CSV and of tables, in order. JSON contains all values
 * of a row.
 */
export async function writeRows(
  rows: AsyncIterable<Row> | Iterable<Row>,
  columns: readonly string[],
  { format, output }: { readonly format: Format; readonly output: Output },
): Promise<void> {
  if (format === "csv") await output.write(`${columns.join(",")}\n`);
  let table: string[][] = [[...columns]];
  const flush = async (): Promise<void> => {
    await output.write(tableOf(table));
    table = [];
  };
  for await (const row of rows) {
    const cells = columns.map((column) => cellOf(row[column]));
    if (format === "json") await output.write(`${JSON.stringify(row)}\n`);
    else if (format === "csv") await output.write(`${cells.map(csvCell).join(",")}\n`);
    else if (table.push(cells) >= rowsMax) await flush();
  }
  if (format === "table" && table.length > 0) await flush();
}

/**
 * The number of table rows whose columns are aligned together. None of these rows appears before
 * the last one has arrived, so a higher number would delay the output.
 */
const rowsMax = 100;

const cellOf = (value: unknown): string => {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};

/**
 * Returns a cell of a CSV file. Puts an apostrophe before a formula character at the beginning,
 * because a spreadsheet would run the cell as a formula.
 */
const csvCell = (text: string): string => {
  const safe = /^[=+@\t\r]|^-(?![\d.]+$)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/**
 * Returns text for the terminal, cut to the maximum width. Replaces control characters, because a
 * title could otherwise manipulate the terminal.
 */
const shown = (text: string): string => {
  const plain = text.replaceAll(/\p{Cc}/gu, " ");
  return plain.length > widthMax ? `${plain.slice(0, widthMax - 1)}…` : plain;
};

function tableOf(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(shown));
  const widths = (cells[0] ?? []).map((_, n) =>
    Math.max(...cells.map((row) => row[n]?.length ?? 0)),
  );
  return cells
    .map((row) =>
      row
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}
