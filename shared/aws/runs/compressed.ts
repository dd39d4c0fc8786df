import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** Compresses a value as JSON, for attributes that hold many IDs or outcomes. */
export const pack = (value: unknown): Uint8Array => zstdCompressSync(JSON.stringify(value));

/** A sixth smaller than the default level. Too slow for outcomes, which are larger. */
const idCompression = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };

export const packIds = (ids: readonly string[]): Uint8Array =>
  zstdCompressSync(JSON.stringify(ids), idCompression);

export const unpack = (bytes: unknown): unknown =>
  JSON.parse(zstdDecompressSync(bytes as Uint8Array).toString("utf8"));
