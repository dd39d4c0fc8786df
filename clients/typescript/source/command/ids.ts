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
 * Iterates over the items of a CSV file, one row at a time. A first row with the name of a column,
 * such as `id` or `sku`, is a header. Without one, the IDs are in the first column.
 * @param path a file, or `-` for the standard input
 */
export async function* itemsOf(path: string): AsyncGenerator<ListedItem, void, undefined> {
  const input = path === "-" ? process.stdin : createReadStream(path, "utf8");
  let columns: readonly [number, number] | undefined;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const cells = cellsOf(line.replace(/^\uFEFF/, ""));
    if (columns === undefined) {
      const names = cells.map((cell) => cell.toLowerCase());
      const id = names.findIndex((name) => idColumns.has(name));
      columns = [Math.max(id, 0), names.findIndex((name) => labelColumns.has(name))];
      if (id !== -1) continue;
      columns = [0, -1];
    }
    const [id = "", label = ""] = columns.map((column) => cells[column]);
    if (id !== "") yield label === "" ? { id } : { id, label };
  }
}

/** Splits a row of CSV, with quoted cells. */
function cellsOf(line: string): string[] {
  const cells = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return [...cells].map(([, quoted, plain = ""]) =>
    (quoted === undefined ? plain : quoted.replaceAll('""', '"')).trim(),
  );
}

/** Iterates over the IDs in the arguments, or in the file that `--from` names. */
export async function* idsOf(
  words: readonly string[],
  file: string | undefined,
): AsyncGenerator<string, void, undefined> {
  if (words.length === 0 && file === undefined)
    throw new UsageError("Name item IDs, or a CSV file with --from.");
  yield* words;
  if (file !== undefined) for await (const { id } of itemsOf(file)) yield id;
}
