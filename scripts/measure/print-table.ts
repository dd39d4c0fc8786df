/** Prints rows as an aligned table with a title. The columns are the fields of the first row. */
export function printTable(title: string, rows: readonly object[]): void {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => names.map((name) => String(Reflect.get(row, name))))];
  const widths = names.map((_, n) => Math.max(...lines.map((line) => line[n]?.length ?? 0)));
  process.stdout.write(`\n${title}\n`);
  for (const line of lines) {
    const cells = line.map((cell, n) => cell.padEnd(widths[n] ?? 0));
    process.stdout.write(`  ${cells.join("  ").trimEnd()}\n`);
  }
}
