import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { deliveryId } from "../../../shared/webhooks/delivery.ts";
import { isSubscribed } from "../../../shared/webhooks/endpoint.ts";
import { signatureHeader, standardHeaders } from "../../../shared/webhooks/signature.ts";
import type { SentRequest } from "../receivers.ts";
import type { DeliveryScene } from "../scenarios/deliveries-scene.ts";
import type { EndpointScene, Meant } from "./deliveries-endpoint.ts";
import { type EndpointHistory, type KnownEndpoint, statesWithin } from "./deliveries-history.ts";

/**
 * Returns all deliveries that may exist, by delivery ID: each event combined with each endpoint
 * that the account of the event ever had.
 */
export function possibleDeliveries({ history, runs }: DeliveryScene): ReadonlyMap<string, Meant> {
  const found = new Map<string, Meant>();
  for (const endpoint of history.endpoints.values()) {
    for (const run of runs.values()) {
      if (run.run.accountId !== endpoint.accountId) continue;
      const { events } = run.run;
      for (const event of events) {
        const id = deliveryId({ event, endpointId: endpoint.id });
        found.set(id, { run, event, endpoint });
      }
    }
  }
  return found;
}

/** Describes a request for the message of a violation. */
export const nameOf = ({ headers, url, startedAt, task }: SentRequest): string =>
  `${headers["webhook-id"]} attempt ${headers["Service-Attempt"]} to ${url} at ` +
  `${new Date(startedAt).toISOString()} by ${task.name}`;

/**
 * The largest age of a session's cached endpoint, in milliseconds: the cache's lifetime of one
 * second, plus the time to read the endpoint and to decrypt its secrets.
 */
const knownMs = 4_000;
/** The largest age of a cached endpoint in a process that paused, in milliseconds. */
const stillMs = 3 * 3_600_000;
const windowOf = ({ task }: SentRequest): number => (task.hasPaused === true ? stillMs : knownMs);

/**
 * Checks the URL, the content and the signature of a webhook request.
 * @throws Error if a check fails
 */
export function checkRequest(
  scene: DeliveryScene,
  request: SentRequest,
  deliveriesById: ReadonlyMap<string, Meant>,
): void {
  const { headers, body, startedAt } = request;
  const name = nameOf(request);
  if (headers["Service-Event-Type"] === "webhook.test") return checkTestRequest(scene, request);
  const meant = deliveriesById.get(headers["Service-Delivery-Id"] ?? "");
  if (meant === undefined) throw new Error(`${name}: no such delivery`);
  const { event, endpoint } = meant;
  assert.equal(headers["webhook-id"], event.id, name);
  assert.equal(headers["Service-Event-Type"], event.type, name);
  assert.equal(body, event.body, `${name}: body`);
  assert.ok(Number(headers["Service-Attempt"]) >= 1, `${name}: the attempt is not numbered from 1`);
  assert.ok(
    mayReceive(scene, meant, startedAt),
    `${name}: the endpoint does not receive this event`,
  );
  checkPlace(scene, request, endpoint);
}

/** Checks a request of an endpoint test. */
function checkTestRequest(scene: DeliveryScene, request: SentRequest): void {
  const { headers, body } = request;
  const event = JSON.parse(body) as {
    readonly id: string;
    readonly type: string;
    readonly data: { readonly endpoint_id: string };
  };
  const name = nameOf(request);
  const endpoint = scene.history.endpoints.get(event.data.endpoint_id);
  if (endpoint === undefined) throw new Error(`${name}: no such endpoint`);
  assert.equal(event.type, "webhook.test", name);
  assert.equal(headers["webhook-id"], event.id, name);
  assert.equal(headers["Service-Attempt"], "1", name);
  checkPlace(scene, request, endpoint);
}

/**
 * Checks a request against its endpoint (invariants D4 and D5). When the request started, or
 * shortly before, the endpoint must have been enabled, with the URL and the signing secrets of the
 * request.
 */
function checkPlace(
  { world }: DeliveryScene,
  request: SentRequest,
  { states }: EndpointHistory,
): void {
  const name = nameOf(request);
  const { url, begunAt, startedAt } = request;
  const window = windowOf(request);
  const known = statesWithin(states, startedAt - window, startedAt).filter(
    (state) => state !== null,
  );
  const enabled = known.filter(({ endpoint }) => endpoint.enabled);
  assert.ok(enabled.length > 0, `${name}: the endpoint was disabled`);
  const there = enabled.filter(({ endpoint }) => endpoint.url === url);
  assert.ok(there.length > 0, `${name}: the endpoint had another URL`);
  if (states.at(-1)?.value?.endpoint.url !== url) world.reached("a request went to a replaced URL");
  const ways = there.flatMap((state) => secretsOf(state, begunAt, window));
  const signed = ways.find((secrets) => isSigned(request, secrets));
  assert.ok(signed !== undefined, `${name}: was not signed with the secrets of that time`);
  if (signed.length === 2) world.reached("a replaced secret signed together with the new one");
  if (there.some(({ previous }) => previous !== null && previous.expiresAt <= begunAt - window)) {
    assert.equal(signed.length, 1, `${name}: the replaced secret has expired`);
    world.reached("a replaced secret had expired");
  }
  for (const secret of signed) {
    assert.ok(isAccepted(request, secret), `${name}: the independent verifier rejects it`);
  }
}

/**
 * Returns the sets of secrets that may sign a request in a time span. The replaced secret may be
 * included until it expires.
 */
function secretsOf(
  { secret, previous }: KnownEndpoint,
  at: number,
  window: number,
): readonly string[][] {
  if (previous === null || previous.expiresAt <= at - window) return [[secret]];
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

const machineNow = Date.now;

/** Verifies a signature with an independent library. The library reads the time from `Date.now`. */
function isAccepted({ headers, body, begunAt }: SentRequest, secret: string): boolean {
  Date.now = () => begunAt;
  try {
    new Webhook(secret).verify(body, { ...headers });
    return true;
  } catch {
    return false;
  } finally {
    Date.now = machineNow;
  }
}

/** Returns true if the endpoint may receive the event before the time `by`. */
function mayReceive(
  { history, userRequests, world }: DeliveryScene,
  { run, event, endpoint }: Meant,
  by: number,
): boolean {
  if (run.run.webhookEndpointId !== null) return run.run.webhookEndpointId === endpoint.id;
  const states = history.endpoints.get(endpoint.id)?.states;
  const isSubscribedWithin = (from: number, to: number): boolean =>
    statesWithin(states, from, to).some(
      (state) => state !== null && isSubscribed(state.endpoint, event.type),
    );
  return (
    run.publishes.some(({ begunAt, endedAt }) =>
      isSubscribedWithin(begunAt, endedAt ?? world.tasks.now()),
    ) ||
    userRequests.recoveries.some(
      ({ endpointId, requestedAt }) =>
        endpointId === endpoint.id &&
        requestedAt <= by &&
        // An endpoint receives no events that are older than the endpoint.
        states?.some(({ value }) => event.createdAt >= (value?.endpoint.createdAt ?? "~")) &&
        isSubscribedWithin(requestedAt - knownMs, by),
    )
  );
}

/**
 * Checks that each test of an endpoint sent at most one request, and that each successful test is
 * in the log.
 * @throws Error if a check fails
 */
export function checkTests({ scene, endpoint, log }: EndpointScene): void {
  const { recorded, world } = scene;
  const testCalls = recorded.filter(({ request }) => request.path.endsWith(`/${endpoint.id}/test`));
  const sent = world.receivers.sent.filter(
    ({ headers, body }) =>
      headers["Service-Event-Type"] === "webhook.test" && body.includes(`"${endpoint.id}"`),
  );
  assert.ok(
    sent.length <= testCalls.length,
    `${endpoint.id}: ${sent.length} requests for ${testCalls.length} tests`,
  );
  const logged = [...log.values()].filter(({ runId }) => runId === null);
  const answered = testCalls.flatMap(({ answer }) => (answer?.status === 200 ? [answer.body] : []));
  assert.ok(logged.length >= answered.length, `${endpoint.id}: a test is not in the log`);
  assert.ok(logged.length <= testCalls.length, `${endpoint.id}: a test is in the log twice`);
  const delivered = answered.filter((body) => body?.["delivered"] === true).length;
  const inLog = logged.filter(({ state }) => state === "delivered").length;
  assert.ok(delivered <= inLog, `${endpoint.id}: a delivered test is not logged as delivered`);
  for (const { attempts, nextAttemptAt } of logged) {
    assert.equal(attempts.length, 1, `attempts of a test of ${endpoint.id}`);
    assert.equal(nextAttemptAt, null);
    if (attempts[0]?.error === "endpoint_disabled") world.reached("a disabled endpoint was tested");
  }
}
