import {
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { FaultKind } from "./faults.ts";
import type { Random } from "./random.ts";
import type { Attempt, Sent } from "./sdk.ts";

type Marshalled = Readonly<Record<string, unknown>>;

const writes: ReadonlySet<string> = new Set(["PutItem", "UpdateItem", "DeleteItem"]);

/** What a request to DynamoDB may meet besides a network that fails. */
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

/** What eventually consistent readers were answered last, by what they asked for. */
export type Answered = Map<string, Marshalled>;

interface Line {
  readonly random: Random;
  readonly answered: Answered;
  /** Performs the request, with another body when one is given. */
  readonly perform: (input?: Marshalled) => Promise<Sent>;
}

type FaultySend = (attempt: Attempt, line: Line) => Promise<Sent>;

/** How a request goes under each fault of the store. */
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
  async read_stale({ operation, input }, { answered, perform }) {
    const sent = await perform();
    const before = answered.get(nameOf(operation, input));
    return before === undefined ? sent : { ...sent, output: { ...sent.output, ...before } };
  },
  async index_lags(_, { random, perform }) {
    const sent = await perform();
    const items = (sent.output["Items"] ?? []) as readonly unknown[];
    return withItems(sent, random.some(items, 0.5));
  },
  /** Where a page ends is for the engine to say: its key holds whatever the query projects. */
  page_short: ({ input }, { random, perform }) =>
    perform({ ...input, Limit: random.between(1, Math.min(3, limitOf(input) - 1)) }),
};

/** Keeps what an eventually consistent read was answered, for one that comes later. */
export function remember({ operation, input }: Attempt, { output }: Sent, to: Answered): void {
  if (input["ConsistentRead"] === true || input["IndexName"] !== undefined) return;
  if (operation === "GetItem") to.set(nameOf(operation, input), { Item: output["Item"] });
  if (operation !== "Query") return;
  const { Items, Count, LastEvaluatedKey } = output;
  to.set(nameOf(operation, input), { Items, Count, LastEvaluatedKey });
}

const nameOf = (operation: string, input: Marshalled): string =>
  `${operation} ${JSON.stringify(input)}`;

function withItems(sent: Sent, Items: readonly unknown[]): Sent {
  return { ...sent, output: { ...sent.output, Items, Count: Items.length } };
}

interface Partly {
  readonly listOf: (wanted: unknown) => readonly unknown[];
  readonly withList: (wanted: unknown, list: readonly unknown[]) => unknown;
  readonly left: "UnprocessedItems" | "UnprocessedKeys";
}

/** A key, or a write, as whoever asked for it wrote it: answers are unmarshalled below this. */
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

/** DynamoDB does a part of a batch and says what it left out. */
async function inPart(
  { input }: Attempt,
  { random, perform }: Line,
  { listOf, withList, left }: Partly,
): Promise<Sent> {
  const [[table, wanted] = ["", undefined]] = Object.entries(input["RequestItems"] as object);
  const list = listOf(wanted);
  const taken = random.some(list, 0.5);
  const rest = list.filter((one) => !taken.includes(one));
  const leftOut = withList(wanted, rest.map(plain));
  const over = rest.length === 0 ? {} : { [left]: { [table]: leftOut } };
  if (taken.length === 0) return { response: {}, output: { $metadata: {}, ...over } };
  const sent = await perform({ ...input, RequestItems: { [table]: withList(wanted, taken) } });
  return { ...sent, output: { ...sent.output, ...over } };
}
