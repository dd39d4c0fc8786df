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

/** The data folder of a local world. Only one world at a time can use it. */
export interface DataFolder {
  readonly path: string;
  /** Returns the path of a file in the folder. */
  file(name: string): string;
  /**
   * Returns the content of a JSON file; undefined if the file does not exist.
   * @throws Error if the file is not JSON or does not match the schema
   */
  read<Schema extends v.GenericSchema>(
    name: string,
    schema: Schema,
  ): v.InferOutput<Schema> | undefined;
  /** Replaces a JSON file atomically. Only the file's owner can read it. */
  write(name: string, content: unknown): void;
  /** Deletes a file. Does nothing if the file does not exist. */
  remove(name: string): void;
  /** Unlocks the folder, so that another world can use it. */
  release(): void;
}

const lockFile = "lock.db";
/**
 * The cache of the templates. Emptying the folder keeps this file, because it depends only on the
 * source code.
 */
export const templateCacheFile = "templates.json";

/**
 * Locks the data folder of a local world for this process. Creates the folder if it does not exist.
 * @param fresh true deletes the content of the folder, except the template cache
 * @throws Error if another running world uses the folder
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

/**
 * Locks the folder with an open exclusive SQLite transaction. The operating system releases this
 * lock even if the process is killed.
 * @throws Error if another local world has locked the folder
 */
function takeLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(join(path, lockFile));
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch {
    lock.close();
    throw new Error(
      `Another local world uses the folder ${path}. Stop that local world, or set LOCAL_DIR to another folder.`,
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
    throw new Error(
      `The file ${file} is damaged: it must contain valid JSON in the expected form. Correct the file, or start with --fresh, which deletes all local data.`,
      {
        cause: error,
      },
    );
  }
}

function writeJson(file: string, content: unknown): void {
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  chmodSync(unfinished, 0o600);
  renameSync(unfinished, file);
}
