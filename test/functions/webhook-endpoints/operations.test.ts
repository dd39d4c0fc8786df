import { QueryCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { Stripe } from "stripe";
import { describe, expect, it } from "vitest";
import { hasEffects, type RouteKey, routes } from "../../../functions/routes.ts";
import { limits } from "../../../shared/base/limits.ts";
import { eventTypes } from "../../../shared/events/event.ts";
import {
  webhookEndpointDeletedResponse,
  webhookEndpointSchema,
  webhookEndpointsResponse,
  webhookEndpointWithSecretSchema,
  webhookTestResponse,
} from "../../../shared/webhooks/endpoint-schema.ts";
import {
  aRun,
  type DeliveryWorld,
  eachDeliveryWorld,
  startedAt,
} from "../../support/delivery-world.ts";
import {
  type Answer,
  conflict,
  expectShape,
  invalid,
  notFound,
  refusal,
} from "../../support/group-api.ts";
import { type Receiver, startReceiver } from "../../support/receiver.ts";
import { endpointApi, type EndpointApi } from "./endpoint-api.ts";

const unknown = "we_0000000000000000000000000";
const { webhooks } = new Stripe("sk_test_none");

let world: DeliveryWorld;
let api: EndpointApi;
let receiver: Receiver;
eachDeliveryWorld((opened) => {
  ({ world, receiver } = opened);
  const known = new Map([["hooks.internal-shop.com", ["10.0.0.1"]]]);
  Object.assign(world.registering, {
    resolver: { resolve: async (host: string) => known.get(host) ?? ["127.0.0.1"] },
  });
  api = endpointApi(world);
});

const url = "https://hooks.shop-example.com/a";
const create = (body: Record<string, unknown> = {}, account = "acct_1"): Promise<Answer> => {
  world.clock.advance(1);
  return api.call("POST", "webhook_endpoints", { body: { url, ...body }, account });
};
const created = async (body: Record<string, unknown> = {}, account?: string) => {
  const answer = await create(body, account);
  expect(answer.status).toBe(201);
  return { id: String(answer.body["id"]), secret: String(answer.body["secret"]), ...answer };
};
const get = (id: string) => api.call("GET", `webhook_endpoints/${id}`);
const patch = (id: string, body: unknown) => {
  world.clock.advance(1);
  return api.call("PATCH", `webhook_endpoints/${id}`, { body });
};
const remove = (id: string) => api.call("DELETE", `webhook_endpoints/${id}`);
const rotate = (id: string, body?: unknown) =>
  api.call("POST", `webhook_endpoints/${id}/rotate`, body === undefined ? {} : { body });
const test = (id: string) => api.call("POST", `webhook_endpoints/${id}/test`);
const count = () => world.registering.endpoints.countEndpoints("acct_1");
const rows = async () => {
  const { Items = [] } = await world.client.send(new ScanCommand({ TableName: world.tableName }));
  return Items;
};
/** Creates an endpoint that deliveries reach over plain HTTP on loopback. */
const createHere = (body: Record<string, unknown> = {}, account?: string) =>
  created({ url: receiver.url, ...body }, account);

describe("POST /v1/webhook_endpoints", () => {
  it("returns 201 with the endpoint, its normalized URL, and its secret", async () => {
    const answer = await create({
      url: "HTTPS://Hooks.Shop-Example.com:443/a?b=1#c",
      description: "shop",
      events: ["webhook.test"],
    });

    const at = world.clock.now().toISOString();
    expect(answer.status).toBe(201);
    expectShape(webhookEndpointWithSecretSchema, answer);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^we_[0-9a-z]{24}$/),
      object: "webhook_endpoint",
      url: "https://hooks.shop-example.com/a?b=1",
      description: "shop",
      events: ["webhook.test"],
      enabled: true,
      status: "ok",
      disabled_reason: null,
      failing_since: null,
      last_error: null,
      last_success_at: null,
      secret_hint: String(answer.body["secret"]).slice(-4),
      previous_secret_expires_at: null,
      created_at: at,
      updated_at: at,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{44}$/),
    });
  });

  it("requires only a URL, and by default enables the endpoint for every event type", async () => {
    expect((await create()).body).toMatchObject({ description: null, events: null, enabled: true });
  });

  it.each([
    ["the case of scheme and host", "HTTPS://HOOKS.Shop-Example.COM/a"],
    ["the default port", "https://hooks.shop-example.com:443/a"],
    ["a fragment", "https://hooks.shop-example.com/a#top"],
    ["a dot segment", "https://hooks.shop-example.com/b/../a"],
    ["the dot of the root", "https://hooks.shop-example.com./a"],
  ])(
    "returns 400 that names 'url' for a URL that equals a registered one after normalization (difference: %s)",
    async (_, same) => {
      await created();

      expect(refusal(await create({ url: same }))).toEqual(invalid("url"));
      expect((await create({ url: same }, "acct_2")).status).toBe(201);
    },
  );

  it("treats an internationalized host name and its ASCII form as equal", async () => {
    const { body } = await created({ url: "https://h\u00f6rer.shop-example.com/" });

    expect(body["url"]).toBe("https://xn--hrer-5qa.shop-example.com/");
    expect(refusal(await create({ url: "https://H\u00d6RER.shop-example.com" }))).toEqual(
      invalid("url"),
    );
  });

  it.each([
    ["path", "https://hooks.shop-example.com/A"],
    ["final slash", "https://hooks.shop-example.com/a/"],
    ["query", "https://hooks.shop-example.com/a?"],
    ["port", "https://hooks.shop-example.com:8443/a"],
  ])("accepts a URL that differs from a registered one in the part '%s'", async (_, other) => {
    await created();

    expect((await create({ url: other })).status).toBe(201);
  });

  it.each([
    "http://10.0.0.1:9000/",
    "https://db.internal/",
    "https://hooks.internal-shop.com/",
    "https://api.shop-example.com/v1/webhooks",
    "not a url",
    "https://hooks.shop-example.com:80/",
    "https://user:password@hooks.shop-example.com/",
  ])("returns 400 that names 'url' for the URL '%s'", async (refused) => {
    expect(refusal(await create({ url: refused }))).toEqual(invalid("url"));
  });

  it("returns 400 MISSING_PARAM without a URL", async () => {
    expect(refusal(await create({ url: undefined }))).toEqual({
      status: 400,
      code: "MISSING_PARAM",
      param: "url",
    });
  });

  it.each([
    [{ url: 1 }, "url"],
    [{ description: "x".repeat(121) }, "description"],
    [{ description: "a\u0000b" }, "description"],
    [{ description: 1 }, "description"],
    [{ events: ["webhook.test", "watchlist.product.renamed"] }, "events[1]"],
    [{ events: "webhook.test" }, "events"],
    [{ enabled: "yes" }, "enabled"],
    [{ enabled: null }, "enabled"],
  ])("returns 400 for the body %j", async (body, param) => {
    expect(refusal(await create(body))).toEqual(invalid(param));
  });

  it("accepts a description of 120 characters, and an empty description", async () => {
    const description = "x".repeat(120);

    expect((await created({ description })).body).toMatchObject({ description });
    expect((await created({ url: `${url}2`, description: "" })).body).toMatchObject({
      description: "",
    });
  });

  it("stores an empty list of event types and null as different values", async () => {
    const none = await created({ events: [] });
    const every = await created({ url: `${url}2`, events: null });

    expect((await get(none.id)).body["events"]).toEqual([]);
    expect((await get(every.id)).body["events"]).toBeNull();
  });

  it("stores the event types in the order of the request, each once", async () => {
    const { body } = await created({
      events: ["webhook.test", "watchlist.run.completed", "webhook.test"],
    });

    expect(body["events"]).toEqual(["webhook.test", "watchlist.run.completed"]);
  });

  it("returns 400 for an unknown field in the body, and creates nothing", async () => {
    expect(refusal(await create({ colour: "red" }))).toMatchObject({ status: 400 });
    expect((await api.call("GET", "webhook_endpoints")).body["data"]).toEqual([]);
  });

  it("returns 409 for an eleventh endpoint, until another endpoint is deleted", async () => {
    const pauseMs = limits.probes.seconds * 1_000;
    const first = await created();
    for (let n = 1; n < 10; n += 1) {
      world.clock.advance(pauseMs);
      await created({ url: `${url}${n}` });
    }
    world.clock.advance(pauseMs);

    expect(refusal(await create({ url: `${url}10` }))).toEqual(conflict);
    await remove(first.id);
    expect((await create({ url: `${url}10` })).status).toBe(201);
  });
});

describe("a webhook secret", () => {
  it("is returned only in the response that creates it, and no row contains it in plain text", async () => {
    receiver.answer = (response) => response.writeHead(500).end("no");
    const { id, secret } = await createHere();
    const rotated = await rotate(id);
    const second = String(rotated.body["secret"]);
    const others = [
      await test(id),
      await get(id),
      await patch(id, { description: "x" }),
      await api.call("GET", "webhook_endpoints"),
      await api.call("GET", "webhook_deliveries"),
      await api.call("GET", `webhook_endpoints/${id}/deliveries`),
      await create({ url: receiver.url }),
      await rotate(id),
      await remove(id),
    ];

    expect(others.map(({ status }) => status)).toEqual([
      200, 200, 200, 200, 200, 200, 400, 200, 200,
    ]);
    const seen = JSON.stringify([others.map(({ text }) => text), await rows(), api.warnings]);
    for (const kept of [secret, second]) {
      expect(kept).toMatch(/^whsec_/);
      expect(seen).not.toContain(kept.slice("whsec_".length));
    }
    expect(rotated.text).not.toContain(secret);
  });
});

describe("GET /v1/webhook_endpoints", () => {
  it("lists the account's endpoints oldest first, without secrets", async () => {
    const { body: first } = await created();
    const { body: second } = await created({ url: `${url}2` });
    await created({}, "acct_2");

    const answer = await api.call("GET", "webhook_endpoints");

    expectShape(webhookEndpointsResponse, answer);
    const { secret: _first, ...one } = first;
    const { secret: _second, ...two } = second;
    expect(answer.body).toEqual({ object: "list", data: [one, two], has_more: false });
  });
});

describe("GET /v1/webhook_endpoints/{id}", () => {
  it("returns the endpoint without its secret", async () => {
    const { id, body } = await created();

    const answer = await get(id);

    expectShape(webhookEndpointSchema, answer);
    const { secret: _, ...endpoint } = body;
    expect(answer.body).toEqual(endpoint);
  });
});

describe("PATCH /v1/webhook_endpoints/{id}", () => {
  it("changes only the fields that the body contains", async () => {
    const { id, secret } = await createHere({ description: "shop", events: ["webhook.test"] });
    const { body: before } = await get(id);

    const steps: readonly (readonly [unknown, Record<string, unknown>])[] = [
      [{ description: "store" }, { description: "store" }],
      [{ events: ["watchlist.run.completed"] }, { events: ["watchlist.run.completed"] }],
      [{ enabled: false }, { enabled: false, status: "disabled", disabled_reason: "user" }],
      [
        { enabled: true, description: null },
        { enabled: true, description: null, status: "ok", disabled_reason: null },
      ],
      [{ events: null }, { events: null }],
      [{ url: `${receiver.url}/2` }, { url: `${receiver.url}/2` }],
    ];
    const expected = { ...before };
    for (const [sent, changed] of steps) {
      const answer = await patch(id, sent);
      expect(answer.status).toBe(200);
      expectShape(webhookEndpointSchema, answer);
      Object.assign(expected, changed, { updated_at: world.clock.now().toISOString() });
      expect(answer.body).toEqual(expected);
      expect((await get(id)).body).toEqual(expected);
    }
    await test(id);
    expect(signedBy(secret)).toBe(true);
  });

  it.each([[{}], [{ description: "shop" }], [{ url }], [undefined]])(
    "returns 200 and changes nothing for the body %j",
    async (body) => {
      const { id } = await created({ description: "shop" });
      const { body: before } = await get(id);

      const answer = await patch(id, body);

      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(before);
      expect((await get(id)).body).toEqual(before);
    },
  );

  it("accepts the endpoint's current URL in any spelling, even if its host name no longer resolves", async () => {
    const { id } = await created();
    Object.assign(world.registering.resolver, { resolve: async () => [] });

    const answer = await patch(id, { url: `HTTPS://HOOKS.shop-example.com:443/a#x` });

    expect(answer.status).toBe(200);
    expect(answer.body["url"]).toBe(url);
  });

  it("frees the old URL for another endpoint, and reserves the new URL", async () => {
    const { id } = await created();
    await patch(id, { url: `${url}2` });

    expect(refusal(await create({ url: `${url}2` }))).toEqual(invalid("url"));
    const other = await created();
    expect(refusal(await patch(id, { url }))).toEqual(invalid("url"));
    expect((await get(id)).body["url"]).toBe(`${url}2`);
    expect((await world.registering.endpoints.findByUrl("acct_1", url))?.id).toBe(other.id);
    expect((await world.registering.endpoints.findByUrl("acct_1", `${url}2`))?.id).toBe(id);
    expect(await count()).toBe(2);
  });

  it.each([
    [{ url: null }, "url"],
    [{ url: "https://db.internal/" }, "url"],
    [{ url: "https://hooks.internal-shop.com/" }, "url"],
    [{ url: "https://api.shop-example.com/" }, "url"],
    [{ description: "x".repeat(121) }, "description"],
    [{ events: ["no"] }, "events[0]"],
    [{ enabled: null }, "enabled"],
  ])("returns 400 for the body %j, and changes nothing", async (body, param) => {
    const { id } = await created();
    const { body: before } = await get(id);

    expect(refusal(await patch(id, { description: "new", ...body }))).toEqual(invalid(param));
    expect((await get(id)).body).toEqual(before);
  });

  it("does not overwrite fields that a concurrent call changes", async () => {
    const { id, secret } = await created();
    const [rotated] = await Promise.all([
      rotate(id),
      patch(id, { description: "new" }),
      patch(id, { events: [] }),
      patch(id, { enabled: false }),
      patch(id, { url: `${url}2` }),
    ]);

    const { body } = await get(id);
    expect(body).toMatchObject({
      url: `${url}2`,
      description: "new",
      events: [],
      enabled: false,
      secret_hint: String(rotated.body["secret"]).slice(-4),
    });
    expect(body["secret_hint"]).not.toBe(secret.slice(-4));
  });

  it("ends the pending deliveries of the endpoint if the body disables it, even if the endpoint is already disabled", async () => {
    const { id } = await createHere();
    receiver.answer = (response) => response.writeHead(500).end();
    await world.publish(aRun(["watchlist.run.completed"]));
    await world.deliverDue();
    expect(receiver.requests).toHaveLength(1);
    const wakeUp = { account_id: "acct_1", target_id: id };
    await world.takeWakeUps();

    await patch(id, { enabled: false });

    expect(await world.takeWakeUps()).toEqual([wakeUp]);
    expect(await world.targets.due(world.clock.now(), 10)).toHaveLength(1);
    await world.handleWakeUp(wakeUp);
    const { body } = await api.call("GET", `webhook_endpoints/${id}/deliveries`);
    expect(body["data"]).toMatchObject([
      { state: "failed", last_error: "endpoint_disabled", next_attempt_at: null },
    ]);
    expect(receiver.requests).toHaveLength(1);
    await patch(id, { enabled: false });
    expect(await world.takeWakeUps()).toEqual([wakeUp]);
    await patch(id, { enabled: true });
    expect(await world.takeWakeUps()).toEqual([]);
  });

  it("returns 200 even if the wake-up message for the outbox cannot be sent", async () => {
    const { outbox } = world;
    api = endpointApi(world, {
      outbox: { ...outbox, wake: () => Promise.reject(new Error("down")) },
    });
    const { id } = await created();

    expect((await patch(id, { enabled: false })).status).toBe(200);
    expect(api.warnings).toHaveLength(1);
    expect((await get(id)).body["enabled"]).toBe(false);
  });
});

describe("DELETE /v1/webhook_endpoints/{id}", () => {
  it("returns 200 for the first call, and then 404 for every method", async () => {
    const { id, body } = await created();

    const answer = await remove(id);

    expect(answer.status).toBe(200);
    expectShape(webhookEndpointDeletedResponse, answer);
    expect(answer.body).toEqual({ id, object: "webhook_endpoint", deleted: true });
    expect(refusal(await remove(id))).toEqual(notFound);
    expect(refusal(await get(id))).toEqual(notFound);
    expect(await count()).toBe(0);
    const left = await world.client.send(
      new QueryCommand({
        TableName: world.tableName,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": "acct_1#endpoints" },
      }),
    );
    expect(left.Items?.map(({ sk }) => String(sk))).toEqual(["count", `deleted#${id}`]);
    expect(left.Items?.[1]).toEqual({
      pk: "acct_1#endpoints",
      sk: `deleted#${id}`,
      id,
      url: body["url"],
      deleted_at: expect.any(String),
      ttl: expect.any(Number),
    });
    expect((await create()).status).toBe(201);
  });

  it("ends the pending deliveries of the endpoint, which are immediately recorded as failed and never sent", async () => {
    const { id } = await createHere();
    receiver.answer = (response) => response.writeHead(500).end();
    await world.publish(aRun(["watchlist.run.completed"]));
    await world.deliverDue();
    await world.takeWakeUps();

    await remove(id);
    for (const wakeUp of await world.takeWakeUps()) await world.handleWakeUp(wakeUp);

    const { body } = await api.call("GET", "webhook_deliveries", { query: { endpoint_id: id } });
    expect(body["data"]).toMatchObject([{ state: "failed", last_error: "endpoint_deleted" }]);
    expect(receiver.requests).toHaveLength(1);
  });
});

/** Verifies the last request like a receiver with only this secret. */
function signedBy(secret: string): boolean {
  const last = receiver.requests.at(-1);
  const at = Math.floor(world.clock.now().getTime() / 1_000);
  const header = String(last?.headers["service-signature"]);
  try {
    return (
      webhooks.signature?.verifyHeader(last?.body ?? "", header, secret, 300, undefined, at) ===
      true
    );
  } catch {
    return false;
  }
}
const entries = () =>
  String(receiver.requests.at(-1)?.headers["service-signature"]).match(/v1=/g)?.length;
const day = 24 * 60 * 60 * 1_000;

describe("POST /v1/webhook_endpoints/{id}/rotate", () => {
  it.each([[undefined], [{}], [{ overlap: true }]])(
    "with the body %j returns a new secret, and deliveries are also signed with the replaced secret for 24 hours",
    async (body) => {
      const { id, secret } = await createHere();
      world.clock.advance(1_000);

      const answer = await rotate(id, body);

      const next = String(answer.body["secret"]);
      const rotatedAt = world.clock.now().getTime();
      expect(answer.status).toBe(200);
      expectShape(webhookEndpointWithSecretSchema, answer);
      expect(next).not.toBe(secret);
      expect(answer.body).toMatchObject({
        secret_hint: next.slice(-4),
        previous_secret_expires_at: new Date(rotatedAt + day).toISOString(),
        updated_at: new Date(rotatedAt).toISOString(),
      });
      world.clock.advance(day - 1);
      await test(id);
      expect([signedBy(next), signedBy(secret), entries()]).toEqual([true, true, 2]);
      world.clock.advance(1);
      await test(id);
      expect([signedBy(next), signedBy(secret), entries()]).toEqual([true, false, 1]);
      expect((await get(id)).body["previous_secret_expires_at"]).toBeNull();
    },
  );

  it("with 'overlap' false, invalidates all earlier secrets immediately", async () => {
    const { id, secret } = await createHere();
    const second = String((await rotate(id)).body["secret"]);

    const answer = await rotate(id, { overlap: false });

    const third = String(answer.body["secret"]);
    expect(answer.body["previous_secret_expires_at"]).toBeNull();
    await test(id);
    expect([third, second, secret].map(signedBy)).toEqual([true, false, false]);
  });

  it("called twice with 'overlap', invalidates the oldest of three secrets", async () => {
    const { id, secret } = await createHere();
    const second = String((await rotate(id)).body["secret"]);
    world.clock.advance(day / 2);
    const answer = await rotate(id);
    const third = String(answer.body["secret"]);

    await test(id);

    expect([third, second, secret].map(signedBy)).toEqual([true, true, false]);
    const expiresAt = new Date(world.clock.now().getTime() + day).toISOString();
    expect(answer.body["previous_secret_expires_at"]).toBe(expiresAt);
  });

  it("leaves two secrets valid after concurrent calls, and 'secret_hint' belongs to one of the two secrets", async () => {
    const { id, secret } = await createHere();
    const answers = await Promise.all(Array.from({ length: 6 }, () => rotate(id)));

    const secrets = answers.map(({ body }) => String(body["secret"]));
    expect(new Set(secrets).size).toBe(6);
    const { body } = await get(id);
    await test(id);
    const signing = secrets.filter(signedBy);
    expect(signing).toHaveLength(2);
    expect(signing.map((one) => one.slice(-4))).toContain(body["secret_hint"]);
    expect(signedBy(secret)).toBe(false);
    const last = answers.toSorted((a, b) =>
      String(a.body["updated_at"]).localeCompare(String(b.body["updated_at"])),
    );
    expect(last.at(-1)?.body["secret_hint"]).toBe(body["secret_hint"]);
  });

  it("keeps the replaced secret valid even if the response to the database write is lost", async () => {
    const { id, secret } = await createHere();
    const { endpoints } = world.registering;
    api = endpointApi(world, {
      endpoints: {
        ...endpoints,
        replace: async (before, after) => {
          await endpoints.replace(before, after);
          return { outcome: "changed" };
        },
      },
    });

    const next = String((await rotate(id)).body["secret"]);

    await test(id);
    expect([next, secret].map(signedBy)).toEqual([true, true]);
  });

  it.each([[{ overlap: "no" }], [{ overlap: null }]])(
    "returns 400 for the body %j",
    async (body) => {
      const { id } = await created();

      expect(refusal(await rotate(id, body))).toEqual(invalid("overlap"));
    },
  );
});

describe("POST /v1/webhook_endpoints/{id}/test", () => {
  const delivered = async () => {
    const { body } = await api.call("GET", "webhook_deliveries");
    return body["data"] as Record<string, unknown>[];
  };

  it("sends one signed test event immediately, and adds the delivery to the log", async () => {
    const { id, secret } = await createHere({ events: [] });
    receiver.answer = (response) => response.writeHead(202).end("thanks");

    const answer = await test(id);

    expect(answer.status).toBe(200);
    expectShape(webhookTestResponse, answer);
    expect(answer.body).toEqual({
      object: "webhook_test",
      endpoint_id: id,
      delivered: true,
      status_code: 202,
      duration_ms: 0,
      error: null,
    });
    expect(receiver.requests).toHaveLength(1);
    expect(signedBy(secret)).toBe(true);
    const [request] = receiver.requests;
    const event = JSON.parse(request?.body ?? "{}") as Record<string, unknown>;
    const at = world.clock.now().toISOString();
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-z]{24}$/),
      type: "webhook.test",
      created_at: at,
      data: { endpoint_id: id, message: expect.any(String) },
    });
    const [logged] = await delivered();
    expect(logged).toMatchObject({
      endpoint_id: id,
      event_id: event["id"],
      event_type: "webhook.test",
      watchlist_id: null,
      run_id: null,
      state: "delivered",
      attempt_count: 1,
      last_status: 202,
      created_at: at,
    });
    expect(request?.headers).toMatchObject({
      "service-event-type": "webhook.test",
      "service-delivery-id": logged?.["id"],
      "service-attempt": "1",
      "webhook-id": event["id"],
    });
  });

  it.each(eventTypes)(
    "sends a signed event of the type %s, even to an endpoint without subscriptions",
    async (type) => {
      const { id, secret } = await createHere({ events: [] });

      const { body } = await api.call("POST", `webhook_endpoints/${id}/test`, { body: { type } });

      expect(body).toMatchObject({ object: "webhook_test", delivered: true });
      expect(signedBy(secret)).toBe(true);
      const [request] = receiver.requests;
      const event: unknown = JSON.parse(request?.body ?? "{}");
      expect(event).toMatchObject({ type });
      expect(request?.headers["service-event-type"]).toBe(type);
      const [logged] = await delivered();
      expect(logged).toMatchObject({ event_type: type, watchlist_id: null, run_id: null });
    },
  );

  it("refuses an unknown event type, and sends nothing", async () => {
    const { id } = await createHere();
    const answer = await api.call("POST", `webhook_endpoints/${id}/test`, {
      body: { type: "watchlist.sold" },
    });
    expect(answer.status).toBe(400);
    expect(answer.body["error"]).toMatchObject({ code: "INVALID_PARAM", param: "type" });
    expect(receiver.requests).toEqual([]);
  });

  it.each([500, 302, 410, 404])(
    "reports the status %i of the receiver's response, and does not retry",
    async (status) => {
      const { id } = await createHere();
      receiver.answer = (response) => response.writeHead(status).end("no");

      const { status: answered, body } = await test(id);

      expect(answered).toBe(200);
      expect(body).toMatchObject({
        delivered: false,
        status_code: status,
        error: `status_${status}`,
      });
      const [logged] = await delivered();
      expect(logged).toMatchObject({ state: "failed", next_attempt_at: null, attempt_count: 1 });
      expect(await world.nextDue()).toBeNull();
      expect(await world.takeWakeUps()).toEqual([]);
      expect(receiver.requests).toHaveLength(1);
    },
  );

  it("returns the reason if the receiver refuses the connection", async () => {
    const { id } = await createHere();
    await receiver.stop();

    expect((await test(id)).body).toMatchObject({
      delivered: false,
      status_code: null,
      error: "connection_failed",
    });
    receiver = await startReceiver();
  });

  it("sends nothing to a disabled endpoint, and adds a failed delivery to the log", async () => {
    const { id } = await createHere({ enabled: false });

    const answer = await test(id);

    expect(answer.body).toEqual({
      object: "webhook_test",
      endpoint_id: id,
      delivered: false,
      status_code: null,
      duration_ms: 0,
      error: "endpoint_disabled",
    });
    expect(receiver.connections()).toBe(0);
    const [logged] = await delivered();
    expect(logged).toMatchObject({ state: "failed", last_error: "endpoint_disabled" });
  });
});

describe("calls that probe a receiver", () => {
  const { max, seconds } = limits.probes;

  it("are admitted up to the account's limit, counted over all endpoints", async () => {
    const { id } = await createHere();
    const other = await createHere({ url: `${receiver.url}/2` });
    const answers = await Promise.all(
      Array.from({ length: max }, (_, n) => test(n % 2 === 0 ? id : other.id)),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(max - 2);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.map(refusal)).toEqual(
      Array.from({ length: 2 }, () => ({ status: 429, code: "RATE_LIMITED" })),
    );
    expect(receiver.requests).toHaveLength(max - 2);
    expect((await createHere({ url: `${receiver.url}/3` }, "acct_2")).status).toBe(201);
  });

  it("get 429 above the limit, and are admitted again after the time in Retry-After", async () => {
    const { id } = await createHere();
    for (let n = 1; n < max; n += 1) {
      world.clock.advance(1_000);
      await test(id);
    }

    const refused = await test(id);
    expect(refused.status).toBe(429);
    expect(refused.headers["Retry-After"]).toBe(String(seconds - (max - 1)));
    expect(refused.text).toContain(`In ${seconds} seconds, an account can make ${max} calls`);
    expect(refused.text).toContain(`Retry in ${seconds - (max - 1)} seconds.`);
    world.clock.advance((seconds - (max - 1)) * 1_000);
    expect((await test(id)).status).toBe(200);
    expect((await test(id)).status).toBe(429);
  });

  it("include refused creations and URL changes, but not changes of other fields", async () => {
    const { id } = await created();
    for (let n = 0; n < max - 2; n += 1) {
      const inside = "https://hooks.internal-shop.com/";
      expect(
        (await (n % 2 === 0 ? create({ url: inside }) : patch(id, { url: inside }))).status,
      ).toBe(400);
    }

    expect((await test(unknown)).status).toBe(404);
    expect((await patch(id, { url: "https://hooks.shop-example.com/b" })).status).toBe(429);
    expect((await create({ url: "https://hooks.shop-example.com/b" })).status).toBe(429);
    expect((await patch(id, { description: "shop", enabled: false })).status).toBe(200);
    expect((await get(id)).status).toBe(200);
  });

  it("get 503 and send nothing while DynamoDB throttles the counter", async () => {
    const { id } = await createHere();
    const throttled = Object.assign(new Error("throttled"), { name: "ThrottlingException" });
    const probes = {
      count: async () => {
        throw throttled;
      },
    };
    const { call } = endpointApi(world, { probes });

    const answers = [
      await call("POST", `webhook_endpoints/${id}/test`),
      await call("POST", "webhook_endpoints", { body: { url } }),
      await call("PATCH", `webhook_endpoints/${id}`, { body: { url } }),
    ];

    const unavailable = { status: 503, code: "UNAVAILABLE" };
    expect(answers.map(refusal)).toEqual([unavailable, unavailable, unavailable]);
    expect(receiver.connections()).toBe(0);
    expect(await count()).toBe(1);
  });
});

describe("the access rules of the webhook operations:", () => {
  const operations = Object.entries(routes)
    .filter(([, { group }]) => group === "webhook-endpoints")
    .map(([key]) => ({ key, access: hasEffects(key as RouteKey) ? "write" : "read" }));
  const delivery = "dlv_000000000000000000000000";
  /** Valid bodies, so that only the checks of access can refuse a call. */
  const bodies: Readonly<Record<string, object>> = {
    "POST /v1/webhook_endpoints": { url },
    "PATCH /v1/webhook_endpoints/{id}": { url },
    "POST /v1/webhook_endpoints/{id}/recover": { since: startedAt },
  };
  const call = (key: string, id: string, account: string): Promise<Answer> => {
    const [method = "", path = ""] = key.split(" ");
    const called = path.replace("/v1/", "").replace("{id}", id);
    const sent = method === "GET" || method === "DELETE" ? {} : { body: bodies[key] ?? {} };
    return api.call(method, called, { ...sent, account });
  };

  it.each(operations.filter(({ access }) => access === "write"))(
    "the operation $key returns 403 to a key of the demo workspace",
    async ({ key }) => {
      const { id } = await created({}, "demo-owner");

      expect(refusal(await call(key, id, "demo"))).toEqual({ status: 403, code: "DEMO_READ_ONLY" });
    },
  );

  it.each(operations.filter(({ access }) => access === "read"))(
    "the operation $key accepts a key of the demo workspace",
    async ({ key }) => {
      expect([200, 404]).toContain((await call(key, unknown, "demo")).status);
    },
  );

  it.each(operations.filter(({ key }) => key.includes("{id}")))(
    "the operation $key returns the same error for another account's resource as for an unknown ID, except for the ID in the error",
    async ({ key }) => {
      const { id } = await createHere();
      await test(id);
      const { body: log } = await api.call("GET", "webhook_deliveries");
      const [logged] = log["data"] as { id: string }[];
      const isDelivery = key.includes("webhook_deliveries");
      const own = isDelivery ? (logged?.id ?? "") : id;

      const foreign = await call(key, own, "acct_2");
      const unknownId = isDelivery ? delivery : unknown;
      const missing = await call(key, unknownId, "acct_2");
      const noId = await call(key, "x".repeat(2_000), "acct_2");

      expect(refusal(foreign)).toEqual(notFound);
      expect(foreign.text).toBe(missing.text.replace(unknownId, own));
      expect(noId.text).toBe(missing.text.replace(unknownId, `${"x".repeat(40)}…`));
      expect((await get(id)).status).toBe(200);
    },
  );
});
