import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import type { Event } from "./events.ts";
import type { ExportManifest } from "./generated/schemas.ts";

/**
 * The place from which an export is read: a bucket, or a local folder with a copy of the bucket.
 * The separator in keys is `/` on every operating system.
 */
export interface ExportStore {
  /** Lists all keys that begin with `prefix`, in ascending order. */
  keys(prefix: string): AsyncIterable<string>;
  /** Returns the bytes of an object. Rejects if the object does not exist or cannot be read. */
  read(key: string): Promise<Uint8Array>;
}

/**
 * The content of `_manifest.json`. Earlier releases wrote no Parquet files, so their manifests lack
 * `rows` and `snapshot`.
 */
export type Manifest = Omit<ExportManifest, Tables> & Partial<Pick<ExportManifest, Tables>>;
type Tables = "rows" | "snapshot";

/** A Parquet file of a run. */
export type TableFile = NonNullable<ExportManifest[Tables]>;

/** The exported events of one run. */
export interface ExportedRun {
  /** The key of the folder, with a `/` at its end. */
  readonly folder: string;
  readonly manifest: Manifest;
  /**
   * All events of the run. The run is yielded only after the reader has verified that no event is
   * missing.
   */
  readonly events: readonly Event[];
}

/**
 * An export is damaged: an object of a run is missing or changed, or the manifest contradicts the
 * events.
 */
export class ExportError extends Error {
  override readonly name = "ExportError";
}

export interface ReadExportOptions {
  /** The prefix of the destination. Default: empty. */
  readonly prefix?: string;
  /** The earliest UTC date of the folders to read, such as `2026-11-23`. Default: all folders. */
  readonly since?: string;
  /**
   * Called with the key of each folder without a manifest. The export of the run in this folder is
   * not complete.
   */
  readonly onIncomplete?: (folder: string) => void;
}

const manifestName = "_manifest.json";

/**
 * Iterates over the complete runs of an export. Skips each folder without a manifest, and calls
 * `onIncomplete` for it. Compares the size and SHA-256 of each object with the manifest, and the
 * digest of the events with the manifest.
 * @throws ExportError if an object that a manifest lists is missing or changed, or if a manifest
 * contradicts the events
 * @throws RangeError unless `since` is empty or a UTC date
 */
export async function* readRuns(
  store: ExportStore,
  { prefix = "", since = "", onIncomplete = () => {} }: ReadExportOptions = {},
): AsyncGenerator<ExportedRun, void, undefined> {
  if (since !== "" && !isDate(since))
    throw new RangeError(`'since' must be a UTC date such as 2026-11-23 (got "${since}").`);
  const layout = `${prefix}events/v=2/`;
  for await (const [folder, names] of folders(store.keys(layout))) {
    const [, date = ""] = /\/dt=([0-9-]+)\//.exec(folder) ?? [];
    if (date < since) continue;
    if (names.includes(manifestName)) yield await readRun(store, folder);
    else onIncomplete(folder);
  }
}

/** Iterates over the events of all complete runs. See `readRuns`. */
export async function* readEvents(
  store: ExportStore,
  options: ReadExportOptions = {},
): AsyncGenerator<Event, void, undefined> {
  for await (const { events } of readRuns(store, options)) yield* events;
}

async function readRun(store: ExportStore, folder: string): Promise<ExportedRun> {
  const text = Buffer.from(await store.read(`${folder}${manifestName}`)).toString();
  const manifest = manifestOf(text, `${folder}${manifestName}`);
  const events: Event[] = [];
  for (const object of manifest.objects) events.push(await readObject(store, folder, object));
  const digest = sha256(events.map(({ id }) => id).join("\n"));
  if (digest !== manifest.digest)
    throw new ExportError(
      `The events in ${folder} have the digest ${digest}, but the manifest states ${manifest.digest}. Copy the folder again.`,
    );
  if (events.length !== manifest.totals.objects)
    throw new ExportError(
      `The manifest in ${folder} lists ${events.length} objects, but its totals state ${manifest.totals.objects}. Run a backfill for this run.`,
    );
  const ofRun = manifest.run?.events_digest;
  if (typeof ofRun === "string" && ofRun !== digest)
    throw new ExportError(
      `The events in ${folder} have the digest ${digest}, but 'events_digest' of the run is ${ofRun}. Copy the folder again.`,
    );
  return { folder, manifest, events };
}

/**
 * Verifies the Parquet files of a run: reads them, and compares their size and SHA-256 with the
 * manifest.
 * @param store must contain the files under the keys of the manifest
 * @throws ExportError if a file is missing or differs from the manifest
 */
export async function readTables(
  store: ExportStore,
  { rows, snapshot }: Pick<Manifest, Tables>,
): Promise<void> {
  for (const file of [rows, snapshot])
    if (file) verify(await readListed(store, file.key, file.key), file);
}

/** Returns true if a text is a date of the calendar in the form `YYYY-MM-DD`. */
function isDate(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function manifestOf(text: string, key: string): Manifest {
  try {
    const manifest = JSON.parse(text) as Partial<Manifest> | null;
    if (Array.isArray(manifest?.objects) && typeof manifest.totals?.objects === "number")
      return manifest as Manifest;
  } catch (cause) {
    throw new ExportError(`The manifest ${key} is not valid JSON. Copy it again.`, { cause });
  }
  throw new ExportError(
    `The manifest ${key} must have a list 'objects' and a number 'totals.objects'. Copy it again.`,
  );
}

async function readObject(
  store: ExportStore,
  folder: string,
  { key, bytes, sha256: expected }: Manifest["objects"][number],
): Promise<Event> {
  // Uses only the file name of the key, because a copy of the bucket can have other folders above
  // the folder of the run.
  const name = key.slice(key.lastIndexOf("/") + 1);
  const content = await readListed(store, `${folder}${name}`, key);
  verify(content, { key, bytes, sha256: expected });
  const line = key.endsWith(".gz") ? gunzipSync(content) : Buffer.from(content);
  return JSON.parse(line.toString()) as Event;
}

/**
 * Reads the object at `key`.
 * @param listed The key of the object in the manifest, for the error.
 * @throws ExportError if the object cannot be read
 */
const readListed = (store: ExportStore, key: string, listed: string): Promise<Uint8Array> =>
  store.read(key).catch((cause: unknown) => {
    throw new ExportError(
      `The object ${listed} is in the manifest, but cannot be read. Copy it again.`,
      { cause },
    );
  });

/**
 * Compares the content of an object with the size and hash in the manifest.
 * @throws ExportError if the content differs
 */
function verify(
  content: Uint8Array,
  { key, bytes, sha256: expected }: Pick<TableFile, "key" | "bytes" | "sha256">,
): void {
  const hash = sha256(content);
  if (content.byteLength !== bytes || hash !== expected)
    throw new ExportError(
      `The object ${key} has ${content.byteLength} bytes and the SHA-256 ${hash}, but its manifest states ${bytes} bytes and ${expected}. Copy the object again.`,
    );
}

const sha256 = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex");

/**
 * Groups ascending keys by the folder that contains them. A subfolder such as `hold/` is a separate
 * folder.
 */
async function* folders(
  keys: AsyncIterable<string>,
): AsyncGenerator<readonly [string, readonly string[]], void, undefined> {
  // The folders of which more keys can follow. A folder stays open during the keys of its
  // subfolder `hold/`, because they come between the keys of the folder.
  let open = new Map<string, string[]>();
  for await (const key of keys) {
    const end = key.lastIndexOf("/") + 1;
    const folder = key.slice(0, end);
    if ([...open.keys()].some((one) => !folder.startsWith(one) && !one.startsWith(folder))) {
      yield* open;
      open = new Map();
    }
    open.set(folder, [...(open.get(folder) ?? []), key.slice(end)]);
  }
  yield* open;
}
