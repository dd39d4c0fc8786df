import { delimiterOf, linesOf, type Row, rowsIn } from "./table-text.ts";

/** Item IDs found in pasted text or a file. */
export interface FoundIds {
  /** Distinct IDs in the form that API responses use, in the order of the text. */
  readonly ids: readonly string[];
  /** The number of repeated IDs, which were left out. */
  readonly duplicates: number;
  readonly malformed: readonly MalformedId[];
  /** The table that contains the IDs; undefined if the text is not a table. */
  readonly table: IdTable | undefined;
}

/** A text that is not an ID of the platform, at a place where an ID is expected. */
export interface MalformedId {
  readonly text: string;
  /** The line of the ID in the text, counted from 1. */
  readonly line: number;
}

/** The table in which IDs were found, and the column that was read. */
export interface IdTable {
  /** The names of the columns; an empty string for a column without a name. */
  readonly header: readonly string[];
  /** True if the table has a row with the names of its columns. */
  readonly hasHeader: boolean;
  /** The index of the column whose IDs were read. */
  readonly column: number;
  readonly rowCount: number;
}

/** Returns the ID in a string; undefined if it contains none. */
type IdIn = (text: string) => string | undefined;

/** Finds the IDs of one platform. */
interface IdReader {
  readonly idIn: IdIn;
  /** The platform's name for an ID, such as `SKU`. */
  readonly name: string;
}

/**
 * Creates a reader of the item IDs of a platform.
 * @param pattern the platform's `id_pattern`, whose first group is the ID
 * @param name the platform's `id_name`
 * @throws SyntaxError if the pattern is not a regular expression
 */
export function idReader(pattern: string, name: string): IdReader {
  const expression = new RegExp(pattern);
  return { idIn: (text) => expression.exec(bare(text))?.[1]?.toUpperCase(), name };
}

/** Removes surrounding quotes and list brackets, which users often copy with IDs. */
const bare = (text: string): string =>
  text
    .trim()
    .replace(/^[[\]"'`“”‘’]+/, "")
    .replace(/[[\]"'`“”‘’]+$/, "")
    .trim();

/**
 * Restricts `idIn` to strings with a digit. Ten letters have the form of an ASIN, but are usually a
 * word such as `DISHWASHER`, and every ID of a watchlist is billed.
 */
const surely =
  (idIn: IdIn): IdIn =>
  (text) =>
    /[0-9]/.test(text) ? idIn(text) : undefined;

interface Cell {
  readonly text: string;
  readonly line: number;
}

/**
 * Finds IDs separated by newlines, commas, semicolons or blanks, or in one column of a table
 * (comma, semicolon or tab between its cells). Texts that are not IDs are in `malformed`.
 * @param column the index of the table column to read. By default, the column whose header names
 * IDs, or else the column with the most IDs.
 */
export function readIds(text: string, reader: IdReader, column?: number): FoundIds {
  const table = tableIn(text, reader);
  if (table === undefined) return { ...sorted(wordsOf(text), surely(reader.idIn)), table };
  const { header, body } = table;
  const chosen = column ?? likelyColumn(table, reader);
  const cells = body.map(({ cells: row, line }) => ({ text: row[chosen] ?? "", line }));
  const width = Math.max(...[header ?? [], ...sampleOf(body)].map((row) => row.length));
  return {
    ...sorted(cells, reader.idIn),
    table: {
      header: Array.from({ length: width }, (_, n) => header?.[n] ?? ""),
      hasHeader: header !== undefined,
      column: chosen,
      rowCount: body.length,
    },
  };
}

function sorted(cells: Iterable<Cell>, idIn: IdIn): Omit<FoundIds, "table"> {
  const ids = new Set<string>();
  const malformed: MalformedId[] = [];
  let duplicates = 0;
  for (const { text, line } of cells) {
    if (bare(text) === "") continue;
    const id = idIn(text);
    if (id === undefined) malformed.push({ text: bare(text), line });
    else if (ids.has(id)) duplicates += 1;
    else ids.add(id);
  }
  return { ids: [...ids], duplicates, malformed };
}

const wordsOf = (text: string): readonly Cell[] =>
  linesOf(text).flatMap((words, n) =>
    words.split(/[\s,;]+/).map((word) => ({ text: word, line: n + 1 })),
  );

interface Table {
  readonly header: readonly string[] | undefined;
  readonly body: readonly Row[];
}

/**
 * Number of rows that are examined to detect the format; more rows would make each key press
 * slower.
 */
const lookedAt = 500;
const sampleOf = (rows: readonly Row[]): readonly (readonly string[])[] =>
  rows.slice(0, lookedAt).map(({ cells }) => cells);

/**
 * Returns the table in a string. Returns undefined if the text is not a table, such as a grid of
 * IDs without a header.
 */
function tableIn(text: string, reader: IdReader): Table | undefined {
  const delimiter = delimiterOf(text);
  const rows = rowsIn(text, delimiter);
  const sample = sampleOf(rows);
  const at = headerIn(sample, reader);
  const table = { header: sample[at], body: rows.slice(at + 1) };
  if (table.body.length === 0) return undefined;
  if (delimiter === "") return isColumn(table, reader) ? table : undefined;
  if (isNamed(table.header, reader)) return table;
  // Single-cell rows, such as a title or a total, are allowed in a table if most rows have several
  // cells.
  const wide = sample.filter((row) => row.length > 1).length;
  if (wide * 2 <= sample.length) return undefined;
  return table.header !== undefined || !isGrid(sample, reader) ? table : undefined;
}

/**
 * Returns true for a header with several columns. At least one of them must have a usual name for
 * IDs, and no column name may itself be an ID.
 */
const isNamed = (header: readonly string[] = [], { idIn, name }: IdReader): boolean =>
  header.length > 1 &&
  header.some((cell) => nameRank(cell, name) > 0) &&
  !header.some((cell) => surely(idIn)(cell) !== undefined);

/** Returns true if a single column has a header, such as `sku`, and an ID below it. */
function isColumn({ header, body }: Table, { idIn }: IdReader): boolean {
  const next = body[0]?.cells[0] ?? "";
  return /^[a-z][a-z _-]*$/i.test(bare(header?.[0] ?? "")) && surely(idIn)(next) !== undefined;
}

/** Number of rows in which to search for a header, because titles can precede it. */
const headersLookedAt = 10;

/**
 * Returns the index of the header: the row that names IDs, or the first row if only later rows
 * contain IDs. Returns -1 if there is no header.
 */
function headerIn(rows: readonly (readonly string[])[], { idIn, name }: IdReader): number {
  const first = rows.findIndex((row) => row.some((cell) => surely(idIn)(cell) !== undefined));
  const named = rows
    .slice(0, headersLookedAt)
    .findIndex((row) => row.some((cell) => nameRank(cell, name) > 0));
  if (named !== -1 && (first === -1 || named <= first)) return named;
  return first > 0 ? 0 : -1;
}

/**
 * Returns true if rows without a header are a plain grid of IDs, and not a table with one ID
 * column. A grid is a single row, rows without IDs, or rows in which at least half of the filled
 * cells of each column contain IDs.
 */
function isGrid(rows: readonly (readonly string[])[], { idIn }: IdReader): boolean {
  const columns = columnsOf(rows, idIn);
  if (rows.length === 1 || columns.every(({ found }) => found === 0)) return true;
  return columns.every(({ found, filled }) => found * 2 >= filled);
}

interface Column {
  /** The number of cells that are not empty. */
  filled: number;
  /** The number of cells with an ID. */
  found: number;
  readonly ids: Set<string>;
}

function columnsOf(rows: readonly (readonly string[])[], idIn: IdIn): readonly Column[] {
  const columns: Column[] = [];
  for (const row of rows) {
    for (const [n, cell] of row.entries()) {
      const column = (columns[n] ??= { filled: 0, found: 0, ids: new Set() });
      const id = surely(idIn)(cell);
      if (cell !== "") column.filled += 1;
      if (id === undefined) continue;
      column.found += 1;
      column.ids.add(id);
    }
  }
  return columns;
}

const idNames: ReadonlySet<string> = new Set(
  "asin sku tcin id identifier item itemid itemno itemnumber productid productnumber".split(" "),
);

/** Ranks a column name: 2 for the platform's name of an ID, 1 for a usual name, otherwise 0. */
function nameRank(cell: string, name: string): number {
  const word = wordOf(cell);
  if (word === wordOf(name)) return 2;
  return idNames.has(word) ? 1 : 0;
}

/** Normalizes a column name: `Item_IDs` becomes `itemid`. */
const wordOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
    .replace(/s$/, "");

/**
 * Returns the index of the column that most likely contains the IDs: of the columns that contain
 * IDs, the one with the highest `nameRank`. If several of them have this rank, returns the one with
 * the most distinct IDs.
 */
function likelyColumn({ header, body }: Table, { idIn, name }: IdReader): number {
  const columns = columnsOf(sampleOf(body), idIn).map(({ ids }, n) => {
    const rank = nameRank(header?.[n] ?? "", name);
    return { n, rank, ids: ids.size, score: ids.size > 0 ? rank + 1 : 0 };
  });
  columns.sort((a, b) => b.score - a.score || b.ids - a.ids || b.rank - a.rank || a.n - b.n);
  return columns[0]?.n ?? 0;
}
