import {
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { tableSchema } from "../../shared/base/table-schema.ts";
import type { FaultKind } from "./faults.ts";
import type { Random } from "./random.ts";
import type { Attempt, Sent } from "./attempt.ts";

const { dueIndex } = tableSchema;

type Marshalled = Readonly<Record<string, unknown>>;

const writes: ReadonlySet<string> = new Set(["PutItem", "UpdateItem", "DeleteItem"]);

/** Returns the faults that can occur at a DynamoDB request, in addition to network faults. */
export function dynamoFaultsOf({ operation, input }: Attempt): readonly FaultKind[] {
  if (operation === "TransactWriteItems") {
    const hasToken = input["ClientRequestToken"] !== undefined;
    return hasToken
      ? ["transaction_conflict", "transaction_in_progress"]
      : ["transaction_conflict"];
  }
  if (writes.has(operation)) return ["transaction_conflict"];
  if (operation === "BatchWriteItem") return ["items_unprocessed"];
  if (operation === "BatchGetItem") return ["keys_unprocessed"];
  if (operation === "Query" && input["IndexName"] !== undefined) return ["index_lags"];
  if (operation === "Query") {
    return limitOf(input) > 1 ? ["page_short"] : [];
  }
  if (operation === "GetItem" && input["ConsistentRead"] !== true) return ["read_stale"];
  return [];
}

const limitOf = ({ Limit }: Marshalled): number => Number(Limit ?? Infinity);

/** Creates DynamoDB's error for a throttled request. */
export const throttle = (): Error =>
  new ProvisionedThroughputExceededException({ message: "throttled", $metadata: {} });

const conflict = ({ operation, input }: Attempt): Error => {
  const options = { message: "conflict", $metadata: {} };
  if (operation !== "TransactWriteItems") return new TransactionConflictException(options);
  const items = input["TransactItems"] as readonly unknown[];
  return new TransactionCanceledException({
    ...options,
    CancellationReasons: items.map((_, n) => ({ Code: n === 0 ? "TransactionConflict" : "None" })),
  });
};

/**
 * The recent results of each row and each index query, oldest first. An eventually consistent read
 * may still return them. The key names the row or the query.
 */
export type Answered = Map<string, Known[]>;
interface Known {
  readonly at: number;
  /** The row, or the rows of an index query. */
  readonly rows: readonly Marshalled[];
}

/** The largest age of an eventually consistent result, in milliseconds. */
const behindMsMax = { read: 2_000, index: 5 * 60_000 } as const;
const knownMax = 4;

interface Line {
  readonly random: Random;
  readonly answered: Answered;
  /** Sends the request. `input` replaces its input. */
  readonly perform: (input?: Marshalled) => Promise<Sent>;
  /** Records that the injected fault did not change the result of the request. */
  readonly hadNoEffect: () => void;
  readonly now: number;
}

type FaultySend = (attempt: Attempt, line: Line) => Promise<Sent>;

/** Performs a request under each kind of DynamoDB fault. */
export const dynamoFaults: Readonly<Partial<Record<FaultKind, FaultySend>>> = {
  transaction_conflict: (attempt) => Promise.reject(conflict(attempt)),
  transaction_in_progress: () =>
    Promise.reject(
      new TransactionInProgressException({ Message: "in progress", message: "", $metadata: {} }),
    ),
  items_unprocessed: (attempt, line) =>
    inPart(attempt, line, {
      listOf: (wanted) => wanted as readonly unknown[],
      withList: (_, list) => list,
      left: "UnprocessedItems",
    }),
  keys_unprocessed: (attempt, line) =>
    inPart(attempt, line, {
      listOf: (wanted) => (wanted as { Keys: readonly unknown[] }).Keys,
      withList: (wanted, Keys) => ({ ...(wanted as object), Keys }),
      left: "UnprocessedKeys",
    }),
  /** Returns an earlier version of the row, if there is one. */
  async read_stale({ input }, { random, answered, perform, hadNoEffect, now }) {
    const sent = await perform();
    const { Item } = sent.output;
    const before = within(answered.get(rowName(input["Key"] as Row)), now - behindMsMax.read)
      .flatMap(({ rows }) => rows)
      .filter((row) => JSON.stringify(row) !== JSON.stringify(Item));
    if (before.length > 0) {
      return { ...sent, output: { ...sent.output, Item: random.pick(before) } };
    }
    hadNoEffect();
    return sent;
  },
  /** Makes an index query omit some rows, and return some deleted rows in their last version. */
  async index_lags(attempt, { random, answered, perform, hadNoEffect, now }) {
    const sent = await perform();
    const items = (sent.output["Items"] ?? []) as readonly Marshalled[];
    const gone = goneSince(
      items,
      within(answered.get(indexName(attempt)), now - behindMsMax.index),
    );
    remember(attempt, sent, { answered, now });
    const shown = [...random.someNotAll(items), ...random.some(gone, 0.8)];
    const { Limit = Infinity } = attempt.input;
    if (items.length + gone.length === 0) hadNoEffect();
    return items.length + gone.length === 0
      ? sent
      : withItems(sent, shown.toSorted(soonestFirst).slice(0, Number(Limit)));
  },
  /**
   * Ends the page early by a smaller `Limit`. The result is not cut here, because the key of the
   * next page has attributes that the query does not return. Only the DynamoDB engine has these
   * attributes.
   */
  async page_short({ input }, { random, perform, hadNoEffect }) {
    const Limit = random.between(1, Math.min(3, limitOf(input) - 1));
    const sent = await perform({ ...input, Limit });
    if (sent.output["LastEvaluatedKey"] === undefined) hadNoEffect();
    return sent;
  },
};

/**
 * Stores the result of a query of an index, or of an update that returns the whole row, so that
 * later eventually consistent reads can return the result. Ignores other requests.
 */
export function remember(
  attempt: Attempt,
  { output }: Sent,
  { answered, now: at }: { readonly answered: Answered; readonly now: number },
): void {
  const { operation, input } = attempt;
  const keep = (name: string, rows: readonly Marshalled[]): void => {
    answered.set(name, [...(answered.get(name) ?? []), { at, rows }].slice(-knownMax));
  };
  if (operation === "UpdateItem" && input["ReturnValues"] === "ALL_NEW") {
    keep(rowName(input["Key"] as Row), [output["Attributes"] as Marshalled]);
  }
  if (operation !== "Query" || input["IndexName"] === undefined) return;
  keep(indexName(attempt), (output["Items"] ?? []) as readonly Marshalled[]);
}

const within = (known: readonly Known[] | undefined, since: number): readonly Known[] =>
  (known ?? []).filter(({ at }) => at >= since);

const rowName = (key: Row): string => JSON.stringify(unmarshall(key), ["pk", "sk"]);

/**
 * Returns a name for an index query. Ignores the time up to which rows are due, because this
 * time differs in every query.
 */
function indexName({ input }: Attempt): string {
  const { ":by": _, ...values } = input["ExpressionAttributeValues"] as Marshalled;
  return JSON.stringify(values);
}

/** Returns the rows that earlier results contained and `items` does not, in their last version. */
function goneSince(items: readonly Marshalled[], before: readonly Known[]): readonly Marshalled[] {
  const nameOf = ({ pk, sk }: Marshalled): string => `${String(pk)} ${String(sk)}`;
  const there = new Set(items.map(nameOf));
  const rows = new Map(before.flatMap((one) => one.rows).map((row) => [nameOf(row), row]));
  return [...rows].flatMap(([name, row]) => (there.has(name) ? [] : [row]));
}

const soonestFirst = (one: Marshalled, other: Marshalled): number => {
  const [before, after] = [one, other].map((row) => String(row[dueIndex.sortKey]));
  if (before === after) return 0;
  return String(before) < String(after) ? -1 : 1;
};

function withItems(sent: Sent, Items: readonly unknown[]): Sent {
  return { ...sent, output: { ...sent.output, Items, Count: Items.length } };
}

interface Partly {
  readonly listOf: (wanted: unknown) => readonly unknown[];
  readonly withList: (wanted: unknown, list: readonly unknown[]) => unknown;
  readonly left: "UnprocessedItems" | "UnprocessedKeys";
}

/**
 * Converts a key or a write from DynamoDB's attribute values to plain values. Needed because the
 * document client converts only values in its commands.
 */
function plain(asked: unknown): unknown {
  const { PutRequest: put, DeleteRequest: gone } = asked as BatchWrite;
  if (put !== undefined) return { PutRequest: { Item: unmarshall(put.Item) } };
  if (gone !== undefined) return { DeleteRequest: { Key: unmarshall(gone.Key) } };
  return unmarshall(asked as Row);
}

type Row = Parameters<typeof unmarshall>[0];
interface BatchWrite {
  readonly PutRequest?: { readonly Item: Row };
  readonly DeleteRequest?: { readonly Key: Row };
}

/** Performs only a part of a batch, and returns the rest as unprocessed. */
async function inPart(
  { input }: Attempt,
  { random, perform }: Line,
  { listOf, withList, left }: Partly,
): Promise<Sent> {
  const [[table, wanted] = ["", undefined]] = Object.entries(input["RequestItems"] as object);
  const list = listOf(wanted);
  const taken = random.someNotAll(list);
  const rest = list.filter((one) => !taken.includes(one));
  const leftOut = withList(wanted, rest.map(plain));
  const over = rest.length === 0 ? {} : { [left]: { [table]: leftOut } };
  if (taken.length === 0) return { response: {}, output: { $metadata: {}, ...over } };
  const sent = await perform({ ...input, RequestItems: { [table]: withList(wanted, taken) } });
  return { ...sent, output: { ...sent.output, ...over } };
}
