import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Item } from "./item.ts";
import { fromColumns, type ItemColumns, toColumns } from "./item-columns.ts";

/**
 * Level 9 makes pages 2% smaller than the default level, and takes 1 ms more per page. Higher
 * levels do not make them smaller.
 */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };

/** Converts a value to JSON and compresses it with zstd. `decompress` restores the value. */
export const compress = (value: unknown): Uint8Array =>
  zstdCompressSync(JSON.stringify(value), compression);

/** Restores the value that `compress` compressed: decompresses the bytes and parses the JSON. */
export const decompress = (bytes: Uint8Array): unknown => JSON.parse(jsonIn(bytes));

/**
 * Decompresses bytes into a buffer that usually holds the whole result. The default method joins
 * several buffers of 64 KB, and takes twice as long. The JSON of a page of items is four to five
 * times as long as its compressed bytes.
 */
const decompressed = (bytes: Uint8Array): Buffer =>
  zstdDecompressSync(bytes, { chunkSize: Math.max(64 * 1024, 5 * bytes.byteLength) });

/** Returns the JSON text that `compress` compressed. */
export const jsonIn = (bytes: Uint8Array): string => decompressed(bytes).toString("utf8");

/** Encodes items as compressed columns. `decodeItems` decodes them. */
export const encodeItems = (items: readonly Item[]): Uint8Array => compress(toColumns(items));

/** Decodes the result of `encodeItems`. */
export const decodeItems = (bytes: Uint8Array): Item[] => fromColumns(decodeColumns(bytes));

/** Decodes the result of `encodeItems` to columns, without building the items. */
export const decodeColumns = (bytes: Uint8Array): ItemColumns =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `encodeItems` made these bytes
  decompress(bytes) as ItemColumns;

/**
 * Returns false only if no ID of the encoded items begins with `prefix`. If it returns true, there
 * may still be no such ID.
 */
export const mayHaveId = (encoded: Uint8Array, prefix: string): boolean =>
  decompressed(encoded).includes(`"${prefix}`);
