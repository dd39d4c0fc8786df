import { ListObjectsV2Command, type S3Client } from "@aws-sdk/client-s3";
import { type DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";

/** Stored bytes, as DynamoDB and S3 bill them. */
export interface Stored {
  /** The bytes of rows that do not expire. */
  readonly kept: number;
  /** The bytes of rows that expire, multiplied by the months that they exist. */
  readonly expiringPerMonth: number;
  /** The bytes of the objects in the service's bucket. */
  readonly objects: number;
}

/** The number of days for which monthly costs are calculated. */
export const monthDays = 30;
const monthSeconds = monthDays * 86_400;
/** The bytes that DynamoDB bills for each row in addition to its content. */
const rowOverhead = 100;

/**
 * Measures what a local world stores in its tables and in the service's bucket. Returns the bytes
 * of lasting rows, of expiring rows and of objects separately.
 */
export async function measureStoredBytes(
  clients: { readonly dynamo: DynamoDBDocumentClient; readonly s3: S3Client },
  { tables, bucket }: { readonly tables: readonly string[]; readonly bucket: string },
): Promise<Stored> {
  let [kept, expiringPerMonth, objects] = [0, 0, 0];
  const nowSeconds = Date.now() / 1_000;
  for (const table of tables) {
    for await (const row of rowsOf(clients.dynamo, table)) {
      const bytes = sizeOf(row) + rowOverhead;
      const expiresAt = row["ttl"];
      if (typeof expiresAt !== "number") kept += bytes;
      else expiringPerMonth += bytes * ((expiresAt - nowSeconds) / monthSeconds);
    }
  }
  for await (const size of objectSizes(clients.s3, bucket)) objects += size;
  return { kept, expiringPerMonth, objects };
}

type Row = Readonly<Record<string, unknown>>;

async function* rowsOf(client: DynamoDBDocumentClient, table: string): AsyncGenerator<Row> {
  let start: Row | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({ TableName: table, ExclusiveStartKey: start }),
    );
    yield* Items;
    start = LastEvaluatedKey;
  } while (start !== undefined);
}

async function* objectSizes(client: S3Client, bucket: string): AsyncGenerator<number> {
  let token: string | undefined;
  do {
    const { Contents = [], NextContinuationToken } = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: token }),
    );
    for (const { Size = 0 } of Contents) yield Size;
    token = NextContinuationToken;
  } while (token !== undefined);
}

const numberBytes = 8;
/** DynamoDB's overhead in bytes for an array or map, and for each of its entries. */
const [containerBytes, memberBytes] = [3, 1];

/**
 * Returns the bytes of a row's attribute names and values, as DynamoDB defines item sizes. Excludes
 * the 100 bytes that DynamoDB bills for each row in addition.
 * @param value a row, or the value of an attribute, as the document client returns it
 */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value === "number") return numberBytes;
  if (value instanceof Uint8Array) return value.byteLength;
  if (value instanceof Set) return [...value].reduce<number>((sum, one) => sum + sizeOf(one), 0);
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, one) => sum + sizeOf(one) + memberBytes, containerBytes);
  }
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).reduce(
      (sum, [name, one]) => sum + Buffer.byteLength(name) + sizeOf(one) + memberBytes,
      containerBytes,
    );
  }
  return 1;
}
