import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { GetObjectCommand, paginateListObjectsV2 } from "@aws-sdk/client-s3";
import { DuckDBInstance } from "@duckdb/node-api";
import { codeBlocks } from "../readme/code-blocks.ts";
import type { DeliveryWorld } from "./delivery-world.ts";

/** Bytes by key, as the world's export bucket has them. */
export async function exportedObjects({
  s3,
  exportBucket: Bucket,
}: Pick<DeliveryWorld, "s3" | "exportBucket">): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket })) {
    for (const { Key = "" } of Contents) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      found.set(Key, Buffer.from(await Body!.transformToByteArray()));
    }
  }
  return found;
}

/**
 * DuckDB over a bucket's objects. It reads s3:// through an extension that it downloads, which no
 * test can rely on: it gets the objects as files under their keys, each with the bytes as stored.
 */
export async function openDuckDb(objects: ReadonlyMap<string, Buffer>) {
  const folder = mkdtempSync(join(tmpdir(), "bucket-"));
  for (const [key, bytes] of objects) {
    mkdirSync(dirname(join(folder, key)), { recursive: true });
    writeFileSync(join(folder, key), bytes);
  }
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  return {
    /** Where the objects are, instead of in `s3://my-bucket`. */
    folder,
    run: (statement: string) => connection.run(statement),
    rows: async (query: string) =>
      (await connection.runAndReadAll(query)).getRowObjectsJson() as Record<string, unknown>[],
    /** The statements of the README's section, over the files. */
    readmeStatements: (): string[] =>
      codeBlocks("Read the export", "sql")
        .join("\n")
        .replaceAll("s3://my-bucket/", `${folder}/`)
        .split(";")
        .map((statement) => statement.replaceAll(/^--.*$/gm, "").trim())
        .filter((statement) => statement !== ""),
    close(): void {
      connection.closeSync();
      rmSync(folder, { recursive: true });
    },
  };
}
