import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { templateCacheFile } from "../../tools/local/data-folder.ts";

/**
 * The file with the templates of the last world. It contains a hash of the source files, so that a
 * world builds the templates again if a source file has changed.
 */
const templates = join(import.meta.dirname, "../../node_modules/.cache", templateCacheFile);

/**
 * Creates a data folder for a local world, and returns the folder's path. If an earlier local world
 * saved its templates, copies them into the folder.
 */
export function openWorldFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), "world-"));
  if (existsSync(templates)) cpSync(templates, join(dir, templateCacheFile));
  return dir;
}

/**
 * Saves the templates of a local world, if it has any, for later worlds. Deletes the world's data
 * folder `dir`.
 */
export function removeWorldFolder(dir: string): void {
  if (existsSync(join(dir, templateCacheFile))) {
    mkdirSync(dirname(templates), { recursive: true });
    const copy = `${templates}.${process.pid}`;
    cpSync(join(dir, templateCacheFile), copy);
    renameSync(copy, templates);
  }
  rmSync(dir, { recursive: true, force: true });
}
