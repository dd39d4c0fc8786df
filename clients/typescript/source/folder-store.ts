import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import type { ExportStore } from "./exports.ts";

/**
 * Creates a store that reads an export from a folder. The folder can be the result of `rpd export
 * download` or `aws s3 sync`.
 */
export const folderStore = (root: string): ExportStore => ({
  async *keys(prefix) {
    const names = await readdir(root, { recursive: true, withFileTypes: true });
    const keys = names
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(root, sep).length));
    yield* keys
      .map((key) => key.split(sep).join("/"))
      .filter((key) => key.startsWith(prefix))
      .toSorted();
  },
  read: (key) => readFile(join(root, key)),
});
