import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { deliveryId } from "../../../shared/webhooks/delivery.ts";
import { isSubscribed } from "../../../shared/webhooks/endpoint.ts";
import { signatureHeader, standardHeaders } from "../../../shared/webhooks/signature.ts";
import type { SentRequest } from "../receivers.ts";
import type { DeliveryScene } from "../scenarios/deliveries-scene.ts";
import type { EndpointScene, Meant } from "./deliveries-endpoint.ts";
import { type EndpointHistory, type KnownEndpoint, statesWithin } from "./deliveries-history.ts";

/** Every event with every endpoint that its account ever had, by the id of their delivery. */
export function meetings({ history, runs }: DeliveryScene): ReadonlyMap<string, Meant> {
  const found = new Map<string, Meant>();
  for (const endpoint of history.endpoints.values()) {
    for (const run of runs.values()) {
      if (run.run.accountId !== endpoint.accountId) continue;
      const { watchlistId, runId, events } = run.run;
      for (const event of events) {
        const id = deliveryId({ event, watchlistId, runId, endpointId: endpoint.id });
        found.set(id, { run, event, endpoint });
      }
    }
  }
  return found;
}

export const nameOf = ({ headers, url, startedAt, task }: SentRequest): string =>
  `${headers["webhook-id"]} attempt ${headers["Service-Attempt"]} to ${url} at ` +
  `${new Date(startedAt).toISOString()} by ${task.name}`;

/**
 * A session knows an endpoint as it was a second ago, and looking and opening its secrets takes a
 * while, in which others have their turns.
 */
const knownMs = 4_000;
/** The same for who stood still meanwhile. */
const stillMs = 3 * 3_600_000;
const windowOf = ({ task }: SentRequest): number => (task.stoodStill === true ? stillMs : knownMs);

/** A request goes where its account registered it, and says what its event says, signed. */
export function checkRequest(
  scene: DeliveryScene,
  request: SentRequest,
  meetingsById: ReadonlyMap<string, Meant>,
): void {
  const { headers, body, startedAt } = request;
  const name = nameOf(request);
  if (headers["Service-Event-Type"] === "webhook.test") return checkTestRequest(scene, request);
  const meant = meetingsById.get(headers["Service-Delivery-Id"] ?? "");
  if (meant === undefined) throw new Error(`${name}: there is no such delivery`);
  const { event, endpoint } = meant;
  assert.equal(headers["webhook-id"], event.id, name);
  assert.equal(headers["Service-Event-Type"], event.type, name);
  assert.equal(body, event.body, `${name}: body`);
  assert.ok(Number(headers["Service-Attempt"]) >= 1, name);
  assert.ok(mayGet(scene, meant, startedAt), `${name}: meant for it`);
  checkPlace(scene, request, endpoint);
}

/** Tests go to an endpoint of the caller. */
function checkTestRequest(scene: DeliveryScene, request: SentRequest): void {
  const { headers, body } = request;
  const event = JSON.parse(body) as {
    readonly id: string;
    readonly type: string;
    readonly data: { readonly endpoint_id: string };
  };
  const name = nameOf(request);
  const endpoint = scene.history.endpoints.get(event.data.endpoint_id);
  if (endpoint === undefined) throw new Error(`${name}: there is no such endpoint`);
  assert.equal(event.type, "webhook.test", name);
  assert.equal(headers["webhook-id"], event.id, name);
  assert.equal(headers["Service-Attempt"], "1", name);
  checkPlace(scene, request, endpoint);
}

/** Where it goes, and by which secrets it is signed, is as the endpoint is, or was just now. */
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
  assert.ok(enabled.length > 0, `${name}: the endpoint was enabled just now`);
  const there = enabled.filter(({ endpoint }) => endpoint.url === url);
  assert.ok(there.length > 0, `${name}: the endpoint was at that address just now`);
  if (states.at(-1)?.value?.endpoint.url !== url)
    world.sighted("a request to an address of before");
  const ways = there.flatMap((state) => secretsOf(state, begunAt, window));
  const signed = ways.find((secrets) => isSigned(request, secrets));
  assert.ok(signed !== undefined, `${name}: signed with the secrets of that time`);
  if (signed.length === 2) world.sighted("an old secret signs beside the new one");
  if (there.some(({ previous }) => previous !== null && previous.expiresAt <= begunAt - window)) {
    assert.equal(signed.length, 1, `${name}: the old secret is over`);
    world.sighted("an old secret signs no more");
  }
  for (const secret of signed) {
    assert.ok(isAccepted(request, secret), `${name}: accepted by a verifier that others wrote`);
  }
}

/** The secrets that may sign: a while ago the previous one may have been valid still. */
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

/** That library asks the machine for the time. */
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

/** Whether an endpoint may get an event by a time at all. */
function mayGet(
  { history, deeds, world }: DeliveryScene,
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
      isSubscribedWithin(begunAt, endedAt ?? world.turns.now()),
    ) ||
    deeds.recoveries.some(
      ({ endpointId, askedAt }) =>
        endpointId === endpoint.id &&
        askedAt <= by &&
        // What happened before there was the endpoint was not meant for it.
        states?.some(({ value }) => event.createdAt >= (value?.endpoint.createdAt ?? "~")) &&
        isSubscribedWithin(askedAt - knownMs, by),
    )
  );
}

/** Each test that was asked for made one request at most, and is in the log when it was answered. */
export function checkTests({ scene, endpoint, log }: EndpointScene): void {
  const { heard, world } = scene;
  const asked = heard.filter(({ request }) => request.path.endsWith(`/${endpoint.id}/test`));
  const sent = world.receivers.sent.filter(
    ({ headers, body }) =>
      headers["Service-Event-Type"] === "webhook.test" && body.includes(`"${endpoint.id}"`),
  );
  assert.ok(sent.length <= asked.length, `tests of ${endpoint.id}`);
  const logged = [...log.values()].filter(({ runId }) => runId === null);
  const answered = asked.flatMap(({ answer }) => (answer?.status === 200 ? [answer.body] : []));
  assert.ok(logged.length >= answered.length, `tests of ${endpoint.id} in the log`);
  assert.ok(logged.length <= asked.length, `tests of ${endpoint.id} in the log`);
  const delivered = answered.filter((body) => body?.["delivered"] === true).length;
  const inLog = logged.filter(({ state }) => state === "delivered").length;
  assert.ok(delivered <= inLog, `tests of ${endpoint.id} that were delivered`);
  for (const { attempts, nextAttemptAt } of logged) {
    assert.equal(attempts.length, 1, `attempts of a test of ${endpoint.id}`);
    assert.equal(nextAttemptAt, null);
    if (attempts[0]?.error === "endpoint_disabled") world.sighted("a test of a disabled endpoint");
  }
}
