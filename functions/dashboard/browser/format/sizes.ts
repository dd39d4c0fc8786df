const amount = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const units = ["B", "kB", "MB", "GB", "TB"] as const;
const step = 1_000;

/**
 * Formats a number of bytes in decimal units, as object stores bill: `512 B`, `1.2 MB`. Uses a
 * non-breaking space.
 */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= step && unit < units.length - 1) {
    value /= step;
    unit += 1;
  }
  return `${amount.format(value)}\u00a0${units[unit] ?? ""}`;
}

/** Formats a duration in milliseconds: `35 ms`, `1.2 s`. */
export const formatDuration = (milliseconds: number): string =>
  milliseconds < step ? `${milliseconds} ms` : `${amount.format(milliseconds / step)} s`;
