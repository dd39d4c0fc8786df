import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** A value as compressed JSON, for attributes that hold many ids or outcomes. */
export const pack = (value: unknown): Uint8Array => zstdCompressSync(JSON.stringify(value));

/** A sixth smaller than by default; of many outcomes it would take too long. */
const idCompression = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };

export const packIds = (ids: readonly string[]): Uint8Array =>
  zstdCompressSync(JSON.stringify(ids), idCompression);

export const unpack = (bytes: unknown): unknown =>
  JSON.parse(zstdDecompressSync(bytes as Uint8Array).toString("utf8"));
