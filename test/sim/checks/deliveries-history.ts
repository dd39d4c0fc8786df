import type { KMSClient } from "@aws-sdk/client-kms";
import { dynamoDestinationStore } from "../../../shared/aws/exports/destination-store.ts";
import { dynamoEndpoints } from "../../../shared/aws/deliveries/endpoint-store.ts";
import { kmsSecretBox } from "../../../shared/aws/deliveries/secret-box.ts";
import type { Destination } from "../../../shared/exports/destination.ts";
import { type WebhookEndpoint, endpointSecretContext } from "../../../shared/webhooks/endpoint.ts";
import type { Attempt } from "../attempt.ts";
import type { Task } from "../task-scheduler.ts";
import type { World } from "../world.ts";

/**
 * A value, and the virtual time in milliseconds from which it was valid. The value is null if there
 * was none.
 */
export interface Since<Value> {
  readonly at: number;
  readonly value: Value | null;
}

export interface KnownEndpoint {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
  readonly previous: { readonly secret: string; readonly expiresAt: number } | null;
}

export interface EndpointHistory {
  readonly id: string;
  readonly accountId: string;
  readonly states: Since<KnownEndpoint>[];
}

/** The endpoint health that is stored in the row of a delivery target. */
export interface StoredHealth {
  readonly receivingSince: string;
  readonly failuresInRow: number;
  readonly lastSuccessAt: string;
}

export interface Claim {
  readonly target: string;
  readonly task: Task;
  readonly at: number;
  /** The stored health; undefined if none was stored yet. */
  readonly health: StoredHealth | undefined;
}

/**
 * The history of endpoints, destinations, logs and leases, recorded from the writes to the DynamoDB
 * table.
 */
export interface DeliveryHistory {
  readonly endpoints: Map<string, EndpointHistory>;
  readonly destinations: Map<string, Since<Destination>[]>;
  /** The time of each delivery's first log row, by delivery ID. */
  readonly logged: Map<string, number>;
  /** The time at which the log first showed a delivery as delivered, by delivery ID. */
  readonly delivered: Map<string, number>;
  /** The times at which the log showed a run's export as done, by run ID. */
  readonly exported: Map<string, number[]>;
  /** The times at which users requested a redelivery, by delivery ID. */
  readonly requested: Map<string, number[]>;
  /** The claims of targets, with the health that the row had at that time. */
  readonly claims: Claim[];
  /** The current health in each target's row, by target. */
  readonly health: Map<string, StoredHealth>;
  /** The number of rejected writes of each lease. The keys contain the names of task and target. */
  readonly refusals: Map<string, number>;
  /** Writes to a target by tasks that did not hold its lease. */
  readonly writesWithoutLease: string[];
}

type Members = Readonly<Record<string, unknown>>;
type Attributes = Readonly<Record<string, Members | undefined>>;
interface Write {
  readonly Item?: Attributes;
  readonly Key?: Attributes;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeValues?: Attributes;
}

/** Starts to record the history of deliveries. Call it before the workload starts. */
export function recordDeliveries(world: World): DeliveryHistory {
  const { tasks } = world;
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
    writesWithoutLease: [],
  };
  const notes = notesOf(world, history);
  const holders = holdersOf(world, history);
  const seen = new WeakSet<object>();
  world.afterEffect.push(async (attempt) => {
    // A retry by the SDK repeats a write that has already taken effect.
    if (attempt.service !== "dynamo" || seen.has(attempt.input)) return;
    seen.add(attempt.input);
    for (const write of writesOf(attempt)) {
      holders.note(write, attempt.task);
      await notes(write, attempt.task);
    }
  });
  world.onRefusal.push((attempt, error) => {
    // Records only rejected transactions that keep a lease. Claims and releases are often rejected
    // for other reasons than the loss of a lease.
    if (attempt.operation !== "TransactWriteItems" || !isConditionRefusal(error)) return;
    for (const write of writesOf(attempt)) {
      const holding = holdingOf(write);
      if (holding === null || holding.isEnd) continue;
      const { target, token } = holding;
      world.reached("a write was rejected after the loss of a lease");
      const name = `${attempt.task.name} at ${target} with ${token}`;
      history.refusals.set(name, (history.refusals.get(name) ?? 0) + 1);
      tasks.note(`  refused: ${target}`);
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

/** Returns the lease that a write claims, uses or ends; null for a write without a lease. */
function holdingOf({ Key = {}, UpdateExpression = "", ExpressionAttributeValues = {} }: Write) {
  const token = textOf(ExpressionAttributeValues[":token"]);
  const pk = textOf(Key["pk"]);
  if (!pk.endsWith("#outbox") || token === "") return null;
  return {
    target: `${pk} ${textOf(Key["sk"])}`,
    token,
    /** The time of the process's clock, in the same format as `until`. */
    now: textOf(ExpressionAttributeValues[":now"]),
    until: textOf(ExpressionAttributeValues[":until"]),
    isClaim: UpdateExpression.startsWith("SET lease = "),
    isEnd: UpdateExpression.includes("REMOVE lease"),
    health: healthIn(ExpressionAttributeValues[":state"]),
  };
}

/** Returns the health in a target's stored state; undefined if the write stores no health. */
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
          world.reached("a lease was taken over");
          if (holder.until > now)
            history.writesWithoutLease.push(`${target} taken early by ${task.name}`);
        }
        given.delete(target);
        const health = history.health.get(target);
        history.claims.push({ target, task, at: world.tasks.now(), health });
      } else if (holder?.token !== token)
        history.writesWithoutLease.push(`${target} by ${task.name}`);
      holders.set(target, { token, until });
      if (holding.health !== undefined) history.health.set(target, holding.health);
      if (isEnd) given.add(target);
    },
  };
}

/** Creates a function that records the state of a row after a write to the row. */
function notesOf(world: World, history: DeliveryHistory) {
  const { tasks, client, table } = world;
  const options = { tableName: table, clock: world.clock, random: world.randomSource };
  const endpoints = dynamoEndpoints(client, options);
  const destinations = dynamoDestinationStore(client, options);
  const secrets = kmsSecretBox(
    {
      send: async ({ input }: { input: Members }) => world.key.service("Decrypt", input),
    } as unknown as KMSClient,
    { keyId: "key", clock: world.clock },
  );
  const noteEndpoint = async (accountId: string, id: string): Promise<void> => {
    const at = tasks.now();
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
    states.push({ at: tasks.now(), value: await destinations.get(accountId) });
  };
  const noteContinuation = continuations(world);
  const noteLog = (
    { Item, UpdateExpression = "", ExpressionAttributeValues }: Write,
    sk: string,
  ) => {
    if (!history.logged.has(sk)) history.logged.set(sk, tasks.now());
    const texts = Object.values(ExpressionAttributeValues ?? {}).map(textOf);
    if (texts.includes("delivered") && !history.delivered.has(sk)) {
      history.delivered.set(sk, tasks.now());
    }
    if (UpdateExpression.startsWith("SET requested_at")) keep(history.requested, sk, tasks.now());
    if (textOf(Item?.["state"]) === "done") {
      keep(history.exported, textOf(Item?.["run_id"]), tasks.now());
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
    if (kind === "outbox") noteContinuation(write, `${pk} ${sk}`, task);
    if (kind === "deliveries" || kind === "exports") noteLog(write, sk);
  };
}

/**
 * Records the rare state that one process continued a recovery or backfill that another process had
 * begun.
 */
function continuations({ reached }: World) {
  const workers = new Map<string, Task>();
  return ({ Item }: Write, row: string, task: Task): void => {
    const content = Item?.["content"]?.["M"] as Attributes | undefined;
    const kind = textOf(content?.["kind"]);
    if ((kind !== "recover" && kind !== "backfill") || content?.["after"]?.["M"] === undefined)
      return;
    const before = workers.get(row);
    if (before !== undefined && before !== task) reached(`another process continued a ${kind}`);
    workers.set(row, task);
  };
}

function keep(times: Map<string, number[]>, name: string, at: number): void {
  times.set(name, [...(times.get(name) ?? []), at]);
}

/**
 * Returns all values that were valid at some time between `from` and `to`, both inclusive, in
 * milliseconds since 1970. Contains null if there was no value at some of these times.
 * @param states the values with their start times, oldest first; undefined if there are none
 */
export function statesWithin<Value>(
  states: readonly Since<Value>[] | undefined,
  from: number,
  to: number,
): readonly (Value | null)[] {
  const known = states ?? [];
  const before = known.findLast(({ at }) => at < from);
  const during = known.filter(({ at }) => at >= from && at <= to);
  // A reader at `from` may still get the previous value.
  const first = before === undefined ? [] : [before.value];
  const none = before === undefined && during[0]?.at !== from ? [null] : [];
  return [...first, ...none, ...during.map(({ value }) => value)];
}
