/** A row of a table. */
export interface Row {
  readonly cells: readonly string[];
  /** The line on which the row starts, counted from 1. */
  readonly line: number;
}

interface Cell {
  readonly text: string;
  /** The offset of the delimiter or line end after the cell. */
  readonly end: number;
  /** The number of line ends inside the cell. */
  readonly furtherLines: number;
}

const lineEnd = /\r\n|[\r\n]/;

/** Splits a string at line ends (LF, CR or CRLF). */
export const linesOf = (text: string): readonly string[] => text.split(lineEnd);

/**
 * Returns the rows of a string, without empty rows. Cells may be quoted, and a quote inside a
 * quoted cell is doubled (RFC 4180). An unclosed quote is an ordinary character. Takes time
 * proportional to the length of the text, even for malformed text.
 * @param delimiter the character between cells; if empty, each line is one cell
 */
export function rowsIn(text: string, delimiter: string): readonly Row[] {
  const rows: Row[] = [];
  const cellEnd = new RegExp(`[${delimiter}\\r\\n]`, "g");
  let cells: string[] = [];
  let line = 1;
  let nextLine = 1;
  for (let at = 0; at <= text.length;) {
    const cell = quotedAt(text, at, cellEnd) ?? plainAt(text, at, cellEnd);
    cells.push(cell.text);
    nextLine += cell.furtherLines;
    at = cell.end + (text.startsWith("\r\n", cell.end) ? 2 : 1);
    if (delimiter !== "" && text[cell.end] === delimiter) continue;
    if (cells.some((one) => one !== "")) rows.push({ cells, line });
    cells = [];
    nextLine += 1;
    line = nextLine;
  }
  return rows;
}

function plainAt(text: string, start: number, cellEnd: RegExp): Cell {
  const end = nextPlace(text, start, cellEnd);
  return { text: text.slice(start, end).trim(), end, furtherLines: 0 };
}

function nextPlace(text: string, from: number, what: RegExp): number {
  what.lastIndex = from;
  return what.exec(text)?.index ?? text.length;
}

/**
 * Returns the quoted cell at an offset. Returns undefined if the cell is not quoted, or if text
 * follows the closing quote.
 */
function quotedAt(text: string, start: number, cellEnd: RegExp): Cell | undefined {
  let open = start;
  while (text[open] === " ") open += 1;
  if (text[open] !== '"') return undefined;
  const close = closingQuote(text, open + 1);
  if (close === undefined) return undefined;
  const end = nextPlace(text, close, cellEnd);
  if (text.slice(close + 1, end).trim() !== "") return undefined;
  const inside = text.slice(open + 1, close).replaceAll('""', '"');
  return { text: inside.trim(), end, furtherLines: linesOf(inside).length - 1 };
}

function closingQuote(text: string, from: number): number | undefined {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return undefined;
}

const delimiters = ["\t", ";", ","] as const;
/** The number of lines that decide the delimiter. Blank lines do not count. */
const linesExamined = 20;
const lettersExamined = 100_000;

/**
 * Returns the delimiter that occurs in the most of the first 20 lines of a string; an empty string
 * if none of them has a delimiter.
 */
export function delimiterOf(text: string): string {
  const lines = linesOf(text.slice(0, lettersExamined))
    .filter((line) => line.trim() !== "")
    .slice(0, linesExamined);
  let best = { delimiter: "", count: 0 };
  for (const delimiter of delimiters) {
    const count = lines.filter((line) => line.includes(delimiter)).length;
    if (count > best.count) best = { delimiter, count };
  }
  return best.delimiter;
}
