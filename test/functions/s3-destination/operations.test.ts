import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { safeParse } from "valibot";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Call } from "../../../functions/http/route.ts";
import { getRoute } from "../../../functions/s3-destination/get.ts";
import { putRoute } from "../../../functions/s3-destination/put.ts";
import { s3CustomerBuckets } from "../../../shared/aws/customer-bucket.ts";
import { destinationBody } from "../../../shared/exports/destination.ts";
import { addressPolicy } from "../../../shared/outgoing/address-policy.ts";
import { type DeliveryWorld, startDeliveryWorld } from "../../support/delivery-world.ts";
import { startReceiver } from "../../support/receiver.ts";

let base: Awaited<ReturnType<typeof startDeliveryWorld>>;
let world: DeliveryWorld;
beforeAll(async () => {
  base = await startDeliveryWorld();
});
afterAll(() => base.stop());
beforeEach(async () => {
  world = await base.open();
});

function call(body?: unknown, accountId = "acct_1"): Call<never, never> {
  const now = world.clock.now();
  return {
    caller: { accountId, keyId: "key_1", keyName: "k", keyPrefix: "svc_live_abc", demo: false },
    body,
    query: undefined,
    path: {},
    requestId: "req_1",
    now,
    deadline: now,
    baseUrl: "http://localhost:8787/v1",
  } as Call<never, never>;
}

const aBody = () => ({
  bucket: world.exportBucket,
  endpoint: world.storeUrl,
  prefix: "shop/",
  access_key_id: "AKIACUSTOMER",
  secret_access_key: "canary-secret-key",
});
const put = (wanted: Record<string, unknown> = {}) => {
  const parsed = safeParse(destinationBody, { ...aBody(), ...wanted });
  if (!parsed.success) throw new Error("body refused");
  return putRoute.handle(call(parsed.output), world.registering);
};
const get = (accountId?: string) => getRoute.handle(call(undefined, accountId), world.registering);

describe("PUT /v1/s3_destination", () => {
  it("answers 201 with the destination and never its secret, and leaves no check object", async () => {
    const { status, body } = await put();

    const at = world.clock.now().toISOString();
    expect(status).toBe(201);
    expect(body).toEqual({
      object: "s3_destination",
      enabled: true,
      bucket: world.exportBucket,
      region: "us-east-1",
      endpoint: `${world.storeUrl}/`,
      force_path_style: true,
      prefix: "shop/",
      auth: "access_key",
      access_key_id: "AKIACUSTOMER",
      secret_hint: "-key",
      role_arn: null,
      external_id: null,
      compression: "gzip",
      status: "active",
      last_success_at: null,
      last_error: null,
      created_at: at,
      updated_at: at,
    });
    expect((await get()).body).toEqual(body);
    const stored = await world.registering.destinations.get("acct_1");
    expect(JSON.stringify(stored)).not.toContain("canary-secret-key");
    const listing = new ListObjectsV2Command({ Bucket: world.exportBucket });
    expect((await world.s3.send(listing)).Contents ?? []).toEqual([]);
  });

  it("answers 200 for a replacement, which keeps the time of creation", async () => {
    const { body: first } = await put();
    world.clock.advance(1_000);
    const { status, body } = await put({ enabled: false, compression: "none" });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "disabled",
      compression: "none",
      created_at: (first as { created_at: string }).created_at,
      updated_at: world.clock.now().toISOString(),
    });
  });

  it("answers 400 that says which step failed, and saves nothing", async () => {
    await expect(put({ bucket: "no-such-bucket" })).rejects.toMatchObject({
      code: "INVALID_PARAM",
      status: 400,
      message: expect.stringMatching(/^Writing .*NoSuchBucket/),
    });
    await expect(get()).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("answers 400 when the check object can be written but not deleted", async () => {
    const store = await startReceiver();
    store.answer = (response, { method }) => {
      if (method !== "DELETE") return response.end();
      const xml = "<Error><Code>AccessDenied</Code><Message>no</Message></Error>";
      return response.writeHead(403, { "Content-Type": "application/xml" }).end(xml);
    };
    const answer = put({ endpoint: `http://127.0.0.1:${store.port}` });

    await expect(answer).rejects.toMatchObject({
      message: expect.stringMatching(/^Deleting .*AccessDenied/),
    });
    expect(store.requests.map(({ path }) => path.split("?")[0])).toEqual([
      `/${world.exportBucket}/shop/_service_check`,
      `/${world.exportBucket}/shop/_service_check`,
    ]);
    expect(Object.keys(store.requests[0]?.headers ?? {}).join()).not.toContain("checksum");
    await store.stop();
  });

  it("does not follow a store's redirect", async () => {
    const store = await startReceiver();
    store.answer = (response) => response.writeHead(307, { Location: world.storeUrl }).end();

    await expect(put({ endpoint: `http://127.0.0.1:${store.port}` })).rejects.toMatchObject({
      status: 400,
    });
    expect(store.requests).toHaveLength(1);
    await store.stop();
  });

  it.each([
    "http://10.0.0.1:9000",
    "https://s3.internal",
    "http://localhost:8787",
    "http://127.0.0.1:9000/folder",
    "s3.shop-example.com",
  ])("answers 400 that names endpoint for %s", async (endpoint) => {
    await expect(put({ endpoint })).rejects.toMatchObject({ details: { param: "endpoint" } });
  });

  it("connects to no address that is not public, whatever was registered", async () => {
    const store = await startReceiver();
    const buckets = s3CustomerBuckets({
      policy: { ...addressPolicy(), allowLoopback: true },
      lookup: (_, __, callback) => callback(null, [{ address: "127.0.0.1", family: 4 }]),
    });
    for (const host of ["127.0.0.1", "store.shop-example.com"]) {
      const bucket = buckets.open({
        bucket: "shop",
        region: "us-east-1",
        endpoint: `http://${host}:${store.port}`,
        forcePathStyle: true,
        accessKeyId: "a",
        secretAccessKey: "b",
      });
      const outcome = await bucket.put({ key: "k", bytes: Buffer.from("x"), contentType: "a/b" });
      expect(outcome).toEqual({ outcome: "failed", reason: "address_refused" });
    }
    expect(store.requests).toEqual([]);
    await store.stop();
  });
});

describe("the body of a destination", () => {
  it.each([
    { bucket: "Shop" },
    { bucket: "a" },
    { bucket: "shop/../x" },
    { bucket: "arn:aws:s3:us-east-1:1:accesspoint/x" },
    { region: "us-east-1.shop-example.com" },
    { prefix: "/shop" },
    { prefix: "a/../b/" },
    { prefix: "x".repeat(501) },
    { auth: "role" },
    { access_key_id: "" },
    { secret_access_key: "with\nline" },
    { compression: "zip" },
    { endpoint: 7 },
  ])("is refused with %j", (wanted) => {
    expect(safeParse(destinationBody, { ...aBody(), ...wanted }).success).toBe(false);
  });
});

describe("GET /v1/s3_destination", () => {
  it("answers 404 to an account without one", async () => {
    await put();

    await expect(get("acct_2")).rejects.toMatchObject({ code: "NOT_FOUND", status: 404 });
  });
});
