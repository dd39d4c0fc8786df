import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { GetObjectCommand, paginateListObjectsV2 } from "@aws-sdk/client-s3";
import { DuckDBInstance } from "@duckdb/node-api";
import { codeBlocks } from "../readme/code-blocks.ts";
import type { DeliveryWorld } from "./delivery-world.ts";

/** Returns the bytes of all objects in the export bucket of a delivery world, by key. */
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
 * Opens DuckDB over a bucket's objects, which are stored as files until `close`. DuckDB reads
 * `s3://` only with an extension that it downloads, and a test must not depend on a download.
 */
export async function openDuckDb(objects: ReadonlyMap<string, Buffer>) {
  const folder = mkdtempSync(join(tmpdir(), "bucket-"));
  for (const [key, bytes] of objects) {
    mkdirSync(dirname(join(folder, key)), { recursive: true });
    writeFileSync(join(folder, key), bytes);
  }
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  return {
    /** The folder of the files. It replaces `s3://my-bucket` in statements. */
    folder,
    run: (statement: string) => connection.run(statement),
    rows: async (query: string) =>
      (await connection.runAndReadAll(query)).getRowObjectsJson() as Record<string, unknown>[],
    /** Returns the SQL statements of docs/s3-export.md, changed to read the files. */
    pageStatements: (): string[] =>
      codeBlocks("docs/s3-export.md", "sql")
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
