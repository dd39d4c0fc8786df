import type { KMSClient } from "@aws-sdk/client-kms";
import { dynamoDestinationStore } from "../../../shared/aws/exports/destination-store.ts";
import { dynamoEndpoints } from "../../../shared/aws/deliveries/endpoint-store.ts";
import { kmsSecretBox } from "../../../shared/aws/deliveries/secret-box.ts";
import type { Destination } from "../../../shared/exports/destination.ts";
import { type Endpoint, endpointSecretContext } from "../../../shared/webhooks/endpoint.ts";
import type { Attempt } from "../attempt.ts";
import type { Task } from "../turns.ts";
import type { World } from "../world.ts";

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

export interface EndpointHistory {
  readonly id: string;
  readonly accountId: string;
  readonly states: Since<KnownEndpoint>[];
}

/** What a target's row said of its endpoint's health. */
export interface StoredHealth {
  readonly receivingSince: string;
  readonly failuresInRow: number;
  readonly lastSuccessAt: string;
}

export interface Claim {
  readonly target: string;
  readonly task: Task;
  readonly at: number;
  /** Undefined before any was stored. */
  readonly health: StoredHealth | undefined;
}

/** What became of endpoints, destinations, logs and leases, as the table was told. */
export interface DeliveryHistory {
  readonly endpoints: Map<string, EndpointHistory>;
  readonly destinations: Map<string, Since<Destination>[]>;
  /** When the log first had a row of a delivery. */
  readonly logged: Map<string, number>;
  /** When the log first said that a delivery is done. */
  readonly delivered: Map<string, number>;
  /** When the log said that the export of a run is done. */
  readonly exported: Map<string, number[]>;
  /** When somebody asked for another attempt of a delivery. */
  readonly requested: Map<string, number[]>;
  /** Who took which target when, and the health that its row had then. */
  readonly claims: Claim[];
  /** The health that each target's row has. */
  readonly health: Map<string, StoredHealth>;
  /** How often a holder of a target was refused, by task, target and token. */
  readonly refusals: Map<string, number>;
  /** Writes of targets by who did not hold them. */
  readonly trespasses: string[];
}

type Members = Readonly<Record<string, unknown>>;
type Attributes = Readonly<Record<string, Members | undefined>>;
interface Write {
  readonly Item?: Attributes;
  readonly Key?: Attributes;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeValues?: Attributes;
}

/** Remembers from now on. */
export function rememberDeliveries(world: World): DeliveryHistory {
  const { turns } = world;
  const history: DeliveryHistory = {
    endpoints: new Map(),
    destinations: new Map(),
    logged: new Map(),
    delivered: new Map(),
    exported: new Map(),
    requested: new Map(),
    claims: [],
    health: new Map(),
    refusals: new Map(),
    trespasses: [],
  };
  const notes = notesOf(world, history);
  const holders = holdersOf(world, history);
  const seen = new WeakSet<object>();
  world.watchers.push(async (attempt) => {
    // A request that is sent again after its answer was lost says nothing new.
    if (attempt.service !== "dynamo" || seen.has(attempt.input)) return;
    seen.add(attempt.input);
    for (const write of writesOf(attempt)) {
      holders.note(write, attempt.task);
      await notes(write, attempt.task);
    }
  });
  world.refusals.push((attempt, error) => {
    // Taking a target, or giving it back while it is added to, is refused to many.
    if (attempt.operation !== "TransactWriteItems" || !isConditionRefusal(error)) return;
    for (const write of writesOf(attempt)) {
      const holding = holdingOf(write);
      if (holding === null) continue;
      const { target, token } = holding;
      world.sighted("a zombie's write refused");
      const name = `${attempt.task.name} at ${target} with ${token}`;
      history.refusals.set(name, (history.refusals.get(name) ?? 0) + 1);
      turns.note(`  refused: ${target}`);
    }
  });
  return history;
}

function isConditionRefusal(error: Error): boolean {
  const { CancellationReasons: reasons = [] } = error as {
    CancellationReasons?: readonly { readonly Code?: string }[];
  };
  return reasons.some(({ Code }) => Code === "ConditionalCheckFailed");
}

const textOf = (value: Members | undefined): string => {
  const text = value?.["S"];
  return typeof text === "string" ? text : "";
};

function writesOf({ operation, input }: Attempt): readonly Write[] {
  if (operation === "TransactWriteItems") {
    const items = input["TransactItems"] as readonly Readonly<Record<string, Write>>[];
    return items.flatMap((item) => Object.values(item));
  }
  const isWrite = ["PutItem", "UpdateItem", "DeleteItem"].includes(operation);
  return isWrite ? [input] : [];
}

/** What a write says of who holds which target. */
function holdingOf({ Key = {}, UpdateExpression = "", ExpressionAttributeValues = {} }: Write) {
  const token = textOf(ExpressionAttributeValues[":token"]);
  const pk = textOf(Key["pk"]);
  if (!pk.endsWith("#outbox") || token === "") return null;
  return {
    target: `${pk} ${textOf(Key["sk"])}`,
    token,
    /** Of a process's own clock, as the lease's end is. */
    now: textOf(ExpressionAttributeValues[":now"]),
    until: textOf(ExpressionAttributeValues[":until"]),
    isClaim: UpdateExpression.startsWith("SET lease = "),
    isEnd: UpdateExpression.includes("REMOVE lease"),
    health: healthIn(ExpressionAttributeValues[":state"]),
  };
}

/** The health in a target's state; undefined when the write does not store any. */
function healthIn(state: Members | undefined): StoredHealth | undefined {
  const { failuresInRow, receivingSince, lastSuccessAt } = (state?.["M"] ?? {}) as Attributes;
  return failuresInRow === undefined
    ? undefined
    : {
        receivingSince: textOf(receivingSince),
        failuresInRow: Number(failuresInRow["N"]),
        lastSuccessAt: textOf(lastSuccessAt),
      };
}

function holdersOf(world: World, history: DeliveryHistory) {
  const holders = new Map<string, { readonly token: string; readonly until: string }>();
  const given = new Set<string>();
  return {
    note(write: Write, task: Task): void {
      const holding = holdingOf(write);
      if (holding === null) return;
      const { target, token, until, now, isClaim, isEnd } = holding;
      const holder = holders.get(target);
      if (isClaim) {
        if (holder !== undefined && holder.token !== token && !given.has(target)) {
          world.sighted("a lease taken over");
          if (holder.until > now) history.trespasses.push(`${target} taken early by ${task.name}`);
        }
        given.delete(target);
        const health = history.health.get(target);
        history.claims.push({ target, task, at: world.turns.now(), health });
      } else if (holder?.token !== token) history.trespasses.push(`${target} by ${task.name}`);
      holders.set(target, { token, until });
      if (holding.health !== undefined) history.health.set(target, holding.health);
      if (isEnd) given.add(target);
    },
  };
}

/** Notes what a row became by a write of it. */
function notesOf(world: World, history: DeliveryHistory) {
  const { turns, client, table } = world;
  const endpoints = dynamoEndpoints(client, {
    tableName: table,
    clock: world.clock,
    chance: world.chance,
  });
  const destinations = dynamoDestinationStore(client, table);
  const secrets = kmsSecretBox(
    {
      send: async ({ input }: { input: Members }) => world.key.service("Decrypt", input),
    } as unknown as KMSClient,
    { keyId: "key", clock: world.clock },
  );
  const noteEndpoint = async (accountId: string, id: string): Promise<void> => {
    const at = turns.now();
    const known = history.endpoints.get(id) ?? { id, accountId, states: [] };
    history.endpoints.set(id, known);
    const endpoint = await endpoints.get(accountId, id);
    if (endpoint === null) return void known.states.push({ at, value: null });
    const context = endpointSecretContext(accountId, id);
    const { previousSecret: before } = endpoint;
    const secret = await secrets.open(endpoint.secret, context);
    const previous =
      before === null
        ? null
        : {
            secret: await secrets.open(before.sealed, context),
            expiresAt: Date.parse(before.expiresAt),
          };
    known.states.push({ at, value: { endpoint, secret, previous } });
  };
  const noteDestination = async (accountId: string): Promise<void> => {
    const states = history.destinations.get(accountId) ?? [];
    history.destinations.set(accountId, states);
    states.push({ at: turns.now(), value: await destinations.get(accountId) });
  };
  const going = goingOn(world);
  const noteLog = (
    { Item, UpdateExpression = "", ExpressionAttributeValues }: Write,
    sk: string,
  ) => {
    if (!history.logged.has(sk)) history.logged.set(sk, turns.now());
    const texts = Object.values(ExpressionAttributeValues ?? {}).map(textOf);
    if (texts.includes("delivered") && !history.delivered.has(sk)) {
      history.delivered.set(sk, turns.now());
    }
    if (UpdateExpression.startsWith("SET requested_at")) keep(history.requested, sk, turns.now());
    if (textOf(Item?.["state"]) === "done") {
      keep(history.exported, textOf(Item?.["run_id"]), turns.now());
    }
  };
  return async (write: Write, task: Task): Promise<void> => {
    const row = write.Item ?? write.Key ?? {};
    const [pk, sk] = [textOf(row["pk"]), textOf(row["sk"])];
    const [accountId = "", kind] = pk.split("#");
    if (kind === "endpoints" && sk.startsWith("endpoint#")) {
      await noteEndpoint(accountId, sk.slice("endpoint#".length));
    }
    if (kind === "destination") await noteDestination(accountId);
    if (kind === "outbox") going(write, `${pk} ${sk}`, task);
    if (kind === "deliveries" || kind === "exports") noteLog(write, sk);
  };
}

/** Tells of recoveries and backfills that one process went on with where another had stopped. */
function goingOn({ sighted }: World) {
  const workers = new Map<string, Task>();
  return ({ Item }: Write, row: string, task: Task): void => {
    const content = Item?.["content"]?.["M"] as Attributes | undefined;
    const kind = textOf(content?.["kind"]);
    if ((kind !== "recover" && kind !== "backfill") || content?.["after"]?.["M"] === undefined)
      return;
    const before = workers.get(row);
    if (before !== undefined && before !== task)
      sighted(`a ${kind} that another process went on with`);
    workers.set(row, task);
  };
}

function keep(times: Map<string, number[]>, name: string, at: number): void {
  times.set(name, [...(times.get(name) ?? []), at]);
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
