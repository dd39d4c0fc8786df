import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { itemIdOf } from "../../history/point-lines.ts";
import type { Row } from "../table/dynamo.ts";
import type { RowKey } from "../table/table.ts";
import { historyBounds } from "./history-bounds.ts";

/** Lines that are stored in one row, compressed. */
export interface LineChunk {
  readonly lines: Uint8Array;
  /** Item ID in the first line. */
  readonly first: string;
  /** Item ID in the last line. */
  readonly last: string;
}

/** Maximum number of compressed bytes of a chunk. DynamoDB limits a row to 400 KB. */
const bytesMax = 300 * 1024;

/**
 * Compresses lines of history points, sorted by item ID, into chunks that each fit into one row.
 * Equal lines result in equal chunks.
 */
export function chunksOf(lines: readonly string[]): readonly LineChunk[] {
  const packer = linePacker();
  packer.add(lines);
  return packer.end();
}

/** Compresses lines that it receives in groups. Keeps at most one chunk of uncompressed lines. */
export interface LinePacker {
  add(lines: readonly string[]): void;
  /** Returns the chunks of all lines. Call it once, at the end. */
  end(): readonly LineChunk[];
}

/**
 * Creates a packer, which has no lines yet. The chunks depend only on the lines and their order,
 * not on the groups in which `add` receives them.
 */
export function linePacker(): LinePacker {
  const chunks: LineChunk[] = [];
  let charactersMax = historyBounds.chunkCharactersMax;
  let waiting: string[] = [];
  let characters = 0;
  const pack = (): void => {
    if (waiting.length === 0) return;
    const parts = compressed(waiting);
    // The next lines probably compress equally badly. With a smaller limit, they are compressed
    // only once, and not again after a split.
    if (parts.length > 1) charactersMax = Math.ceil(charactersMax / parts.length);
    chunks.push(...parts);
    waiting = [];
    characters = 0;
  };
  return {
    add(lines) {
      for (const line of lines) {
        waiting.push(line);
        characters += line.length + 1;
        if (characters >= charactersMax) pack();
      }
    },
    end() {
      pack();
      return chunks;
    },
  };
}

/** Compresses lines to one chunk, or to several chunks if one would exceed `bytesMax`. */
function compressed(lines: readonly string[]): LineChunk[] {
  const packed = zstdCompressSync(lines.join("\n"));
  if (packed.length <= bytesMax || lines.length === 1) {
    return [
      { lines: packed, first: itemIdOf(lines.at(0) ?? ""), last: itemIdOf(lines.at(-1) ?? "") },
    ];
  }
  const middle = Math.ceil(lines.length / 2);
  return [...compressed(lines.slice(0, middle)), ...compressed(lines.slice(middle))];
}

/**
 * Returns the row that stores a chunk under a key.
 * @param ttl time at which DynamoDB may delete the row, in whole Unix seconds
 */
export const chunkRow = (key: RowKey, chunk: LineChunk, ttl: number): Row => ({
  ...key,
  ...chunk,
  ttl,
});

/**
 * Decompresses the lines of a row, one for each history point. Returns an empty array for a row
 * without points.
 */
export function linesOf({ lines }: Row): readonly string[] {
  return lines === undefined ? [] : textOf(lines).toString("utf8").split("\n");
}

/**
 * Returns the lines of one item in a row; empty if the row has none. Decompresses the row only if
 * the item ID is in the row's range of IDs.
 */
export function linesOfItem({ lines, first, last }: Row, itemId: string): readonly string[] {
  if (lines === undefined || itemId < String(first) || itemId > String(last)) return [];
  const text = textOf(lines);
  const found: string[] = [];
  const prefix = `${itemId}\t`;
  let at =
    text.subarray(0, prefix.length).toString("utf8") === prefix ? 0 : afterBreak(text, prefix);
  while (at >= 0) {
    const end = text.indexOf("\n", at);
    found.push(text.subarray(at, end < 0 ? text.length : end).toString("utf8"));
    at = end < 0 ? -1 : afterBreak(text, prefix, end);
  }
  return found;
}

/**
 * Returns the position of the next line that follows a line break and begins with `prefix`; -1 if
 * none.
 */
function afterBreak(text: Buffer, prefix: string, from = 0): number {
  const at = text.indexOf(`\n${prefix}`, from);
  return at < 0 ? -1 : at + 1;
}

const textOf = (packed: unknown): Buffer => zstdDecompressSync(packed as Uint8Array);
