import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** Compresses the JSON of a value, such as the outcomes of a batch. `unpack` decompresses it. */
export const pack = (value: unknown): Uint8Array => zstdCompressSync(JSON.stringify(value));

/**
 * Compression level 9, which makes compressed IDs a sixth smaller than the default level. This
 * level is too slow for outcomes, which are larger.
 */
const idCompression = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };

/** Compresses a list of IDs. `unpack` decompresses the list. */
export const packIds = (ids: readonly string[]): Uint8Array =>
  zstdCompressSync(JSON.stringify(ids), idCompression);

/** Compresses lines of text. `unpackLines` decompresses the lines. */
export const packLines = (lines: readonly string[]): Uint8Array =>
  zstdCompressSync(lines.join("\n"));

/** Decompresses a value of `packLines`. @throws Error if `bytes` is anything else */
export const unpackLines = (bytes: unknown): string[] =>
  zstdDecompressSync(bytes as Uint8Array)
    .toString("utf8")
    .split("\n");

/** Decompresses a value of `pack` or `packIds`. @throws Error if `bytes` is anything else */
export const unpack = (bytes: unknown): unknown =>
  JSON.parse(zstdDecompressSync(bytes as Uint8Array).toString("utf8"));
