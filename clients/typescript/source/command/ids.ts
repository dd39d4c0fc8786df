import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { UsageError } from "./arguments.ts";

/** An item of a watchlist, as a row of a CSV file describes it. */
export interface ListedItem {
  readonly id: string;
  readonly label?: string;
}

const idColumns = new Set(["id", "ids", "asin", "sku", "tcin", "item id", "item_id"]);
const labelColumns = new Set(["label", "name"]);

/**
 * Iterates over the items of a CSV file, one row at a time. If the first row contains the name of a
 * column of IDs, such as `id` or `sku`, it is a header. Without a header, the IDs are in the first
 * column, and the items have no labels. Skips rows without an ID.
 * @param path a file, or `-` for the standard input
 * @throws UsageError if a quoted cell has no end
 */
export async function* itemsOf(path: string): AsyncGenerator<ListedItem, void, undefined> {
  const input = path === "-" ? process.stdin : createReadStream(path, "utf8");
  let columns: Columns | undefined;
  for await (const row of rowsOf(createInterface({ input, crlfDelay: Infinity }))) {
    const cells = cellsOf(row);
    if (columns === undefined) {
      const header = columnsOf(cells);
      columns = header ?? { id: 0, label: -1 };
      if (header !== undefined) continue;
    }
    const [id = "", label = ""] = [cells[columns.id], cells[columns.label]];
    if (id !== "") yield label === "" ? { id } : { id, label };
  }
}

/** The positions of the columns; -1 for a column that is absent. */
interface Columns {
  readonly id: number;
  readonly label: number;
}

/** Returns the columns that a header names; undefined if the row is not a header. */
function columnsOf(cells: readonly string[]): Columns | undefined {
  const names = cells.map((cell) => cell.toLowerCase());
  const id = names.findIndex((name) => idColumns.has(name));
  return id === -1 ? undefined : { id, label: names.findIndex((name) => labelColumns.has(name)) };
}

/**
 * Yields the rows of a CSV file, without its byte order mark. Joins the lines of a row, because a
 * quoted cell can contain line breaks.
 * @throws UsageError if a quoted cell has no closing quote
 */
async function* rowsOf(lines: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let row = "";
  let number = 0;
  let start = 0;
  for await (const line of lines) {
    number += 1;
    if (start === 0) start = number;
    row += number === start ? line.replace(/^\uFEFF/, "") : `\n${line}`;
    if (row.replaceAll(/[^"]/g, "").length % 2 === 1) continue;
    yield row;
    [row, start] = ["", 0];
  }
  if (start !== 0)
    throw new UsageError(
      `The quoted cell that begins in line ${start} of the CSV file has no closing quote. Add the quote.`,
    );
}

/** Returns the cells of a row of CSV, without the quotes and the blanks around a value. */
function cellsOf(line: string): string[] {
  const cells = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return [...cells].map(([, quoted, plain = ""]) =>
    (quoted === undefined ? plain : quoted.replaceAll('""', '"')).trim(),
  );
}

/**
 * Iterates over item IDs, first the IDs of the arguments and then the IDs of a CSV file.
 * @param words The IDs on the command line.
 * @param file The path in the option `--from`, or undefined if the option is absent.
 * @throws UsageError if there are neither arguments nor a file
 */
export async function* idsOf(
  words: readonly string[],
  file: string | undefined,
): AsyncGenerator<string, void, undefined> {
  if (words.length === 0 && file === undefined)
    throw new UsageError("Item IDs are missing. Add them, or name a CSV file with --from.");
  yield* words;
  if (file !== undefined) for await (const { id } of itemsOf(file)) yield id;
}
