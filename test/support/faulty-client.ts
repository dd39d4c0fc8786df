import { createHash } from "node:crypto";
import {
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import {
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Random } from "./faulty-random.ts";
import type { FaultKind, Faults } from "./faulty-kinds.ts";
import { watchedClient } from "./watched-client.ts";

type Command = Parameters<DynamoDBDocumentClient["send"]>[0];
type Send = (command: Command) => Promise<unknown>;
/** Every command is one that the client takes, whatever its own types say. */
const commandOf = (command: unknown): Command => command as Command;

/** An error that the test made: whoever meets it may fail. */
export class Injected extends Error {
  constructor(name: string) {
    super(name);
    this.name = name;
  }
}

const made = new WeakSet<Error>();
export const isInjected = (error: unknown): boolean =>
  error instanceof Injected || (error instanceof Error && made.has(error));

interface FaultyClientOptions {
  readonly faults: Faults;
  readonly random: Random;
  /** Makes a call of the process that the client belongs to. */
  readonly call: <T>(label: string, effect: () => Promise<T>) => Promise<T>;
  /** Looks at a request before it is sent. */
  readonly look: (command: Command) => Promise<void>;
}

/** The client of one process, with everything that a request to DynamoDB may meet. */
export function faultyClient(
  client: DynamoDBDocumentClient,
  { faults, random, call, look }: FaultyClientOptions,
): DynamoDBDocumentClient {
  const send: Send = (command) => client.send(ownToken(command));
  return watchedClient(client, (command) =>
    call(labelOf(command), async () => {
      await look(command);
      const fault = faults.draw(...kindsFor(command));
      const faulty = fault === undefined ? undefined : faultySends[fault];
      return faulty === undefined ? send(command) : faulty(command, { send, random });
    }),
  );
}

/** Tokens hold for a whole database, and a seed that is played twice makes the same ones twice. */
function ownToken(command: Command): Command {
  if (!(command instanceof TransactWriteCommand)) return command;
  const { TransactItems = [], ClientRequestToken: token } = command.input;
  if (token === undefined) return command;
  const [{ Put, Update, Delete, ConditionCheck } = {}] = TransactItems;
  const table = (Put ?? Update ?? Delete ?? ConditionCheck)?.TableName;
  const ClientRequestToken = createHash("md5").update(`${table} ${token}`).digest("hex");
  return commandOf(new TransactWriteCommand({ TransactItems, ClientRequestToken }));
}

const isRead = (command: Command): boolean =>
  command instanceof GetCommand || command instanceof QueryCommand;

function kindsFor(command: Command): readonly FaultKind[] {
  if (command instanceof QueryCommand && command.input.IndexName !== undefined) {
    return ["throttled", "index_lags"];
  }
  if (isRead(command)) return ["throttled"];
  if (command instanceof BatchWriteCommand)
    return ["throttled", "answer_lost", "items_unprocessed"];
  return ["throttled", "answer_lost", "sent_twice", "transaction_conflict"];
}

interface Line {
  readonly send: Send;
  readonly random: Random;
}

type FaultySend = (command: Command, line: Line) => Promise<unknown>;

const faultySends: Readonly<Partial<Record<FaultKind, FaultySend>>> = {
  throttled: () => Promise.reject(new Injected("ThrottlingException")),
  transaction_conflict: (command) => Promise.reject(conflictOf(command)),
  async answer_lost(command, { send }) {
    await send(command);
    throw new Injected("TimeoutError");
  },
  sent_twice: sendTwice,
  items_unprocessed: (command, line) => sendPartly(command as BatchWriteCommand, line),
  index_lags: async (command, { send, random }) => withoutSome(await send(command), random),
};

function conflictOf(command: Command): Error {
  const options = { message: "conflict", $metadata: {} };
  const writes = command instanceof TransactWriteCommand ? command.input.TransactItems : undefined;
  const error =
    writes === undefined
      ? new TransactionConflictException(options)
      : new TransactionCanceledException({
          ...options,
          CancellationReasons: writes.map((_, n) => ({
            Code: n === 0 ? "TransactionConflict" : "None",
          })),
        });
  made.add(error);
  return error;
}

/** As the SDK does when the first answer is lost: a transaction keeps its token. */
async function sendTwice(command: Command, { send, random }: Line): Promise<unknown> {
  if (!(command instanceof TransactWriteCommand)) {
    await send(command);
    return send(command);
  }
  const token = `token-${random.between(0, 1e9)}-${random.between(0, 1e9)}`;
  const input = { ClientRequestToken: token, ...command.input };
  await send(commandOf(new TransactWriteCommand(input)));
  return send(commandOf(new TransactWriteCommand(input)));
}

async function sendPartly(
  { input }: BatchWriteCommand,
  { send, random }: Line,
): Promise<Record<string, unknown>> {
  const [[table, requests] = ["", []]] = Object.entries(input.RequestItems ?? {});
  const taken = random.some(requests, 0.5);
  if (taken.length > 0) {
    await send(commandOf(new BatchWriteCommand({ RequestItems: { [table]: taken } })));
  }
  const left = requests.filter((request) => !taken.includes(request));
  return left.length === 0 ? {} : { UnprocessedItems: { [table]: left } };
}

function withoutSome(answer: unknown, random: Random): unknown {
  const { Items = [], ...rest } = answer as { readonly Items?: readonly unknown[] };
  return { ...rest, Items: random.some(Items, 0.5) };
}

const keyOf = (row: Readonly<Record<string, unknown>> | undefined): string =>
  `${String(row?.["pk"])} ${String(row?.["sk"])}`;

function labelOf(command: Command): string {
  if (command instanceof GetCommand) return `get ${keyOf(command.input.Key)}`;
  if (command instanceof PutCommand) return `put ${keyOf(command.input.Item)}`;
  if (command instanceof UpdateCommand) {
    return `update ${keyOf(command.input.Key)}: ${command.input.UpdateExpression}`;
  }
  if (command instanceof DeleteCommand) return `delete ${keyOf(command.input.Key)}`;
  if (command instanceof QueryCommand) {
    return `query ${Object.values(command.input.ExpressionAttributeValues ?? {}).join(" ")}`;
  }
  if (command instanceof BatchWriteCommand) return `batch write`;
  const writes = (command as TransactWriteCommand).input.TransactItems ?? [];
  const keys = writes.map(({ Put, Update, Delete, ConditionCheck }) =>
    keyOf(Put?.Item ?? Update?.Key ?? Delete?.Key ?? ConditionCheck?.Key),
  );
  return `transact ${keys.join(", ")}`;
}
