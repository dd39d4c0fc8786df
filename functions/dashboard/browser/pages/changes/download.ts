import type { FieldChange } from "../../api/resources.ts";

/** The columns of a download, in order. */
const columns = [
  "changed_at",
  "watchlist_id",
  "item_id",
  "label",
  "title",
  "url",
  "kind",
  "field",
  "before",
  "after",
  "delta",
  "delta_percent",
  "currency",
  "run_number",
  "step",
] as const satisfies readonly (keyof FieldChange)[];

/** Returns changes as CSV (RFC 4180), with a header. An unknown value is an empty cell. */
export function csvOf(changes: readonly FieldChange[]): string {
  const rows = changes.map((change) => columns.map((column) => cellOf(change[column])));
  return [columns, ...rows].map((cells) => `${cells.join(",")}\r\n`).join("");
}

/**
 * Formats a cell. A text that a spreadsheet would read as a formula gets an apostrophe in front.
 */
function cellOf(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns changes as a JSON array of API entries. */
export const jsonOf = (changes: readonly FieldChange[]): string =>
  `${JSON.stringify(changes, undefined, 2)}\n`;

/** Offers a text to the user as a file. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
