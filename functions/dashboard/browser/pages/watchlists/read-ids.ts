/** Item ids in what somebody pasted or chose as a file. */
export interface FoundIds {
  /** Each once, as answers of the API give them, in the order they came. */
  readonly ids: readonly string[];
  readonly duplicates: number;
  readonly malformed: readonly MalformedId[];
  /** What of the text the ids were taken from, when it is a table. */
  readonly table: IdTable | undefined;
}

export interface MalformedId {
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
}

export interface IdTable {
  readonly header: readonly string[];
  /** The place of the column that was read. */
  readonly column: number;
  readonly rowCount: number;
}

/** The id in a text, or undefined where there is none. */
export type IdIn = (text: string) => string | undefined;

/** @param pattern `id_pattern` of a platform */
export function idReader(pattern: string): IdIn {
  const expression = new RegExp(pattern);
  return (text) => expression.exec(text.trim())?.[1]?.toUpperCase();
}

interface Cell {
  readonly text: string;
  readonly line: number;
}

/**
 * Finds ids separated by newlines, commas, semicolons or blanks, or in one column of a table with a
 * header (comma, semicolon or tab between its cells).
 * @param column of a table; by default the one with most ids in its first rows
 */
export function readIds(text: string, idIn: IdIn, column?: number): FoundIds {
  const rows = tableIn(text, idIn);
  if (rows === undefined) return { ...sorted(wordsOf(text), idIn), table: undefined };
  const [header = [], ...body] = rows;
  const chosen = column ?? likelyColumn(header, body, idIn);
  const cells = body.map((row, n) => ({ text: row[chosen] ?? "", line: n + 2 }));
  const table = { header, column: chosen, rowCount: body.length };
  return { ...sorted(cells, idIn), table };
}

function sorted(cells: Iterable<Cell>, idIn: IdIn): Omit<FoundIds, "table"> {
  const ids = new Set<string>();
  const malformed: MalformedId[] = [];
  let duplicates = 0;
  for (const { text, line } of cells) {
    if (text.trim() === "") continue;
    const id = idIn(text);
    if (id === undefined) malformed.push({ text: text.trim(), line });
    else if (ids.has(id)) duplicates += 1;
    else ids.add(id);
  }
  return { ids: [...ids], duplicates, malformed };
}

const wordsOf = (text: string): readonly Cell[] =>
  text
    .split(/\r\n|[\r\n]/)
    .flatMap((words, n) => words.split(/[\s,;]+/).map((word) => ({ text: word, line: n + 1 })));

const delimiters = ["\t", ";", ","] as const;

/** The rows of a table: several columns in every row, and a header, in which no id is. */
function tableIn(text: string, idIn: IdIn): readonly (readonly string[])[] | undefined {
  const firstLine = /^[^\r\n]*/.exec(text.trimStart())?.[0] ?? "";
  const delimiter = delimiters.find((one) => firstLine.includes(one));
  if (delimiter === undefined) return isColumn(text, idIn) ? columnOf(text) : undefined;
  const rows = cellsOf(text.trim(), delimiter);
  const [header = [], ...body] = rows;
  const fits = body.length > 0 && !header.some((cell) => idIn(cell) !== undefined);
  return fits && body.every((row) => row.length > 1) ? rows : undefined;
}

/** A single column under a word such as `sku`. */
function isColumn(text: string, idIn: IdIn): boolean {
  const [head = "", next = ""] = columnOf(text).flat();
  return /^[a-z][a-z _-]*$/i.test(head) && idIn(head) === undefined && idIn(next) !== undefined;
}

const columnOf = (text: string): readonly (readonly string[])[] =>
  text
    .trim()
    .split(/\r\n|[\r\n]/)
    .map((line) => [line]);

/** Cells may be in quotes, which stand twice inside of them (RFC 4180). */
function cellsOf(text: string, delimiter: string): readonly (readonly string[])[] {
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^${delimiter}\\r\\n]*))(${delimiter}|\\r\\n|[\\r\\n]|$)`,
    "gy",
  );
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = "", end] of text.matchAll(cell)) {
    row.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    if (end === delimiter) continue;
    if (row.some((one) => one !== "")) rows.push(row);
    row = [];
    if (end === "") break;
  }
  return rows;
}

/** Rows that are looked at to guess a column. */
const lookedAt = 50;

function likelyColumn(
  header: readonly string[],
  body: readonly (readonly string[])[],
  idIn: IdIn,
): number {
  const counts = header.map(
    (_, n) => body.slice(0, lookedAt).filter((row) => idIn(row[n] ?? "") !== undefined).length,
  );
  return counts.indexOf(Math.max(...counts));
}
