import { safeParse } from "valibot";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Call, Reply } from "../../../functions/http/route.ts";
import { createRoute } from "../../../functions/webhook-endpoints/create.ts";
import { getRoute } from "../../../functions/webhook-endpoints/get.ts";
import { listRoute } from "../../../functions/webhook-endpoints/list.ts";
import { type NewEndpoint, newEndpointBody } from "../../../shared/webhooks/endpoint.ts";
import { type DeliveryWorld, startDeliveryWorld } from "../../support/delivery-world.ts";

let base: Awaited<ReturnType<typeof startDeliveryWorld>>;
let world: DeliveryWorld;
beforeAll(async () => {
  base = await startDeliveryWorld();
});
afterAll(() => base.stop());
beforeEach(async () => {
  world = await base.open();
});

function call(wanted: Partial<Call<unknown, unknown>>, accountId = "acct_1"): Call<never, never> {
  const now = world.clock.now();
  return {
    caller: { accountId, keyId: "key_1", keyName: "k", keyPrefix: "svc_live_abc", demo: false },
    body: undefined,
    query: undefined,
    path: {},
    requestId: "req_1",
    now,
    deadline: now,
    baseUrl: "http://localhost:8787/v1",
    ...wanted,
  } as Call<never, never>;
}

const aBody: NewEndpoint = {
  url: "http://127.0.0.1:9000/hook",
  description: null,
  events: null,
  enabled: true,
};
interface Answer extends Reply {
  readonly body: Record<string, unknown>;
}
const create = async (body: Partial<NewEndpoint> = {}, accountId?: string): Promise<Answer> => {
  world.clock.advance(1);
  const answer = await createRoute.handle(
    call({ body: { ...aBody, ...body } }, accountId),
    world.registering,
  );
  return answer as Answer;
};

describe("POST /v1/webhook_endpoints", () => {
  it("answers 201 with the endpoint and its secret, which is stored sealed", async () => {
    const { status, body } = await create({ description: "shop", events: ["webhook.test"] });

    const at = world.clock.now().toISOString();
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^we_/),
      object: "webhook_endpoint",
      url: "http://127.0.0.1:9000/hook",
      description: "shop",
      events: ["webhook.test"],
      enabled: true,
      secret_hint: String(body["secret"]).slice(-4),
      previous_secret_expires_at: null,
      created_at: at,
      updated_at: at,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{44}$/),
    });
    const stored = await world.registering.endpoints.get("acct_1", String(body["id"]));
    expect(JSON.stringify(stored)).not.toContain(body["secret"]);
  });

  it.each([
    "http://10.0.0.1:9000/",
    "https://db.internal/",
    "http://localhost:8787/v1/webhooks",
    "not a url",
    "http://localhost:80/",
  ])("answers 400 that names url for %s", async (url) => {
    await expect(create({ url })).rejects.toMatchObject({
      code: "INVALID_PARAM",
      status: 400,
      details: { param: "url" },
    });
  });

  it.each([[["10.0.0.1"]], [["8.8.8.8", "169.254.169.254"]], [[]]])(
    "answers 400 for a name that leads to %j",
    async (addresses) => {
      Object.assign(world.registering, { resolver: { resolve: async () => addresses } });

      await expect(create({ url: "https://hooks.shop-example.com/" })).rejects.toMatchObject({
        status: 400,
        details: { param: "url" },
      });
    },
  );

  it("answers 400 for a URL the account has, however it is written", async () => {
    await create();

    await expect(create({ url: "HTTP://127.0.0.1:9000/hook#x" })).rejects.toMatchObject({
      code: "INVALID_PARAM",
      details: { param: "url" },
    });
    expect((await create({}, "acct_2")).status).toBe(201);
  });

  it("answers 409 beyond ten", async () => {
    for (let i = 0; i < 10; i += 1) await create({ url: `http://127.0.0.1:${9_000 + i}/` });

    await expect(create()).rejects.toMatchObject({ code: "CONFLICT", status: 409 });
  });
});

describe("the body of a new endpoint", () => {
  it("needs only a URL", () => {
    const parsed = safeParse(newEndpointBody, { url: "https://a.shop/" });

    expect(parsed.output).toEqual({ ...aBody, url: "https://a.shop/" });
  });

  it.each([
    {},
    { url: 1 },
    { url: "https://a.shop/", description: "x".repeat(121) },
    { url: "https://a.shop/", events: ["watchlist.product.renamed"] },
    { url: "https://a.shop/", events: "webhook.test" },
    { url: "https://a.shop/", enabled: "yes" },
  ])("is refused when it is %j", (body) => {
    expect(safeParse(newEndpointBody, body).success).toBe(false);
  });
});

describe("GET /v1/webhook_endpoints", () => {
  it("lists the account's endpoints oldest first and without secrets", async () => {
    const { body: first } = await create();
    const { body: second } = await create({ url: "http://127.0.0.1:9001/" });
    await create({ url: "http://127.0.0.1:9002/" }, "acct_2");

    const { status, body } = await listRoute.handle(call({}), world.registering);

    expect(status).toBe(200);
    const { secret: _first, ...one } = first;
    const { secret: _second, ...two } = second;
    expect(body).toEqual({ object: "list", data: [one, two], has_more: false });
  });
});

describe("GET /v1/webhook_endpoints/{id}", () => {
  it("answers the endpoint without its secret", async () => {
    const { body: created } = await create();
    const path = { id: String(created["id"]) };

    const { body } = await getRoute.handle(call({ path }), world.registering);

    const { secret: _, ...endpoint } = created;
    expect(body).toEqual(endpoint);
  });

  it("answers another account's endpoint as one that does not exist", async () => {
    const { body: created } = await create();

    const foreign = await askAsStranger(String(created["id"]));

    expect(foreign).toMatchObject({ code: "NOT_FOUND", status: 404 });
    expect(foreign).toEqual(await askAsStranger("we_unknown"));
  });
});

const askAsStranger = (id: string) =>
  getRoute.handle(call({ path: { id } }, "acct_2"), world.registering).catch((e: Error) => e);
