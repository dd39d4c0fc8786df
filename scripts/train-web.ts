/**
 * Trains the forest of decision trees with which the adapter `web` finds prices in visible text,
 * and writes the table of the forest. The same pages result in the same table.
 */
import { writeFileSync } from "node:fs";
import { pagesOption, readLabeledPages } from "../tools/labeled-pages/labeled-page.ts";
import { samplesOf, fitForest } from "../tools/labeled-pages/train-forest.ts";
import { runCommand, type ValuesOf } from "../tools/command-line/command-line.ts";
import { progressOf } from "../tools/command-line/progress.ts";

const tableFile = new URL("../shared/sources/web/visible/price-forest.json", import.meta.url);
/** Maximum size of the table, in bytes, because the table is committed. */
const tableBytesMax = 300_000;

const commandLine = {
  name: "npm run train:web",
  about:
    "Trains the forest with which the adapter web finds prices in visible text, and writes\n" +
    "shared/sources/web/visible/price-forest.json. Measure it with npm run bench -- web.",
  options: { pages: pagesOption },
  examples: ["--pages ./pages"],
} as const;

async function train({
  values,
}: {
  readonly values: ValuesOf<typeof commandLine.options>;
}): Promise<void> {
  const pages = readLabeledPages(values.pages);
  const progress = progressOf(pages.length + 1, { everyMs: 5_000 });
  const samples = pages.flatMap((page) => {
    progress.begin(page.url.host);
    return samplesOf(page);
  });
  progress.begin("forest");
  const table = JSON.stringify(fitForest(samples));
  if (table.length > tableBytesMax) {
    throw new Error(
      `The table of the trained forest must have at most ${tableBytesMax} bytes (got ${table.length}). Train fewer or smaller trees.`,
    );
  }
  writeFileSync(tableFile, `${table}\n`);
  const right = samples.filter(({ isPrice }) => isPrice).length;
  process.stdout.write(
    `${pages.length} pages, ${samples.length} amounts, ${right} of them correct prices. ` +
      `The table has ${table.length} bytes.\n`,
  );
}

await runCommand(commandLine, train);
