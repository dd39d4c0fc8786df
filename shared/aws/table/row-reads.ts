import { BatchGetCommand, type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { chunksOf } from "../../base/chunks-of.ts";
import type { Row } from "./dynamo.ts";
import type { RowKey } from "./table.ts";

/** Maximum number of keys of a BatchGetItem request. */
const keysMax = 100;

/** The reads of one row that wait for the same request. */
interface PendingRead {
  readonly key: RowKey;
  readonly row: Promise<Row | undefined>;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** The reads that wait for the next request, by table and key. */
type PendingReads = Map<string, Map<string, PendingRead>>;

const pendingOf = new WeakMap<DynamoDBDocumentClient, PendingReads>();

/**
 * Reads a row with a strongly consistent read. Returns undefined if the row does not exist. Reads
 * of one client that begin in the same turn of the event loop become one request. Code that needs
 * several rows can therefore read them in parallel with only one request.
 */
export function readRow(
  client: DynamoDBDocumentClient,
  table: string,
  key: RowKey,
): Promise<Row | undefined> {
  const pending = pendingOf.get(client) ?? new Map<string, Map<string, PendingRead>>();
  pendingOf.set(client, pending);
  const reads = pending.get(table) ?? new Map<string, PendingRead>();
  if (reads.size === 0) {
    pending.set(table, reads);
    // Runs after all promise callbacks that are ready, because these may begin further reads.
    void Promise.resolve().then(() =>
      process.nextTick(() => {
        pending.delete(table);
        for (const some of chunksOf([...reads.values()], keysMax)) void send(client, table, some);
      }),
    );
  }
  const known = reads.get(nameOf(key));
  if (known !== undefined) return known.row;
  const { promise: row, resolve, reject } = Promise.withResolvers<Row | undefined>();
  reads.set(nameOf(key), { key, row, resolve, reject });
  return row;
}

/** Sends one request for the waiting reads, and resolves or rejects each of them. Never rejects. */
async function send(
  client: DynamoDBDocumentClient,
  table: string,
  reads: readonly PendingRead[],
): Promise<void> {
  try {
    const [only] = reads;
    const rows =
      reads.length === 1 && only !== undefined
        ? [await readOne(client, table, only.key)]
        : await readAll(client, table, reads);
    const found = new Map(rows.flatMap((row) => (row === undefined ? [] : [[nameOf(row), row]])));
    for (const { key, resolve } of reads) resolve(found.get(nameOf(key)));
  } catch (error) {
    for (const { reject } of reads) reject(error);
  }
}

/** Reads rows in one request. An entry of the result is undefined if its row does not exist. */
async function readAll(
  client: DynamoDBDocumentClient,
  table: string,
  reads: readonly PendingRead[],
): Promise<readonly (Row | undefined)[]> {
  const Keys = reads.map(({ key: { pk, sk } }) => ({ pk, sk }));
  const { Responses, UnprocessedKeys } = await client.send(
    new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } }),
  );
  // DynamoDB omits keys from the response if the table is overloaded or the rows exceed 16 MB. Each
  // omitted key is read with a separate request, which the SDK retries after a pause.
  const left = (UnprocessedKeys?.[table]?.Keys ?? []) as unknown as readonly RowKey[];
  const others = await Promise.all(left.map((key) => readOne(client, table, key)));
  return [...(Responses?.[table] ?? []), ...others];
}

async function readOne(
  client: DynamoDBDocumentClient,
  TableName: string,
  { pk, sk }: RowKey,
): Promise<Row | undefined> {
  const command = new GetCommand({ TableName, Key: { pk, sk }, ConsistentRead: true });
  return (await client.send(command)).Item;
}

const nameOf = ({ pk, sk }: { readonly pk?: unknown; readonly sk?: unknown }): string =>
  `${String(pk)} ${String(sk)}`;
