type Fields = readonly (readonly [string, unknown])[];

/**
 * Formats a result as text. A list becomes a table, or `none` if it is empty. Lists are arrays, and
 * objects with an array in `data`. If `has_more` of a list is true, the last line mentions further
 * entries. Any other result becomes one line for each field, followed by its nested lists. Leaves
 * out fields with the name `object`.
 */
export function textOf(result: unknown): string {
  const rows = rowsIn(result);
  if (rows !== undefined) {
    const shown = rows.length === 0 ? ["none"] : columns(rows);
    return [...shown, ...(hasMore(result) ? ["… more entries exist: increase --limit"] : [])].join(
      "\n",
    );
  }
  return lines(fieldsOf(result).filter(([name]) => name !== "object")).join("\n");
}

/**
 * Escapes control characters and characters that change the direction of text, because they could
 * manipulate the terminal.
 */
export const escapeControls = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const hasMore = (result: unknown): boolean =>
  typeof result === "object" && result !== null && "has_more" in result && result.has_more === true;

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? Object.entries(value) : [["result", value]];

/**
 * Returns the rows of a result that is a list in the API's format or an array; undefined for any
 * other result.
 */
function rowsIn(result: unknown): readonly Fields[] | undefined {
  const list: unknown =
    typeof result === "object" && result !== null && "data" in result ? result.data : result;
  if (!Array.isArray(list)) return undefined;
  return list.map((row: unknown) => fieldsOf(row).filter(([name]) => name !== "object"));
}

function columns(rows: readonly Fields[]): string[] {
  const names = [...new Set(rows.flatMap((row) => row.map(([name]) => name)))];
  const cells = rows.map((row) => {
    const values = new Map(row);
    return names.map((name) => cell(values.get(name)));
  });
  const all = [names, ...cells];
  const widths = names.map((_, n) => Math.max(...all.map((line) => line[n]?.length ?? 0)));
  return all.map((line) =>
    line
      .map((text, n) => text.padEnd(widths[n] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function lines(fields: Fields): string[] {
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return fields.flatMap(([name, value]) => {
    const rows = rowsIn(value);
    if (rows === undefined || rows.length === 0) {
      return [`${name.padEnd(width)}  ${rows === undefined ? cell(value) : "none"}`];
    }
    return [name, ...columns(rows).map((line) => `  ${line}`)];
  });
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return "-";
  return escapeControls(typeof value === "string" ? value : JSON.stringify(value));
}
