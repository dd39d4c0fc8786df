import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { assert } from "../../base/assert.ts";
import { unavailable } from "../../base/errors.ts";
import { laterRowKinds, type RowKinds } from "../../base/stored-kinds.ts";
import {
  assertAccepted,
  readable,
  type Stored as Row,
  versionName,
  versionOf,
  type WrittenVersions,
  writtenVersion,
} from "../../base/stored-versions.ts";
import { convertRow } from "./convert-row.ts";
import {
  differingNames,
  type GuardedWrite,
  namesIn,
  type VersionedKind,
  versionedKindOf,
  versionWrite,
  type Write,
} from "./versioned-writes.ts";

interface Versions {
  /**
   * The kinds of rows to convert.
   * @default the kinds of this release that have a version above 1 or a conversion
   */
  readonly kinds?: RowKinds;
  /** Which versions of rows the process writes. @default current */
  readonly writes?: WrittenVersions;
}

type Members = Readonly<Record<string, unknown>>;
interface Command {
  readonly input: Members;
}
type Send = (command: Command, ...more: readonly unknown[]) => Promise<Members>;

/**
 * Maximum number of attempts of a write that finds rows of another version. Each attempt first
 * converts these rows, but another process may convert them back before the write.
 */
const attemptsMax = 10;

/**
 * Wraps a client so that its callers handle only rows of the version of the code. The wrapped
 * client converts the rows in responses and errors to the version of the code. It converts the rows
 * of puts to the version that the process writes. Before a write whose expression names an
 * attribute that differs between versions, it converts the stored row to the version that the
 * process writes.
 *
 * While every kind of row has only version 1, the wrapped client changes no request.
 * @throws 503 UNAVAILABLE from `send`, if a response contains a row of a version that this release
 * does not accept, or if a write finds a row of another version in each of ten attempts
 */
export function versionedClient(
  client: DynamoDBDocumentClient,
  { kinds = laterRowKinds, writes = "current" }: Versions = {},
): DynamoDBDocumentClient {
  const versioned = Object.entries(kinds)
    .filter(([, { version, conversion }]) => version > 1 || conversion !== undefined)
    .map(([name, kind]) => ({ name, kind, writes }));
  return new Proxy(client, {
    get(target, name) {
      if (name !== "send") return Reflect.get(target, name) as unknown;
      return (...sent: Parameters<Send>) => sendVersioned(target, versioned, sent);
    },
  });
}

/**
 * Sends a command with rows of the versions that the process writes. If stored rows of another
 * version make a write fail, converts these rows and sends the command again.
 */
async function sendVersioned(
  client: DynamoDBDocumentClient,
  kinds: readonly VersionedKind[],
  [command, ...more]: Parameters<Send>,
): Promise<Members> {
  const { input, guarded } = versionedInput(kinds, command.input);
  const send = client.send.bind(client) as unknown as Send;
  for (let attempts = 1; ; attempts += 1) {
    try {
      const output = await send(withInput(command, input), ...more);
      return readableOutput(kinds, input, output);
    } catch (error) {
      const stale = staleRows(error, guarded);
      if (stale.length === 0) throw withReadableRows(kinds, error);
      if (attempts === attemptsMax) {
        throw unavailable(
          `a row could not be converted in ${attempts} attempts, because other processes changed it during each`,
        );
      }
      for (const row of stale) await convertRow(client, row);
    }
  }
}

/** Returns a command of the same class with another input. */
function withInput(command: Command, input: Members): Command {
  if (input === command.input) return command;
  const { constructor } = command as unknown as { constructor: new (input: Members) => Command };
  return new constructor(input);
}

interface VersionedInput {
  readonly input: Members;
  /** For each write of the request, in order: its guard; undefined if the write has none. */
  readonly guarded: readonly (GuardedWrite | undefined)[];
}

/**
 * Changes the writes in the input of a request as `versionWrite` describes, and the reads as
 * `withWholeRows` describes.
 */
function versionedInput(kinds: readonly VersionedKind[], input: Members): VersionedInput {
  if (kinds.length === 0) return { input, guarded: [] };
  const { TransactItems: writes, RequestItems: requests } = input;
  if (Array.isArray(writes)) {
    const each = writes.map((write) => versionedItem(kinds, write as Item));
    const TransactItems = each.map(({ item }) => item);
    return { input: { ...input, TransactItems }, guarded: each.map(({ guarded }) => guarded) };
  }
  if (requests !== undefined) {
    const tables = Object.entries(requests as Readonly<Record<string, unknown>>);
    const RequestItems = Object.fromEntries(
      tables.map(([table, batch]) => [table, versionedBatch(kinds, batch)]),
    );
    return { input: { ...input, RequestItems }, guarded: [] };
  }
  const { write, guarded } = versionWrite(kinds, withWholeRows(kinds, input));
  return { input: write, guarded: [guarded] };
}

/** A write of a transaction: an object with a single key, the operation, such as `Put`. */
type Item = Readonly<Record<string, Write>>;

/** Changes one write of a transaction as `versionWrite` describes. */
function versionedItem(kinds: readonly VersionedKind[], item: Item) {
  const [operation = "", write = {}] = Object.entries(item)[0] ?? [];
  const { write: versioned, guarded } = versionWrite(kinds, write);
  return { item: { [operation]: versioned }, guarded };
}

/**
 * Changes the part of a batch request that belongs to one table: keys to get, as `withWholeRows`
 * describes, or rows to put, as `versionWrite` describes.
 */
function versionedBatch(kinds: readonly VersionedKind[], batch: unknown): unknown {
  if (!Array.isArray(batch)) return withWholeRows(kinds, batch as Members);
  return (batch as readonly { readonly PutRequest?: Write }[]).map((one) =>
    one.PutRequest === undefined ? one : { PutRequest: versionWrite(kinds, one.PutRequest).write },
  );
}

/**
 * If the projection of a read contains an attribute that differs between versions, adds everything
 * that the conversion needs: the key, the version and all attributes that differ.
 * @throws Error for a filter on an attribute that differs, because DynamoDB applies the filter
 * before the conversion
 */
function withWholeRows(kinds: readonly VersionedKind[], input: Members): Members {
  const { ProjectionExpression: projection, ExpressionAttributeNames: aliases } = input;
  const differing = new Set(kinds.flatMap(({ kind }) => [...differingNames(kind.conversion)]));
  const filtered = namesIn(input, input["FilterExpression"]).find((name) => differing.has(name));
  assert(
    filtered === undefined,
    `a filter must not name an attribute that a conversion changes (got ${filtered})`,
  );
  if (typeof projection !== "string") return input;
  const named = new Set(namesIn(input, projection));
  if (![...named].some((name) => differing.has(name))) return input;
  const missing = ["pk", "sk", versionName, ...differing].filter((name) => !named.has(name));
  return {
    ...input,
    ProjectionExpression: [projection, ...missing.map((_, n) => `#whole${n}`)].join(", "),
    ExpressionAttributeNames: {
      ...(aliases as Readonly<Record<string, string>> | undefined),
      ...Object.fromEntries(missing.map((name, n) => [`#whole${n}`, name])),
    },
  };
}

/** Converts every row in the output of a request to the version of the code. */
function readableOutput(kinds: readonly VersionedKind[], input: Members, output: Members): Members {
  const key = (input["Key"] ?? {}) as Row;
  const readerFor = (request: Members): ReadRow => {
    const isPartial = kinds.length > 0 && omitsVersion(request);
    return (row) =>
      isPartial && row[versionName] === undefined ? row : readableRow(kinds, row, key);
  };
  const read = readerFor(input);
  const changes: Record<string, unknown> = {};
  const { Item: item, Attributes: attributes, Items: items, Responses: responses } = output;
  if (item !== undefined) changes["Item"] = read(item as Row);
  if (attributes !== undefined) changes["Attributes"] = read(attributes as Row);
  if (items !== undefined) changes["Items"] = (items as readonly Row[]).map(read);
  if (responses !== undefined) changes["Responses"] = readableBatch(responses, input, readerFor);
  const { UnprocessedItems: left } = output;
  if (left !== undefined) changes["UnprocessedItems"] = readableRequests(left, read);
  return { ...output, ...changes };
}

type ReadRow = (row: Row) => Row;

/**
 * Returns true if a read returns rows without their version: from an index, which has only keys, or
 * with a projection without the version. Such rows have no attribute that differs between versions.
 */
function omitsVersion(request: Members): boolean {
  const { IndexName: index, ProjectionExpression: projection } = request;
  if (index !== undefined) return true;
  return typeof projection === "string" && !namesIn(request, projection).includes(versionName);
}

type RowsByTable = Readonly<Record<string, readonly Row[]>>;

/**
 * Converts the rows that a batch read returned, by table. Each table needs a separate reader,
 * because each table has a separate projection.
 */
function readableBatch(
  responses: unknown,
  { RequestItems: requests }: Members,
  readerFor: (request: Members) => ReadRow,
): unknown {
  const requested = requests as Readonly<Record<string, Members>>;
  return Object.fromEntries(
    Object.entries(responses as RowsByTable).map(([table, rows]) => [
      table,
      rows.map(readerFor(requested[table] ?? {})),
    ]),
  );
}

type Requests = Readonly<
  Record<string, readonly { readonly PutRequest?: { readonly Item: Row } }[]>
>;

/**
 * Converts the unprocessed rows of a batch write to the version of the code. The code sends these
 * rows again, and the client then converts them back.
 */
const readableRequests = (left: unknown, read: ReadRow): unknown =>
  Object.fromEntries(
    Object.entries(left as Requests).map(([table, requests]) => [
      table,
      requests.map((one) =>
        one.PutRequest === undefined ? one : { PutRequest: { Item: read(one.PutRequest.Item) } },
      ),
    ]),
  );

/**
 * Converts a row to the version of the code.
 * @param key key of the row, which the row may not contain
 */
function readableRow(kinds: readonly VersionedKind[], row: Row, key: Row): Row {
  const identified = row["pk"] === undefined ? key : row;
  const versioned = kinds.length === 0 ? undefined : versionedKindOf(kinds, identified);
  if (versioned === undefined && row[versionName] === undefined) return row;
  const name = `Row ${String(identified["pk"])} / ${String(identified["sk"])}`;
  return readable(versioned?.kind ?? { version: 1 }, row, name);
}

type TypedRow = NonNullable<ConditionalCheckFailedException["Item"]>;
interface Reason {
  readonly Code?: string | undefined;
  Item?: TypedRow | undefined;
}

/**
 * Returns the reasons for which DynamoDB refused the writes of a request, in the order of the
 * writes. Returns an empty array if the error is neither a failed condition nor a canceled
 * transaction.
 */
function reasonsIn(error: unknown): readonly Reason[] {
  if (error instanceof TransactionCanceledException) return error.CancellationReasons ?? [];
  return error instanceof ConditionalCheckFailedException ? [error] : [];
}

/** Returns the rows that made a guarded write fail because of their version. */
function staleRows(error: unknown, guarded: readonly (GuardedWrite | undefined)[]) {
  return reasonsIn(error).flatMap(({ Item: item }, n) => {
    const guard = guarded[n];
    if (guard === undefined || item === undefined) return [];
    const { name, kind, writes } = guard.versioned;
    const row = unmarshall(item);
    const version = versionOf(row);
    assertAccepted(kind, version, `Row ${row["pk"]} / ${row["sk"]} (${name})`);
    if (version === writtenVersion(kind, writes) || kind.conversion === undefined) return [];
    return [{ table: guard.table, row, conversion: kind.conversion }];
  });
}

/** Converts the rows that an error contains. */
function withReadableRows(kinds: readonly VersionedKind[], error: unknown): unknown {
  for (const reason of reasonsIn(error)) {
    if (reason.Item === undefined) continue;
    if (kinds.length === 0 && reason.Item[versionName] === undefined) continue;
    const row = readableRow(kinds, unmarshall(reason.Item), {});
    reason.Item = marshall(row, { removeUndefinedValues: true });
  }
  return error;
}
