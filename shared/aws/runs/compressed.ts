import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** Compresses a value as JSON with zstd, for attributes with many IDs or outcomes. */
export const pack = (value: unknown): Uint8Array => zstdCompressSync(JSON.stringify(value));

/**
 * Compression level 9, which makes compressed IDs a sixth smaller than the default level. It is too
 * slow for outcomes, which are larger.
 */
const idCompression = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };

/** Compresses a list of IDs. `unpack` decompresses it. */
export const packIds = (ids: readonly string[]): Uint8Array =>
  zstdCompressSync(JSON.stringify(ids), idCompression);

/** Compresses lines of text. `unpackLines` decompresses them. */
export const packLines = (lines: readonly string[]): Uint8Array =>
  zstdCompressSync(lines.join("\n"));

/** Decompresses a value of `packLines`. @throws if `bytes` is not such a value */
export const unpackLines = (bytes: unknown): string[] =>
  zstdDecompressSync(bytes as Uint8Array)
    .toString("utf8")
    .split("\n");

/** Decompresses a value of `pack` or `packIds`. @throws if `bytes` is not such a value */
export const unpack = (bytes: unknown): unknown =>
  JSON.parse(zstdDecompressSync(bytes as Uint8Array).toString("utf8"));
