const types = { csv: "text/csv", json: "application/json" } as const;

/** Offers a string to the user as a file whose name ends in `.csv` or `.json`. */
export function saveFile(name: `${string}.${keyof typeof types}`, text: string): void {
  const type = name.endsWith(".csv") ? types.csv : types.json;
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
