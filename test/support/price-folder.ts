import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const fixtures = new URL("../fixtures/price-histories/", import.meta.url).pathname;

/** Returns the price histories of the fixtures as JSON lines, by shop. */
export const priceFixtures = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(fixtures).map((name) => [
      name.replace(/\.jsonl$/, ""),
      readFileSync(join(fixtures, name), "utf8"),
    ]),
  );

/**
 * Writes price histories to a new temporary folder, compressed as `npm run replay` reads them.
 * Returns the path of the folder.
 * @param shops the JSON lines, by shop
 */
export function priceFolder(shops: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "prices-"));
  for (const [shop, lines] of Object.entries(shops)) {
    writeFileSync(join(folder, `${shop}.jsonl.gz`), gzipSync(lines));
  }
  return folder;
}
