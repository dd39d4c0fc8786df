import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect } from "vitest";
import type { Row } from "../../shared/aws/dynamo.ts";
import { deliveryKeys } from "../../shared/aws/table.ts";
import type { SerializedEvent } from "../../shared/events/event.ts";
import { attemptsMax, retryWaitsSeconds } from "../../shared/outbox/backoff.ts";
import { destinationTarget, endpointTarget } from "../../shared/outbox/outbox.ts";
import { type Delivery, deliveryId } from "../../shared/webhooks/delivery.ts";
import type { Endpoint } from "../../shared/webhooks/endpoint.ts";
import { isSubscribed } from "../../shared/webhooks/endpoint.ts";
import { signatureHeader, standardHeaders } from "../../shared/webhooks/signature.ts";
import { type KnownEndpoint, statesWithin } from "./delivery-faults-history.ts";
import type { SentRequest } from "./delivery-faults-outside.ts";
import type { DeliveryFaultWorld, PublishedRun } from "./delivery-faults-play.ts";
import { type AskedSpan, wasPublishedWithin } from "./delivery-faults-users.ts";

/** A session may know an endpoint as it was so long ago. */
const knownMs = 1_000;

/** Everything that has to hold of webhooks once all is quiet. */
export async function checkDeliveries(world: DeliveryFaultWorld): Promise<void> {
  if (world.unexpected.length > 0) {
    throw new Error(`Failures that no fault explains:\n${world.unexpected.join("\n")}`);
  }
  await checkFeed(world);
  const byEndpoint = new Map(world.endpoints.map(({ url, id }) => [url, id]));
  for (const request of world.sent) checkRequest(world, request);
  checkLosers(world);
  for (const endpoint of world.endpoints) {
    const sent = world.sent.filter(({ url }) => byEndpoint.get(url) === endpoint.id);
    const log = await logOf(world, endpoint);
    for (const delivery of log.values()) checkLogged(world, delivery, sent);
    const scene = { world, endpoint, sent, log };
    checkReached(scene);
    checkOrder(scene);
    checkRecoveries(scene);
    checkRedeliveries(scene);
    checkRepeats(scene);
  }
  await checkNothingIsLeft(world);
}

interface Scene {
  readonly world: DeliveryFaultWorld;
  readonly endpoint: Endpoint;
  readonly sent: readonly SentRequest[];
  readonly log: ReadonlyMap<string, Delivery>;
}

async function checkFeed({ raw, accounts, published }: DeliveryFaultWorld): Promise<void> {
  for (const accountId of accounts) {
    const entries = await raw.feed.after(accountId, 0, 1_000);
    expect(
      entries.map(({ sequence }) => sequence),
      "numbers of the feed",
    ).toEqual(entries.map((_, n) => n + 1));
    const runs = [...published.values()].filter(({ run }) => run.accountId === accountId);
    expect(entries.map(({ runId }) => runId).toSorted(), "runs in the feed").toEqual(
      runs.map(({ run }) => run.runId).toSorted(),
    );
  }
}

async function logOf(
  { raw }: DeliveryFaultWorld,
  { accountId, id }: Endpoint,
): Promise<ReadonlyMap<string, Delivery>> {
  const page = await raw.deliveries.list(accountId, { limit: 5_000, before: null, filter: {} });
  expect(page.lastId).toBeNull();
  return new Map(
    page.deliveries
      .filter(({ endpointId }) => endpointId === id)
      .map((delivery) => [delivery.id, delivery]),
  );
}

const nameOf = (request: SentRequest): string =>
  `${request.headers["webhook-id"]} attempt ${request.headers["Service-Attempt"]} to ${request.url} at ${new Date(request.begunAt).toISOString()} by ${request.task}`;

function checkRequest(world: DeliveryFaultWorld, request: SentRequest): void {
  const { url, headers, body, begunAt } = request;
  const name = nameOf(request);
  const endpoint = world.endpoints.find((one) => one.url === url);
  const { run, event } = eventNamed(world, headers["webhook-id"]);
  if (endpoint === undefined) throw new Error(`${name}: no such endpoint`);
  expect(run.run.accountId, `${name}: account`).toBe(endpoint.accountId);
  expect(body, `${name}: body`).toBe(event.body);
  expect(headers, name).toMatchObject({
    "Service-Event-Type": event.type,
    "Service-Delivery-Id": idOf(event, run, endpoint),
  });
  expect(Number(headers["Service-Attempt"]), name).toBeGreaterThanOrEqual(1);
  expect(mayGet(world, { run, event, endpoint, by: begunAt }), `${name}: meant for it`).toBe(true);
  const known = statesWithin(world.history.endpoints.get(endpoint.id), begunAt - knownMs, begunAt);
  const enabled = known.filter((state) => state?.endpoint.enabled === true);
  expect(enabled.length, `${name}: endpoint enabled a second ago`).toBeGreaterThan(0);
  const signed = enabled.some(
    (state) => state !== null && secretsOf(state, begunAt).some((some) => isSigned(request, some)),
  );
  expect(signed, `${name}: signed with a secret of that time`).toBe(true);
}

/** The secrets that may sign: a second ago the previous one may have been valid still. */
function secretsOf({ secret, previous }: KnownEndpoint, at: number): readonly string[][] {
  if (previous === null || previous.expiresAt <= at - knownMs) return [[secret]];
  const both = [secret, previous.secret];
  return previous.expiresAt <= at ? [[secret], both] : [both];
}

function isSigned({ headers, body, begunAt }: SentRequest, secrets: readonly string[]): boolean {
  const signing = { body: Buffer.from(body), secrets, at: new Date(begunAt) };
  const expected = {
    "Service-Signature": signatureHeader(signing),
    ...standardHeaders(String(headers["webhook-id"]), signing),
  };
  return Object.entries(expected).every(([name, value]) => headers[name] === value);
}

const idOf = (event: SerializedEvent, { run }: PublishedRun, endpoint: Endpoint): string =>
  deliveryId({
    event,
    watchlistId: run.watchlistId,
    runId: run.runId,
    endpointId: endpoint.id,
  });

function eventNamed(
  { published }: DeliveryFaultWorld,
  eventId: string | undefined,
): { readonly run: PublishedRun; readonly event: SerializedEvent } {
  for (const run of published.values()) {
    const event = run.run.events.find(({ id }) => id === eventId);
    if (event !== undefined) return { run, event };
  }
  throw new Error(`There is no event ${eventId}`);
}

interface Meant {
  readonly run: PublishedRun;
  readonly event: SerializedEvent;
  readonly endpoint: Endpoint;
}

/** Whether an endpoint may get an event by a time at all. */
function mayGet(
  { history, deeds, turns }: DeliveryFaultWorld,
  { run, event, endpoint, by }: Meant & { readonly by: number },
): boolean {
  if (run.run.webhookEndpointId !== null) return run.run.webhookEndpointId === endpoint.id;
  const states = history.endpoints.get(endpoint.id);
  const isSubscribedWithin = (from: number, to: number): boolean =>
    statesWithin(states, from, to).some(
      (state) => state !== null && isSubscribed(state.endpoint, event.type),
    );
  return (
    run.publishes.some(({ begunAt, endedAt }) =>
      isSubscribedWithin(begunAt, endedAt ?? turns.now()),
    ) ||
    deeds.recoveries.some(
      ({ endpointId, askedAt }) =>
        endpointId === endpoint.id && askedAt <= by && isSubscribedWithin(askedAt - knownMs, by),
    )
  );
}

/** The log says what was done: no attempt that was never made, none that is still to come. */
function checkLogged(
  world: DeliveryFaultWorld,
  delivery: Delivery,
  sent: readonly SentRequest[],
): void {
  const name = `log of ${delivery.eventId} to ${delivery.endpointId}`;
  const requests = sent.filter(({ headers }) => headers["webhook-id"] === delivery.eventId);
  const attempts = delivery.attempts;
  const ended = attempts.filter(({ error }) => isEnd(error));
  for (const attempt of attempts) {
    if (isEnd(attempt.error)) continue;
    const made = requests.find(
      ({ headers, begunAt }) =>
        headers["Service-Attempt"] === String(attempt.attempt) &&
        begunAt === Date.parse(attempt.at),
    );
    expect(made, `${name}: attempt ${attempt.attempt} at ${attempt.at} was made`).toBeDefined();
    const status = made?.status === "failed" ? null : made?.status;
    expect(attempt.status, `${name}: attempt ${attempt.attempt}`).toBe(status);
  }
  expect(delivery.attemptCount, `${name}: attempts`).toBeLessThanOrEqual(
    requests.length + ended.length,
  );
  expect(
    attempts.map(({ attempt }) => attempt),
    `${name}: numbers of attempts`,
  ).toEqual(attempts.map((_, n) => delivery.attemptCount - attempts.length + 1 + n));
  expect(delivery.nextAttemptAt, `${name}: next attempt`).toBeNull();
  expect(delivery.requestedAt, `${name}: open request`).toBeNull();
  const last = attempts.at(-1);
  expect(delivery.state, name).toBe(last?.error === null ? "delivered" : "failed");
  expect(delivery.attemptCount > 0, `${name}: attempts`).toBe(true);
  if (delivery.state === "failed") checkGivenUp(delivery, name);
  checkWaits(world, delivery, name);
}

const isEnd = (error: string | null): boolean =>
  error === "endpoint_disabled" || error === "endpoint_deleted";

function checkGivenUp({ attempts, tries }: Delivery, name: string): void {
  const last = attempts.at(-1);
  const isOver = isEnd(last?.error ?? null) || last?.status === 410 || tries === attemptsMax;
  expect(isOver, `${name}: given up for a reason (${last?.error}, ${tries} tries)`).toBe(true);
}

/** Nobody is sent to again at once after a failure, unless somebody asked for it. */
function checkWaits({ deeds }: DeliveryFaultWorld, delivery: Delivery, name: string): void {
  const { attempts, endpointId, id } = delivery;
  attempts.forEach((attempt, n) => {
    const before = attempts[n - 1];
    if (before === undefined || before.error === null) return;
    if (isEnd(attempt.error) || isEnd(before.error)) return;
    const endedAt = Date.parse(before.at) + before.durationMs;
    const waited = Date.parse(attempt.at) - endedAt;
    const wasAsked =
      deeds.redeliveries.some(({ deliveryId: asked }) => asked === id) ||
      deeds.recoveries.some((asked) => asked.endpointId === endpointId);
    const scheduled = (retryWaitsSeconds[before.attempt - 1] ?? 0) * 1_000;
    if (!wasAsked) {
      expect(waited, `${name}: wait after ${before.attempt}`).toBeGreaterThanOrEqual(
        Math.floor(scheduled * 0.9),
      );
    }
  });
}

/** First and last moment at which a run may have been published. */
const windowOf = ({ publishes }: PublishedRun): { from: number; to: number } => ({
  from: Math.min(...publishes.map(({ begunAt }) => begunAt)),
  to: Math.max(...publishes.map(({ endedAt, begunAt }) => endedAt ?? begunAt)),
});

/** What an endpoint was subscribed to all the while reached it, or is recorded as failed. */
function checkReached(scene: Scene): void {
  const { world, endpoint } = scene;
  const states = world.history.endpoints.get(endpoint.id);
  for (const run of world.published.values()) {
    const named = run.run.webhookEndpointId;
    if (run.run.accountId !== endpoint.accountId) continue;
    if (named !== null && named !== endpoint.id) continue;
    const { from, to } = windowOf(run);
    const then = statesWithin(states, from, to);
    const isOwed = ({ type }: SerializedEvent): boolean =>
      named !== null || then.every((state) => state !== null && isSubscribed(state.endpoint, type));
    const since = statesWithin(states, from, world.turns.now());
    const wasNeverOff = since.every((state) => state?.endpoint.enabled === true);
    for (const event of run.run.events.filter(isOwed)) {
      checkArrived(scene, { run, event, wasNeverOff });
    }
  }
}

function checkArrived(
  { endpoint, sent, log }: Scene,
  { run, event, wasNeverOff }: Pick<Meant, "run" | "event"> & { readonly wasNeverOff: boolean },
): void {
  const name = `${event.id} for ${endpoint.id}`;
  const delivery = log.get(idOf(event, run, endpoint));
  if (delivery === undefined) throw new Error(`${name}: is not in the log`);
  if (!wasNeverOff) return;
  const hasArrived = sent.some(
    ({ headers, status }) => headers["webhook-id"] === event.id && isSuccess(status),
  );
  expect(delivery.state === "failed" || hasArrived, `${name}: arrived`).toBe(true);
  expect(isEnd(delivery.attempts.at(-1)?.error ?? null), `${name}: not ended`).toBe(false);
}

const isSuccess = (status: SentRequest["status"]): boolean =>
  typeof status === "number" && status >= 200 && status < 300;

/** First attempts follow the run's order where nothing went wrong. */
function checkOrder({ world, endpoint, sent }: Scene): void {
  const { redeliveries, recoveries } = world.deeds;
  const wasAsked = [...redeliveries, ...recoveries].some(
    ({ endpointId }) => endpointId === endpoint.id,
  );
  const hasFailed = sent.some(({ status }) => !isSuccess(status));
  if (wasAsked || hasFailed || world.troubled.has(endpoint.id)) return;
  const states = world.history.endpoints.get(endpoint.id) ?? [];
  if (states.length > 1) return;
  for (const { run } of world.published.values()) {
    const ids = run.events.map(({ id }) => id);
    const arrived = sent
      .map(({ headers }) => String(headers["webhook-id"]))
      .filter((id) => ids.includes(id));
    expect(arrived, `order of ${run.runId} at ${endpoint.id}`).toEqual(
      ids.filter((id) => arrived.includes(id)),
    );
  }
}

/** Whatever of a span was meant for an endpoint has reached it after it asked for it. */
function checkRecoveries(scene: Scene): void {
  const { world, endpoint } = scene;
  for (const asked of world.deeds.recoveries) {
    const filter = filterSince(scene, asked);
    if (!asked.isSure || asked.endpointId !== endpoint.id || filter === null) continue;
    for (const run of world.published.values()) {
      const { webhookEndpointId: named } = run.run;
      if (!wasPublishedWithin(run, asked) || (named !== null && named !== endpoint.id)) continue;
      const meant = run.run.events.filter(
        (event) => named !== null || isSubscribed(filter, event.type),
      );
      for (const event of meant) checkRecovered(scene, { run, event, asked });
    }
  }
}

/** The endpoint when it was on, with the same filter, ever since; null when it was not. */
function filterSince({ world, endpoint }: Scene, { askedAt }: AskedSpan): Endpoint | null {
  const states = world.history.endpoints.get(endpoint.id);
  const since = statesWithin(states, askedAt, world.turns.now());
  const first = since[0]?.endpoint ?? null;
  const isSame = since.every(
    (state) =>
      state?.endpoint.enabled === true &&
      JSON.stringify(state.endpoint.events) === JSON.stringify(first?.events),
  );
  return isSame ? first : null;
}

function checkRecovered(
  { world, endpoint, log }: Scene,
  { run, event, asked }: Pick<Meant, "run" | "event"> & { readonly asked: AskedSpan },
): void {
  const at = new Date(asked.askedAt).toISOString();
  const name = `${event.id} for ${endpoint.id}, recovered at ${at}`;
  const delivery = log.get(idOf(event, run, endpoint));
  if (delivery === undefined) throw new Error(`${name}: is not in the log`);
  if (delivery.state === "delivered") return;
  // What was attempted at that very time may be recorded later.
  const slackMs = world.troubled.has(endpoint.id) ? 60 * 60_000 : 16_000;
  const lastAt = Date.parse(delivery.attempts.at(-1)?.at ?? "");
  expect(lastAt, `${name}: was attempted`).toBeGreaterThan(asked.askedAt - slackMs);
}

/** Whoever asked for another attempt got one, unless the endpoint gets nothing. */
function checkRedeliveries({ world, endpoint, sent }: Scene): void {
  const states = world.history.endpoints.get(endpoint.id);
  for (const asked of world.deeds.redeliveries) {
    if (!asked.isSure || asked.endpointId !== endpoint.id) continue;
    const since = statesWithin(states, asked.askedAt, world.turns.now());
    if (since.some((state) => state?.endpoint.enabled !== true)) continue;
    const made = sent.filter(
      ({ headers, begunAt }) =>
        headers["Service-Delivery-Id"] === asked.deliveryId && begunAt >= asked.askedAt,
    );
    const name = `redelivery of ${asked.deliveryId} to ${endpoint.id} asked at ${new Date(asked.askedAt).toISOString()}`;
    expect(made.length, name).toBeGreaterThan(0);
  }
}

/** What the log says is delivered is not sent again by a process that could read so. */
function checkRepeats({ world, endpoint, sent }: Scene): void {
  const { recoveries, redeliveries } = world.deeds;
  const hasRecovered = recoveries.some(({ endpointId }) => endpointId === endpoint.id);
  for (const request of sent) {
    const id = String(request.headers["Service-Delivery-Id"]);
    const deliveredAt = world.history.delivered.get(id) ?? Number.POSITIVE_INFINITY;
    const wasAsked = hasRecovered || redeliveries.some(({ deliveryId: asked }) => asked === id);
    if (wasAsked || world.troubledTasks.has(request.task)) continue;
    const name = `${nameOf(request)}: after it was delivered`;
    expect(request.begunAt, name).toBeLessThan(deliveredAt + readMs);
  }
}
/** What was read so long ago may be out of date by now. */
const readMs = 3_000;

/** A process that has lost a target stops: what it has not kept is done again by others. */
function checkLosers({ losses }: DeliveryFaultWorld): void {
  for (const [task, times] of losses) {
    if (task.includes(" drain ")) expect(times, `${task}: refused`).toBeLessThanOrEqual(1);
  }
}

/** Nothing is owed, due or held any more. */
async function checkNothingIsLeft(world: DeliveryFaultWorld): Promise<void> {
  for (const accountId of world.accounts) {
    const targets = [
      destinationTarget(accountId),
      ...world.endpoints
        .filter((endpoint) => endpoint.accountId === accountId)
        .map(({ id }) => endpointTarget(accountId, id)),
    ];
    for (const target of targets) {
      const entry = deliveryKeys.outboxEntry(target, { lane: "first", dueAt: "", key: "" });
      expect(await rowsBelow(world, entry.pk), `owed to ${target.targetId}`).toEqual([]);
    }
    const heads = await rowsBelow(world, deliveryKeys.outbox(destinationTarget(accountId)).pk);
    for (const head of heads) {
      const left = Object.keys(head).filter((name) => !["pk", "sk", "additions"].includes(name));
      expect(left, `row of target ${String(head["sk"])}`).toEqual([]);
    }
  }
}

async function rowsBelow(
  { client, tableName }: DeliveryFaultWorld,
  pk: string,
): Promise<readonly Row[]> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": pk },
      ConsistentRead: true,
    }),
  );
  return Items;
}
