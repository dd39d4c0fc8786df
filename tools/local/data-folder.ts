import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as v from "valibot";

/** The folder that a local world keeps its data in; one world at a time holds it. */
export interface DataFolder {
  readonly path: string;
  file(name: string): string;
  /** The content of a JSON file, undefined while there is none. */
  read<Schema extends v.GenericSchema>(
    name: string,
    schema: Schema,
  ): v.InferOutput<Schema> | undefined;
  /** Replaces a JSON file at once, readable by its owner only. */
  write(name: string, content: unknown): void;
  remove(name: string): void;
  release(): void;
}

const lockFile = "lock.db";
/** Content-addressed, so no state of the world: emptying the folder may keep it. */
export const templateCacheFile = "templates.json";

/**
 * Takes the folder for this process, and empties it first when the world is to start afresh.
 * @throws Error when another running world holds it
 */
export function openDataFolder(directory: string, fresh: boolean): DataFolder {
  const path = resolve(directory);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const lock = takeLock(path);
  if (fresh) empty(path);
  const file = (name: string): string => join(path, name);
  return {
    path,
    file,
    read: (name, schema) => readJson(file(name), schema),
    write: (name, content) => writeJson(file(name), content),
    remove: (name) => rmSync(file(name), { force: true }),
    release: () => lock.close(),
  };
}

/** A lock that ends with its process, however that ends: an open exclusive transaction. */
function takeLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(join(path, lockFile));
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch {
    lock.close();
    throw new Error(
      `Another local world runs on ${path}. Stop it, or name another folder in LOCAL_DIR.`,
    );
  }
  return lock;
}

function empty(path: string): void {
  for (const name of readdirSync(path)) {
    if (name.startsWith(lockFile) || name === templateCacheFile) continue;
    rmSync(join(path, name), { recursive: true, force: true });
  }
}

function readJson<Schema extends v.GenericSchema>(
  file: string,
  schema: Schema,
): v.InferOutput<Schema> | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return v.parse(schema, JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new Error(`${file} cannot be read; start with --fresh to make a new one`, {
      cause: error,
    });
  }
}

function writeJson(file: string, content: unknown): void {
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  chmodSync(unfinished, 0o600);
  renameSync(unfinished, file);
}
