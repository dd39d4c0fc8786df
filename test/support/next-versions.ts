import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { versionedClient } from "../../shared/aws/table/versioned-client.ts";
import { isOfKind, type RowKind, rowKinds } from "../../shared/base/stored-kinds.ts";
import {
  type Conversion,
  type Stored,
  versionChange,
  versionName,
  type WrittenVersions,
} from "../../shared/base/stored-versions.ts";

/** Renames an attribute in the second version of a kind of rows. */
const renamed = (older: string, newer: string): Conversion => ({
  older: 1,
  olderNames: [older],
  newerNames: [newer],
  toNewer: (row) => (older in row ? { [newer]: row[older] } : {}),
  toOlder: (row) => (newer in row ? { [older]: row[newer] } : {}),
});

/** Stores the counts of a page of items as a list in the second version, and not as a map. */
const counted: Conversion = {
  older: 1,
  olderNames: ["counts"],
  newerNames: ["tally"],
  toNewer: ({ counts }) =>
    counts === undefined ? {} : { tally: Object.entries(counts as Stored).flat() },
  toOlder: ({ tally }) => {
    if (tally === undefined) return {};
    const values = tally as readonly unknown[];
    const names = values.filter((_, n) => n % 2 === 0).map(String);
    return { counts: Object.fromEntries(names.map((name, n) => [name, values[2 * n + 1]])) };
  },
};

/**
 * A second version of three kinds of rows, as a later release could introduce it. The renamed
 * attributes of runs and watchlists occur in updates and conditions.
 */
const conversions = {
  run: renamed("progress_at", "advanced_at"),
  watchlist: renamed("item_counts", "totals"),
  itemPage: counted,
} as const;

/**
 * Returns the row kinds of a release. The kinds `run`, `watchlist` and `itemPage` have the given
 * version; all other kinds have their current version.
 */
export const kindsAt = (version: 1 | 2) => ({
  ...rowKinds,
  run: { ...rowKinds.run, version, conversion: conversions.run },
  watchlist: { ...rowKinds.watchlist, version, conversion: conversions.watchlist },
  itemPage: { ...rowKinds.itemPage, version, conversion: conversions.itemPage },
});

/**
 * The release that a process runs: its version of the row kinds `run`, `watchlist` and `itemPage`,
 * and the version that it writes.
 */
export interface Release {
  readonly version: 1 | 2;
  readonly writes: WrittenVersions;
}

/** The releases of processes that can run at the same time. */
export const releases: readonly Release[] = [
  { version: 1, writes: "current" },
  { version: 2, writes: "current" },
  { version: 2, writes: "previous" },
];

/**
 * Returns a client through which the stores of this code act like the stores of `release`. For
 * version 2, the client converts the attributes of rows. If the release also writes version 2, the
 * client replaces the attribute names in expressions.
 */
export function releaseClient(
  client: DynamoDBDocumentClient,
  { version, writes }: Release,
): DynamoDBDocumentClient {
  const versioned = versionedClient(client, { kinds: kindsAt(version), writes });
  return version === 1 ? versioned : withStoresOfVersion2(versioned, writes);
}

interface Command {
  readonly input: Stored;
}
type Send = (command: Command) => Promise<Stored>;
type Write = Readonly<Record<string, unknown>>;

function withStoresOfVersion2(
  client: DynamoDBDocumentClient,
  writes: WrittenVersions,
): DynamoDBDocumentClient {
  const request = (write: Write): Write => writeOfVersion2(write, writes);
  return new Proxy(client, {
    get(target, name) {
      if (name !== "send") return Reflect.get(target, name) as unknown;
      const send = target.send.bind(target) as unknown as Send;
      return async (command: Command) => {
        const { constructor } = command as unknown as { constructor: new (_: Stored) => Command };
        try {
          const output = await send(new constructor(mapped(command.input, request)));
          return mapped(output, (one) => rowsOfVersion1(one, command.input));
        } catch (error) {
          for (const reason of reasonsIn(error)) {
            if (reason.Item === undefined) continue;
            reason.Item = marshall(rowOfVersion1(unmarshall(reason.Item)), {
              removeUndefinedValues: true,
            });
          }
          throw error;
        }
      };
    },
  });
}

interface Reason {
  Item?: ConditionalCheckFailedException["Item"] | undefined;
}

function reasonsIn(error: unknown): readonly Reason[] {
  if (error instanceof TransactionCanceledException) return error.CancellationReasons ?? [];
  return error instanceof ConditionalCheckFailedException ? [error] : [];
}

/** Applies a change to a message (the input or output of a request) and to every write in it. */
function mapped(message: Stored, change: (one: Write) => Write): Stored {
  const lists = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(lists);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value as Stored).map(([name, one]) => [
        name,
        ["Put", "Update", "Delete", "ConditionCheck", "PutRequest"].includes(name)
          ? change(one as Write)
          : one,
      ]),
    );
  };
  const byTable = (value: unknown): unknown =>
    value === undefined
      ? undefined
      : Object.fromEntries(
          Object.entries(value as Stored).map(([table, requests]) => [
            table,
            Array.isArray(requests) ? lists(requests) : requests,
          ]),
        );
  const { TransactItems: writes, RequestItems: requests, UnprocessedItems: left } = message;
  return change({
    ...message,
    ...(writes !== undefined && { TransactItems: lists(writes) }),
    ...(requests !== undefined && { RequestItems: byTable(requests) }),
    ...(left !== undefined && { UnprocessedItems: byTable(left) }),
  });
}

const kindOf = (key: Stored | undefined): [keyof typeof conversions, RowKind] | undefined =>
  Object.keys(conversions)
    .map((name) => name as keyof typeof conversions)
    .filter((name) => key !== undefined && isOfKind(rowKinds[name], key))
    .map((name) => [name, rowKinds[name]] as [keyof typeof conversions, RowKind])[0];

function writeOfVersion2(write: Write, writes: WrittenVersions): Write {
  const { Item: item, Key: key } = write as { readonly Item?: Stored; readonly Key?: Stored };
  const found = kindOf(item ?? key);
  if (found === undefined) return write;
  const conversion = conversions[found[0]];
  return {
    ...write,
    ...(item !== undefined && { Item: converted(conversion, item, 1) }),
    ...(writes === "current" && renamedExpressions(write, conversion)),
  };
}

/**
 * Replaces the older name of an attribute in expressions with the newer name. Placeholders and
 * nested attributes keep their names.
 */
function renamedExpressions(write: Write, { olderNames, newerNames }: Conversion): Write {
  const [older = "", newer = ""] = [olderNames[0], newerNames[0]];
  const word = new RegExp(`(?<![:#\\w.])${older}\\b`, "g");
  const expressions = Object.entries(write)
    .filter(([name, value]) => name.endsWith("Expression") && typeof value === "string")
    .map(([name, value]) => [name, String(value).replaceAll(word, newer)]);
  const { ExpressionAttributeNames: aliases } = write;
  return {
    ...Object.fromEntries(expressions),
    ...(aliases !== undefined && {
      ExpressionAttributeNames: Object.fromEntries(
        Object.entries(aliases as Stored).map(([alias, name]) => [
          alias,
          name === older ? newer : name,
        ]),
      ),
    }),
  };
}

function converted(conversion: Conversion, row: Stored, from: 1 | 2): Stored {
  const change = versionChange(conversion, { ...row, [versionName]: from });
  const kept = Object.entries(row).filter(([name]) => !(name in change.from));
  return { ...Object.fromEntries(kept), ...change.to };
}

function rowOfVersion1(row: Stored, key = row): Stored {
  const found = kindOf(row["pk"] === undefined ? key : row);
  return found === undefined ? row : converted(conversions[found[0]], row, 2);
}

function rowsOfVersion1(output: Write, input: Stored): Write {
  const one = (row: unknown): Stored => rowOfVersion1(row as Stored, input["Key"] as Stored);
  const { Item: item, Items: items, Attributes: attributes, Responses: responses } = output;
  return {
    ...output,
    ...(item !== undefined && { Item: one(item) }),
    ...(items !== undefined && { Items: (items as readonly unknown[]).map(one) }),
    ...(attributes !== undefined && { Attributes: one(attributes) }),
    ...(responses !== undefined && {
      Responses: Object.fromEntries(
        Object.entries(responses as Readonly<Record<string, readonly unknown[]>>).map(
          ([table, rows]) => [table, rows.map(one)],
        ),
      ),
    }),
  };
}
