import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import {
  DeleteCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { SecretBox } from "../../shared/base/secret-box.ts";
import type { Destination } from "../../shared/exports/destination.ts";
import { type Endpoint, endpointSecretContext } from "../../shared/webhooks/endpoint.ts";
import type { deliveryStoresOn } from "./delivery-faults-processes.ts";
import { watchedClient } from "./watched-client.ts";

/** How something was from a time on, in milliseconds; null: it was not there. */
export interface Since<Value> {
  readonly at: number;
  readonly value: Value | null;
}

export interface KnownEndpoint {
  readonly endpoint: Endpoint;
  readonly secret: string;
  readonly previous: { readonly secret: string; readonly expiresAt: number } | null;
}

/** Every state that endpoints and destinations ever were in, by id and by account. */
export interface DeliveryHistory {
  readonly endpoints: Map<string, Since<KnownEndpoint>[]>;
  readonly destinations: Map<string, Since<Destination>[]>;
  /** When the logs first said that deliveries, and exports of runs, are done; by delivery and run. */
  readonly delivered: Map<string, number>;
  readonly exported: Map<string, number>;
}

/** A client that notes what becomes of endpoints and destinations, whoever writes them. */
export function rememberingClient(
  client: DynamoDBDocumentClient,
  history: DeliveryHistory,
  world: {
    readonly now: () => number;
    readonly raw: () => ReturnType<typeof deliveryStoresOn>;
    readonly secrets: SecretBox;
    /** Told when a target is written by a process that does not hold it. */
    readonly onTrespass: (what: string) => void;
  },
): DynamoDBDocumentClient {
  const noteEndpoint = async (accountId: string, id: string): Promise<void> => {
    const endpoint = await world.raw().endpoints.get(accountId, id);
    const states = history.endpoints.get(id) ?? [];
    history.endpoints.set(id, states);
    if (endpoint === null) {
      states.push({ at: world.now(), value: null });
      return;
    }
    const context = endpointSecretContext(accountId, id);
    const { previousSecret } = endpoint;
    states.push({
      at: world.now(),
      value: {
        endpoint,
        secret: await world.secrets.open(endpoint.secret, context),
        previous:
          previousSecret === null
            ? null
            : {
                secret: await world.secrets.open(previousSecret.sealed, context),
                expiresAt: Date.parse(previousSecret.expiresAt),
              },
      },
    });
  };
  const noteDestination = async (accountId: string): Promise<void> => {
    const states = history.destinations.get(accountId) ?? [];
    history.destinations.set(accountId, states);
    states.push({ at: world.now(), value: await world.raw().destinations.get(accountId) });
  };
  const noteRow = async (pk: string, sk: string): Promise<void> => {
    const [accountId = "", kind] = pk.split("#");
    const [, endpointId] = /^endpoint#(.+)$/.exec(sk) ?? [];
    if (kind === "endpoints" && endpointId !== undefined) await noteEndpoint(accountId, endpointId);
    if (kind === "destination") await noteDestination(accountId);
  };
  const noteDone = (command: unknown): void => {
    for (const { id, runId, kind } of doneIn(command)) {
      const known = kind === "delivery" ? history.delivered : history.exported;
      const name = kind === "delivery" ? id : runId;
      if (!known.has(name)) known.set(name, world.now());
    }
  };
  const holders = new Map<string, string>();
  return watchedClient(client, async (command, send) => {
    const answer = await send();
    for (const { target, token, isClaim } of holdings(command)) {
      if (isClaim) holders.set(target, token);
      else if (holders.get(target) !== token) world.onTrespass(`${target} by ${token}`);
    }
    for (const { pk = "", sk = "" } of keysWritten(command)) await noteRow(String(pk), String(sk));
    noteDone(command);
    return answer;
  });
}

type Key = { readonly pk?: unknown; readonly sk?: unknown };

function keysWritten(command: unknown): readonly Key[] {
  if (command instanceof PutCommand) return [command.input.Item ?? {}];
  if (command instanceof UpdateCommand || command instanceof DeleteCommand) {
    return [command.input.Key ?? {}];
  }
  if (!(command instanceof TransactWriteCommand)) return [];
  return (command.input.TransactItems ?? []).map(
    ({ Put, Update, Delete }) => Put?.Item ?? Update?.Key ?? Delete?.Key ?? {},
  );
}

/** What a request that went through says of who holds which target. */
function holdings(command: unknown) {
  const updates =
    command instanceof UpdateCommand
      ? [command.input]
      : command instanceof TransactWriteCommand
        ? (command.input.TransactItems ?? []).flatMap(({ Update }) => Update ?? [])
        : [];
  return updates.flatMap(({ Key = {}, UpdateExpression = "", ExpressionAttributeValues }) => {
    const token: unknown = ExpressionAttributeValues?.[":token"];
    if (!String(Key["pk"]).endsWith("#outbox") || typeof token !== "string") return [];
    const target = `${Key["pk"]} ${Key["sk"]}`;
    return [{ target, token, isClaim: UpdateExpression.startsWith("SET lease = ") }];
  });
}

/** What a transaction says of the logs' rows that are done from then on. */
function doneIn(command: unknown) {
  if (!(command instanceof TransactWriteCommand)) return [];
  return (command.input.TransactItems ?? []).flatMap(({ Put, Update }) => {
    if (Put?.Item?.["state"] === "done") {
      const { id, run_id: runId } = Put.Item;
      return [{ kind: "export", id: String(id), runId: String(runId) }];
    }
    const values = Object.values(Update?.ExpressionAttributeValues ?? {});
    const isDelivered = values.includes("delivered");
    return isDelivered ? [{ kind: "delivery", id: String(Update?.Key?.["sk"]), runId: "" }] : [];
  });
}

/** The states that held at any time from one to another, both inclusive. */
export function statesWithin<Value>(
  states: readonly Since<Value>[] | undefined,
  from: number,
  to: number,
): readonly (Value | null)[] {
  const known = states ?? [];
  const before = known.findLast(({ at }) => at < from);
  const during = known.filter(({ at }) => at >= from && at <= to);
  // What changes at the very beginning may be met as it was before as well.
  const first = before === undefined ? [] : [before.value];
  const none = before === undefined && during[0]?.at !== from ? [null] : [];
  return [...first, ...none, ...during.map(({ value }) => value)];
}
