export type CsvValue = string | number | boolean | null | undefined;

/**
 * Returns a table as CSV (RFC 4180). Null and undefined become empty cells. A string that a
 * spreadsheet would evaluate as a formula gets an apostrophe in front.
 */
export const csvOf = (header: readonly string[], rows: readonly (readonly CsvValue[])[]): string =>
  [header, ...rows].map((cells) => `${cells.map(cellOf).join(",")}\r\n`).join("");

function cellOf(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
