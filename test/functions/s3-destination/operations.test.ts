import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { type GenericSchema, parse, safeParse } from "valibot";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AnyRoute, Call } from "../../../functions/http/route.ts";
import { backfillRoute } from "../../../functions/s3-destination/backfill.ts";
import { deleteDestinationRoute } from "../../../functions/s3-destination/delete.ts";
import { getDestinationRoute } from "../../../functions/s3-destination/get.ts";
import type { DestinationDependencies } from "../../../functions/s3-destination/dependencies.ts";
import { listExportsRoute } from "../../../functions/s3-destination/list-exports.ts";
import { putDestinationRoute } from "../../../functions/s3-destination/put.ts";
import { testDestinationRoute } from "../../../functions/s3-destination/test.ts";
import { updateDestinationRoute } from "../../../functions/s3-destination/update.ts";
import { s3CustomerBuckets } from "../../../shared/aws/exports/customer-bucket.ts";
import { exportWrite } from "../../../shared/aws/exports/export-store.ts";
import { derivedIdAt } from "../../../shared/base/ids.ts";
import { limits } from "../../../shared/base/limits.ts";
import { destinationBody, destinationPatchBody } from "../../../shared/exports/destination-body.ts";
import {
  deletedDestinationResponse,
  destinationSchema,
  destinationTestResponse,
} from "../../../shared/exports/destination-schema.ts";
import { externalIdOf } from "../../../shared/exports/destination.ts";
import { newExport } from "../../../shared/exports/export-record.ts";
import { exportsQuery, exportsResponse } from "../../../shared/exports/export-schema.ts";
import { backfillBody, backfillResponse } from "../../../shared/exports/start-backfill.ts";
import { destinationTarget } from "../../../shared/outbox/outbox.ts";
import { addressPolicy } from "../../../shared/outgoing/address-policy.ts";
import { aRun, startedAt } from "../../support/delivery-world.ts";
import { type ExportWorld, startExportWorld } from "../../support/export-world.ts";
import { type Receiver, startReceiver } from "../../support/receiver.ts";
import { answerAsStore, refuseAsStore } from "../../support/store-answers.ts";
import { scopes } from "../../../shared/accounts/scopes.ts";

let base: Awaited<ReturnType<typeof startExportWorld>>;
let world: ExportWorld;
let store: Receiver;
beforeAll(async () => {
  base = await startExportWorld();
  store = await startReceiver();
});
afterAll(async () => {
  await store.stop();
  await base.stop();
});
beforeEach(async () => {
  world = await base.open();
  store.requests.length = 0;
  store.answer = answerAsStore;
});

const roleArn = "arn:aws:iam::123456789012:role/team/events";
const canary = "canary-secret-key";

interface Sent {
  readonly body?: unknown;
  readonly query?: unknown;
  readonly accountId?: string;
}

/** Calls a route with a parsed body and query, as the group handler does. */
async function call(
  route: AnyRoute<DestinationDependencies>,
  { body, query, accountId = "acct_1" }: Sent = {},
) {
  const now = world.clock.now();
  const sent = {
    caller: {
      accountId,
      keyId: "key_1",
      keyName: "k",
      keyPrefix: "svc_live_abc",
      demo: false,
      scopes,
    },
    body: body as never,
    query: query as never,
    path: {},
    headers: () => [],
    requestId: "req_1",
    now,
    deadline: now,
    msToAnswer: () => 29_000,
    routeKey: "GET /v1/s3_destination",
    addressedPath: "/v1/s3_destination",
    baseUrl: "http://localhost:8787/v1",
    own: { hosts: ["localhost:8787"], apiId: "local" },
  } satisfies Call<never, never>;
  const reply = await route.handle(sent, world.registering);
  return { status: reply.status, body: reply.body as Record<string, unknown> };
}

const aBody = () => ({
  bucket: world.exportBucket,
  endpoint: world.storeUrl,
  prefix: "shop/",
  access_key_id: "AKIACUSTOMER",
  secret_access_key: canary,
});
const aRole = { endpoint: null, access_key_id: null, secret_access_key: null, auth: "role" };
const put = (wanted: Record<string, unknown> = {}) =>
  call(putDestinationRoute, { body: parse(destinationBody, { ...aBody(), ...wanted }) });
const patch = (wanted: Record<string, unknown>) =>
  call(updateDestinationRoute, { body: parse(destinationPatchBody, wanted) });
const get = (accountId?: string) =>
  call(getDestinationRoute, accountId === undefined ? {} : { accountId });
const storeAt = () => `http://127.0.0.1:${store.port}`;
const refusing = (status: number, code: string) => {
  store.answer = refuseAsStore(status, code);
};
/** Reports three failed exports, after which the destination is `failing`. */
async function failThreeTimes(error: string): Promise<void> {
  const { destinations } = world.registering;
  const { revision = "" } = (await destinations.get("acct_1")) ?? {};
  for (let n = 0; n < 3; n += 1) {
    await destinations.report("acct_1", revision, { outcome: "failed", error });
  }
}
const objectsLeft = async (): Promise<readonly unknown[]> => {
  const listing = new ListObjectsV2Command({ Bucket: world.exportBucket });
  return (await world.s3.send(listing)).Contents ?? [];
};
const invalid = (param: string) => ({
  code: "INVALID_PARAM",
  status: 400,
  details: { param },
});
const missing = (param: string) => ({ code: "MISSING_PARAM", status: 400, details: { param } });

describe("PUT /v1/s3_destination", () => {
  it("returns 201 with the destination but without its secret, and deletes the object that the check of the bucket wrote", async () => {
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
      external_id: expect.stringMatching(/^ext-[0-9a-f]{32}$/),
      compression: "gzip",
      rows: false,
      snapshot: "none",
      status: "active",
      last_success_at: null,
      last_error: null,
      created_at: at,
      updated_at: at,
    });
    expect(safeParse(destinationSchema, body).success).toBe(true);
    expect((await get()).body).toEqual(body);
    expect(await objectsLeft()).toEqual([]);
  });

  it("never stores or returns the secret in plain text", async () => {
    const answers = [await put()];
    answers.push(await patch({ secret_access_key: `${canary}-2` }));
    answers.push(await patch({ enabled: false }), await get(), await call(testDestinationRoute));
    const { Items } = await world.client.send(new ScanCommand({ TableName: world.tableName }));

    expect(JSON.stringify([answers, Items])).not.toContain(canary);
    await expect(put({ bucket: "no-such-bucket" })).rejects.not.toThrow(canary);
  });

  it("returns 200 for a replacement, and keeps the original creation time", async () => {
    const { body: first } = await put();
    world.clock.advance(1_000);
    const { status, body } = await put({ enabled: false, compression: "none" });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "disabled",
      compression: "none",
      external_id: first["external_id"],
      created_at: first["created_at"],
      updated_at: world.clock.now().toISOString(),
    });
    expect(world.wakeUps).toEqual([destinationTarget("acct_1")]);
  });

  it("returns 400 with the name of the S3 action that failed, and saves nothing", async () => {
    await expect(put({ bucket: "no-such-bucket" })).rejects.toMatchObject({
      ...invalid("bucket"),
      message: expect.stringMatching(/^Writing .*NoSuchBucket/),
    });
    await expect(get()).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("returns 400 when the check object can be written but not deleted", async () => {
    store.answer = (response, request) =>
      request.method === "DELETE"
        ? refuseAsStore(403, "AccessDenied")(response)
        : answerAsStore(response, request);

    await expect(put({ endpoint: storeAt() })).rejects.toMatchObject({
      message: expect.stringMatching(/^Deleting .*AccessDenied/),
    });
    const wantedKey = `/${world.exportBucket}/shop/_service_check`;
    expect(
      store.requests.map(({ method, path }) => `${method} ${path.split("?")[0]}`).toSorted(),
    ).toEqual([
      `DELETE ${wantedKey}`,
      expect.stringMatching(new RegExp(`^HEAD ${wantedKey}_[0-9a-f]{24}$`)),
      `PUT ${wantedKey}`,
    ]);
  });

  it("returns 400 that names 'region' when the bucket is in another region", async () => {
    refusing(301, "PermanentRedirect");

    await expect(put({ endpoint: storeAt() })).rejects.toMatchObject({
      message: expect.stringMatching(/PermanentRedirect.*'region'/),
    });
    expect(store.requests).toHaveLength(1);
  });

  it("returns 400 that names 'region' when AWS has no host for the region", async () => {
    const lookup = (_: string, __: unknown, answer: (error: Error, address: string) => void) =>
      answer(Object.assign(new Error("none"), { code: "ENOTFOUND" }), "");
    const policy = addressPolicy({ allowLoopback: true });
    Object.assign(world.registering, { buckets: s3CustomerBuckets({ policy, lookup }) });

    await expect(put({ endpoint: null })).rejects.toMatchObject({
      ...invalid("region"),
      message: expect.stringMatching(/name_not_resolved.*no region 'us-east-1'/),
    });
  });

  it.each([
    "http://10.0.0.1:9000",
    "http://169.254.169.254",
    "https://s3.internal",
    "http://localhost:8787",
    "http://127.0.0.1:9000/folder",
    "http://127.0.0.1:9000/?x=1",
    "s3.shop-example.com",
  ])("returns 400 that names 'endpoint' for the endpoint '%s'", async (endpoint) => {
    await expect(put({ endpoint })).rejects.toMatchObject({ details: { param: "endpoint" } });
  });

  it("never connects to a non-public address, even if the registered endpoint contains or resolves to a non-public address", async () => {
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
      bucket.close();
    }
    expect(store.requests).toEqual([]);
  });
});

describe("an S3 destination with a role", () => {
  const assumed = () => {
    const expiresAt = new Date("2026-11-20T11:00:00.000Z");
    const credentials = {
      accessKeyId: "ASIA",
      secretAccessKey: canary,
      sessionToken: "token",
      expiresAt,
    };
    world.roles.answer = { outcome: "assumed", credentials };
    // Roles exist only in AWS, which tests cannot reach, so the test opens the local store instead.
    const { buckets } = world.registering;
    const endpoint = storeAt();
    const open: typeof buckets.open = (access) => buckets.open({ ...access, endpoint });
    Object.assign(world.registering, { buckets: { open } });
  };

  it("is refused with 400 and the external ID that its trust policy needs, until the role trusts the service", async () => {
    const refused = await put({ ...aRole, role_arn: roleArn }).catch((error: Error) => error);
    const externalId = externalIdOf("acct_1");

    expect(refused).toMatchObject({ ...invalid("role_arn") });
    expect((refused as Error).message).toContain("AccessDenied");
    expect((refused as Error).message).toContain(`'${externalId}'`);
    await expect(get()).rejects.toMatchObject({ code: "NOT_FOUND" });

    assumed();
    const { status, body } = await put({ ...aRole, role_arn: roleArn, region: "eu-west-1" });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      auth: "role",
      role_arn: roleArn,
      external_id: externalId,
      access_key_id: null,
      secret_hint: null,
    });
    expect(world.roles.asked).toContainEqual({ roleArn, externalId, region: "eu-west-1" });
    expect(store.requests[0]?.headers).toMatchObject({ "x-amz-security-token": "token" });
  });

  it.each([
    [missing("role_arn"), {}],
    [invalid("access_key_id"), { role_arn: roleArn, access_key_id: "AKIA" }],
    [invalid("secret_access_key"), { role_arn: roleArn, secret_access_key: "s" }],
    [invalid("endpoint"), { role_arn: roleArn, endpoint: "http://127.0.0.1:9000" }],
  ])("is refused with the error %j if the body contains %j", async (refusal, wanted) => {
    await expect(put({ ...aRole, ...wanted })).rejects.toMatchObject(refusal);
    expect(world.roles.asked).toEqual([]);
  });

  it("is refused while its trust policy does not require the external ID", async () => {
    assumed();
    world.roles.acceptsEveryCaller = true;

    await expect(put({ ...aRole, role_arn: roleArn })).rejects.toMatchObject({
      ...invalid("role_arn"),
      message: expect.stringContaining("external_id_not_asked_for"),
    });
    expect(store.requests).toEqual([]);
    expect(new Set(world.roles.asked.map(({ externalId }) => externalId)).size).toBe(2);
  });

  it("requires the key ID and the secret when a PATCH changes the destination back to an access key", async () => {
    assumed();
    await put({ ...aRole, role_arn: roleArn });

    await expect(patch({ auth: "access_key" })).rejects.toMatchObject(missing("access_key_id"));
    await expect(
      patch({ auth: "access_key", access_key_id: "AKIACUSTOMER" }),
    ).rejects.toMatchObject(missing("secret_access_key"));
    const changed = await patch({
      auth: "access_key",
      access_key_id: "AKIACUSTOMER",
      secret_access_key: canary,
    });
    expect(changed.body).toMatchObject({ auth: "access_key", role_arn: null, secret_hint: "-key" });
  });
});

describe("an S3 destination with an access key", () => {
  it.each([
    [missing("access_key_id"), { access_key_id: null }],
    [missing("secret_access_key"), { secret_access_key: null }],
    [invalid("role_arn"), { role_arn: roleArn }],
  ])("is refused with the error %j if the body contains %j", async (refusal, wanted) => {
    await expect(put(wanted)).rejects.toMatchObject(refusal);
  });
});

describe("PATCH /v1/s3_destination", () => {
  beforeEach(async () => {
    await put({ endpoint: storeAt() });
    store.requests.length = 0;
    world.clock.advance(1_000);
  });

  it("returns 404 if the account has no destination", async () => {
    const other = { body: parse(destinationPatchBody, { enabled: true }), accountId: "acct_2" };

    await expect(call(updateDestinationRoute, other)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("returns a prefix with its final slash, and treats a prefix without the slash as equal", async () => {
    const { body: before } = await get();
    expect((await patch({ prefix: "shop" })).body).toEqual(before);

    expect((await patch({ prefix: "retail" })).body).toMatchObject({ prefix: "retail/" });
    expect((await get()).body).toMatchObject({ prefix: "retail/" });
  });

  it("keeps a stored prefix without a final slash until a PATCH sets the prefix", async () => {
    await world.setDestination("acct_1", { prefix: "shop" });

    expect((await patch({ compression: "none" })).body).toMatchObject({ prefix: "shop" });
    expect((await patch({ prefix: "shop" })).body).toMatchObject({ prefix: "shop/" });
  });

  it("changes only the fields that the body contains", async () => {
    const { body: before } = await get();
    const { status, body } = await patch({ prefix: "new/", compression: "none" });

    expect(status).toBe(200);
    const updated_at = world.clock.now().toISOString();
    expect(body).toEqual({ ...before, prefix: "new/", compression: "none", updated_at });
    expect((await get()).body).toEqual(body);
  });

  it.each([
    [3, { prefix: "new/" }],
    [3, { region: "eu-west-1" }],
    [3, { force_path_style: true, access_key_id: "AKIAOTHER" }],
    [3, { secret_access_key: canary }],
    [3, { bucket: "another", secret_access_key: canary }],
    [0, { compression: "none" }],
    [0, { rows: true }],
    [0, { snapshot: "day" }],
    [0, { enabled: false }],
    [0, { enabled: true, prefix: "shop/" }],
    [0, {}],
  ])("makes %i requests to the bucket to check the change %j", async (count, wanted) => {
    await patch(wanted);

    expect(store.requests).toHaveLength(count);
  });

  it.each([{}, { prefix: "shop/", enabled: true, compression: "gzip" }])(
    "changes nothing when all given values equal the stored ones: %j",
    async (wanted) => {
      const { body: before } = await get();

      expect((await patch(wanted)).body).toEqual(before);
      expect((await get()).body).toEqual(before);
    },
  );

  it("checks the bucket when the body enables a disabled destination", async () => {
    await patch({ enabled: false });
    refusing(403, "AccessDenied");

    await expect(patch({ enabled: true })).rejects.toMatchObject(invalid("bucket"));
    expect((await get()).body).toMatchObject({ enabled: false, status: "disabled" });
  });

  it.each([{ bucket: "another" }, { endpoint: null }])(
    "requires the secret again for the change %j",
    async (wanted) => {
      await expect(patch(wanted)).rejects.toMatchObject(missing("secret_access_key"));
      expect(store.requests).toEqual([]);
    },
  );

  it("does not require the secret again if neither the bucket nor the endpoint changes", async () => {
    await patch({ bucket: world.exportBucket, endpoint: storeAt(), prefix: "other/" });

    expect((await get()).body).toMatchObject({ prefix: "other/" });
  });

  it("refuses an endpoint with a non-public address", async () => {
    const wanted = { endpoint: "http://10.0.0.1:9000", secret_access_key: canary };

    await expect(patch(wanted)).rejects.toMatchObject(invalid("endpoint"));
  });

  it("saves nothing when the check of the bucket fails", async () => {
    const { body: before } = await get();
    refusing(403, "InvalidAccessKeyId");

    await expect(patch({ access_key_id: "AKIAOTHER" })).rejects.toMatchObject({
      message: expect.stringContaining("InvalidAccessKeyId"),
    });
    expect((await get()).body).toEqual(before);
  });

  it("sets the status to 'active' only after a successful check of the bucket", async () => {
    await failThreeTimes("AccessDenied");
    const kept = await patch({ compression: "none" });
    const checked = await patch({ prefix: "again/" });

    expect(kept.body).toMatchObject({ status: "failing", last_error: "AccessDenied" });
    expect(checked.body).toMatchObject({ status: "active", last_error: null });
  });

  it("sends a wake-up message for the pending exports when the body disables the destination", async () => {
    await patch({ enabled: false });

    expect(world.wakeUps).toEqual([destinationTarget("acct_1")]);
  });

  it("keeps the changes of two concurrent calls, even if an export result is stored at the same time", async () => {
    const { destinations } = world.registering;
    const revision = (await destinations.get("acct_1"))?.revision ?? "";
    await Promise.all([
      patch({ prefix: "at-once/" }),
      patch({ compression: "none" }),
      destinations.report("acct_1", revision, { outcome: "failed", error: "AccessDenied" }),
    ]);

    expect((await get()).body).toMatchObject({ prefix: "at-once/", compression: "none" });
  });
});

describe("DELETE /v1/s3_destination", () => {
  it("deletes the destination and ends its pending exports", async () => {
    await put();
    const { status, body } = await call(deleteDestinationRoute);

    expect(status).toBe(200);
    expect(body).toEqual({ object: "s3_destination", deleted: true });
    expect(safeParse(deletedDestinationResponse, body).success).toBe(true);
    expect(world.wakeUps).toEqual([destinationTarget("acct_1")]);
    await expect(get()).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(call(deleteDestinationRoute)).rejects.toMatchObject({
      code: "NOT_FOUND",
      status: 404,
    });
  });

  it("does not delete another account's destination", async () => {
    await put();

    await expect(call(deleteDestinationRoute, { accountId: "acct_2" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    expect((await get()).status).toBe(200);
  });
});

describe("POST /v1/s3_destination/test", () => {
  it("writes and deletes a check object, and clears the last error", async () => {
    await put();
    await failThreeTimes("SlowDown");
    expect((await get()).body).toMatchObject({ status: "failing", last_error: "SlowDown" });

    const { status, body } = await call(testDestinationRoute);

    expect(status).toBe(200);
    expect(body).toEqual({
      object: "s3_destination_test",
      ok: true,
      error: null,
      param: null,
      message: null,
      duration_ms: 0,
    });
    expect(safeParse(destinationTestResponse, body).success).toBe(true);
    expect((await get()).body).toMatchObject({ status: "active", last_error: null });
    expect(await objectsLeft()).toEqual([]);
  });

  it("returns 200 for an unusable bucket, and stores the error", async () => {
    await put({ endpoint: storeAt() });
    store.answer = (response) => {
      world.clock.advance(321);
      response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>");
    };
    const { status, body } = await call(testDestinationRoute);

    expect(status).toBe(200);
    expect(body).toEqual({
      object: "s3_destination_test",
      ok: false,
      error: "AccessDenied",
      param: "bucket",
      message: expect.stringMatching(/^Writing .* failed: AccessDenied. Allow .*s3:PutObject on/),
      duration_ms: 321,
    });
    expect(safeParse(destinationTestResponse, body).success).toBe(true);
    expect((await get()).body).toMatchObject({ status: "active", last_error: "AccessDenied" });
  });

  it("returns 404 if the account has no destination", async () => {
    await expect(call(testDestinationRoute)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("GET /v1/s3_destination/exports", () => {
  const states = ["done", "failed", "pending"] as const;
  const exportAt = (n: number, accountId = "acct_1") => {
    const createdAt = new Date(Date.parse("2026-11-20T09:00:00.000Z") + n * 1_000).toISOString();
    const runId = `wlrun_${n}`;
    const id = derivedIdAt("export", new Date(createdAt), runId);
    const fresh = newExport({ id, runId, watchlistId: "wl_1", runNumber: n, createdAt });
    const record = { ...fresh, state: states[n % 3] ?? "pending" };
    const { Put } = exportWrite(world.tableName, accountId, record);
    return Put?.Item ?? {};
  };
  const keep = async (count: number, accountId?: string) => {
    for (let n = 0; n < count; n += 1) {
      const Item = exportAt(n, accountId);
      await world.client.send(new PutCommand({ TableName: world.tableName, Item }));
    }
  };
  const list = async (query: Record<string, string> = {}) => {
    const { body } = await call(listExportsRoute, { query: parse(exportsQuery, query) });
    return parse(exportsResponse, body);
  };

  it("lists exports newest first, and each export once over all pages", async () => {
    await keep(7);
    await keep(2, "acct_2");
    const seen: (number | null)[] = [];
    let page = await list({ limit: "3" });
    for (let pages = 0; pages < 5; pages += 1) {
      seen.push(...page.data.map((entry) => entry.run_number));
      if (page.next_starting_after === null) break;
      expect(page.has_more).toBe(true);
      page = await list({ limit: "3", starting_after: page.next_starting_after });
    }

    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0]);
    expect(page).toMatchObject({ has_more: false, next_starting_after: null });
  });

  it("lists exports with the status of the destination, which is null without a destination", async () => {
    await keep(1);
    expect(await list()).toMatchObject({ data: [{ run_number: 0 }], destination_status: null });
    await put();
    expect(await list()).toMatchObject({ data: [{}], destination_status: "active" });
    await patch({ enabled: false });
    expect(await list()).toMatchObject({ destination_status: "disabled" });
  });

  it("filters exports by state", async () => {
    await keep(7);
    const first = await list({ state: "failed", limit: "1" });
    const second = await list({
      state: "failed",
      limit: "1",
      starting_after: first.next_starting_after ?? "",
    });

    expect(first.data.map((entry) => entry.run_number)).toEqual([4]);
    expect(second.data.map((entry) => entry.run_number)).toEqual([1]);
    expect((await list({ state: "done" })).data).toHaveLength(3);
  });

  const listA = derivedIdAt("watchlist", new Date(startedAt), "a");
  const listB = derivedIdAt("watchlist", new Date(startedAt), "b");
  const timeOf = (seconds: number) =>
    new Date(Date.parse(startedAt) + seconds * 1_000).toISOString();
  const publish = (n: number, seconds = n) =>
    world.publish(
      aRun(["watchlist.run.completed"], {
        runId: `wlrun_${n}`,
        runNumber: n,
        watchlistId: n % 2 === 0 ? listA : listB,
        happenedAt: timeOf(seconds),
      }),
    );
  const pagesOf = async (query: Record<string, string>) => {
    const found: Awaited<ReturnType<typeof list>>["data"] = [];
    for (let after: Record<string, string> = {}; ;) {
      const page = await list({ ...query, ...after });
      found.push(...page.data);
      if (page.next_starting_after === null) return found;
      after = { starting_after: page.next_starting_after };
    }
  };
  const numbersOf = (exports: readonly { run_number: number | null }[]) =>
    exports.map((entry) => entry.run_number);

  it("lists an export as 'pending' as soon as its run is published, before any attempt", async () => {
    await world.setDestination("acct_1");
    await publish(2);

    const page = await list();

    expect(page).toMatchObject({ has_more: false, next_starting_after: null });
    expect(page.data).toMatchObject([
      {
        run_id: "wlrun_2",
        watchlist_id: listA,
        run_number: 2,
        state: "pending",
        objects: 0,
        bytes: 0,
        attempt_count: 0,
        last_error: null,
        next_attempt_at: timeOf(2),
        created_at: timeOf(2),
      },
    ]);
    expect((await list({ state: "pending" })).data).toEqual(page.data);
    expect((await list({ state: "done" })).data).toEqual([]);
    world.clock.set(timeOf(3));
    await world.work();
    const done = await list();
    expect(done.data).toMatchObject([{ id: page.data[0]?.id, state: "done", attempt_count: 1 }]);
    expect((await list({ state: "pending" })).data).toEqual([]);
  });

  it("lists an export with the same compression and state after the run of the export is published again", async () => {
    await world.setDestination("acct_1", { compression: "none" });
    await publish(2);
    world.clock.set(timeOf(3));
    await world.work();
    const before = await list();
    await world.setDestination("acct_1", { compression: "gzip" });
    await publish(2);

    expect(await list()).toEqual(before);
    expect((await list({ state: "pending" })).data).toEqual([]);
    const id = before.data[0]?.id ?? "";
    expect(await world.exporting.exports.get("acct_1", id)).toMatchObject({
      state: "done",
      compression: "none",
    });
  });

  it.each(["1", "2", "3", "100"])(
    "lists each attempted or pending export once over all pages, with at most %s exports per page",
    async (limit) => {
      await world.setDestination("acct_1");
      for (const n of [1, 2, 3, 4]) await publish(n);
      world.clock.set(timeOf(5));
      await world.work();
      // The runs are not published in the order of their times, and three runs have the same time.
      for (const n of [8, 6, 7, 9]) await publish(n, n === 6 ? 6 : 20);

      const found = await pagesOf({ limit });

      const ids = found.map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted().toReversed());
      expect(new Set(numbersOf(found))).toEqual(new Set([1, 2, 3, 4, 6, 7, 8, 9]));
      expect(ids).toHaveLength(8);
      expect(numbersOf(found.slice(3))).toEqual([6, 4, 3, 2, 1]);
      expect(await pagesOf({ limit, state: "pending" })).toEqual(found.slice(0, 4));
    },
  );

  it.each(["1", "2", "100"])(
    "filters attempted and pending exports by 'since' and 'watchlist_id', with at most %s exports per page",
    async (limit) => {
      await world.setDestination("acct_1");
      for (const n of [1, 2, 3, 4]) await publish(n);
      world.clock.set(timeOf(5));
      await world.work();
      for (const n of [6, 7, 8, 9]) await publish(n);

      const numbers = async (query: Record<string, string>) =>
        numbersOf(await pagesOf({ ...query, limit }));

      expect(await numbers({ since: timeOf(4) })).toEqual([9, 8, 7, 6, 4]);
      expect(await numbers({ watchlist_id: listB })).toEqual([9, 7, 3, 1]);
      expect(await numbers({ watchlist_id: listA, since: timeOf(3) })).toEqual([8, 6, 4]);
      expect(await numbers({ since: timeOf(3), state: "done" })).toEqual([4, 3]);
      expect(await numbers({ since: "2026-11-20T11:00:08+01:00" })).toEqual([9, 8]);
      expect(await numbers({ since: timeOf(10) })).toEqual([]);
    },
  );

  it("returns an empty list to an account that exported nothing", async () => {
    expect(await list()).toEqual({
      object: "list",
      data: [],
      destination_status: null,
      has_more: false,
      next_starting_after: null,
    });
  });

  it.each([
    { limit: "0" },
    { limit: "101" },
    { state: "open" },
    { since: "yesterday" },
    { watchlist_id: "we_1" },
  ])("returns 400 for the query %j", (query) => {
    expect(safeParse(exportsQuery, query).success).toBe(false);
  });

  it("returns 400 for a cursor that is not the ID of an export", () => {
    const { success, issues } = safeParse(exportsQuery, { starting_after: "we_1" });
    expect(success).toBe(false);
    expect(issues?.[0].message).toBe(
      `'starting_after' must be the ID of an export, which begins with exp_ (got "we_1").`,
    );
  });
});

describe("POST /v1/s3_destination/backfill", () => {
  const backfill = (body: Record<string, unknown>) =>
    call(backfillRoute, { body: parse(backfillBody, body) });
  const since = "2026-11-19T00:00:00+01:00";

  it("adds the time span to the destination's outbox and sends a wake-up message", async () => {
    await put();
    const { status, body } = await backfill({ since });

    expect(status).toBe(202);
    const until = world.clock.now().toISOString();
    expect(body).toEqual({ object: "s3_backfill", since: "2026-11-18T23:00:00.000Z", until });
    expect(safeParse(backfillResponse, body).success).toBe(true);
    const target = destinationTarget("acct_1");
    expect(world.wakeUps).toEqual([target]);
    expect(await world.outbox.entries(target, { lane: "first", by: null, limit: 9 })).toEqual([
      {
        lane: "first",
        dueAt: until,
        key: `backfill#2026-11-18T23:00:00.000Z#${until}`,
        content: { kind: "backfill", since: "2026-11-18T23:00:00.000Z", until, after: null },
      },
    ]);
  });

  it("returns 202 even if the wake-up message cannot be sent", async () => {
    await put();
    Object.assign(world.registering, {
      queue: { send: () => Promise.reject(new Error("down")) },
    });

    expect((await backfill({ since })).status).toBe(202);
  });

  it.each([
    ["since", { since: "2026-10-21T09:59:59Z" }],
    ["since", { since, until: since }],
    ["since", { since: "2026-11-20T11:00:00Z" }],
    ["until", { since, until: "2026-11-20T10:00:01Z" }],
  ])("returns 400 that names the parameter '%s' for the time span %j", async (param, body) => {
    await put();
    await expect(backfill(body)).rejects.toMatchObject(invalid(param));
  });

  it("returns 404 without a destination, and 409 while the destination is disabled", async () => {
    await expect(backfill({ since })).rejects.toMatchObject({ code: "NOT_FOUND", status: 404 });
    await put({ enabled: false });
    await expect(backfill({ since })).rejects.toMatchObject({ code: "CONFLICT", status: 409 });
  });

  it.each([
    {},
    { since: 7 },
    { since: "yesterday" },
    { since: "2026-11-19" },
    { since: "2026-13-01T00:00:00Z" },
  ])("returns 400 for the body %j", (body) => {
    expect(safeParse(backfillBody, body).success).toBe(false);
  });
});

describe("calls that probe an S3 store", () => {
  const { max, seconds } = limits.probes;
  const limited = { code: "RATE_LIMITED", status: 429, details: { retryAfterSeconds: seconds } };

  it("are admitted up to the account's limit while the store does not respond, and other accounts are not affected", async () => {
    const held: (() => void)[] = [];
    store.answer = (response, request) => {
      held.push(() => answerAsStore(response, request));
    };
    const calls = Array.from({ length: 40 }, () => put({ endpoint: storeAt() }));
    const refused: unknown[] = [];
    await new Promise<void>((resolve) => {
      for (const started of calls) {
        started.catch((error: unknown) => {
          if (refused.push(error) === 40 - max) resolve();
        });
      }
    });

    for (const error of refused) expect(error).toMatchObject(limited);
    const body = parse(destinationBody, aBody());
    expect((await call(putDestinationRoute, { body, accountId: "acct_2" })).status).toBe(201);

    store.answer = answerAsStore;
    for (const answer of held) answer();
    await Promise.allSettled(calls);
    expect(store.requests.filter(({ method }) => method === "PUT")).toHaveLength(max);
  });

  it("include PUT, PATCH and test calls, even if the API then refuses the call", async () => {
    await put();
    for (let n = 1; n < max - 2; n += 1) {
      await expect(put({ endpoint: "https://10.0.0.1" })).rejects.toMatchObject(
        invalid("endpoint"),
      );
    }
    await patch({ compression: "none" });
    await call(testDestinationRoute);

    await expect(put()).rejects.toMatchObject(limited);
    await expect(patch({ compression: "gzip" })).rejects.toMatchObject(limited);
    await expect(call(testDestinationRoute)).rejects.toMatchObject(limited);
    expect((await get()).body).toMatchObject({ compression: "none" });
    world.clock.advance(seconds * 1_000);
    expect((await put()).status).toBe(200);
  });
});

describe("the request body of an S3 destination", () => {
  it.each([
    { bucket: "Shop" },
    { bucket: "a" },
    { bucket: "shop/../x" },
    { bucket: "arn:aws:s3:us-east-1:1:accesspoint/x" },
    { region: "us-east-1.shop-example.com" },
    { region: "-" },
    { prefix: "/shop" },
    { prefix: "a/../b/" },
    { prefix: "a//b/" },
    { prefix: "caf\u00e9/" },
    { prefix: "x".repeat(501) },
    { auth: "roles" },
    { role_arn: "arn:aws:iam::123456789012:user/x" },
    { role_arn: "arn:aws:iam::12345678901:role/x" },
    { role_arn: "arn:aws:iam::123456789012:role/" },
    { access_key_id: "" },
    { secret_access_key: "with\nline" },
    { compression: "zip" },
    { endpoint: 7 },
    { enabled: "yes" },
  ])("is refused if it contains the invalid value %j", (wanted) => {
    for (const schema of [destinationBody, destinationPatchBody] as GenericSchema[]) {
      expect(safeParse(schema, { ...aBody(), ...wanted }).success).toBe(false);
    }
  });

  it.each([
    ["", ""],
    ["shop", "shop/"],
    ["shop/", "shop/"],
    ["a/b", "a/b/"],
    ["A-Z_09!.*'()=-/x/", "A-Z_09!.*'()=-/x/"],
    ["x".repeat(500), `${"x".repeat(500)}/`],
  ])(
    "may have the prefix %j, and the service stores this prefix with a final slash",
    (prefix, shown) => {
      expect(parse(destinationBody, { ...aBody(), prefix })).toMatchObject({ prefix: shown });
      expect(parse(destinationPatchBody, { prefix })).toEqual({ prefix: shown });
    },
  );

  it.each([
    "arn:aws:iam::123456789012:role/x",
    "arn:aws-cn:iam::123456789012:role/a/b/x_y+=,.@-",
    "arn:aws-us-gov:iam::123456789012:role/x",
  ])("may have the role '%s'", (role_arn) => {
    expect(safeParse(destinationPatchBody, { role_arn }).success).toBe(true);
  });
});

describe("GET /v1/s3_destination", () => {
  it("returns 404 to an account without a destination", async () => {
    await put();

    await expect(get("acct_2")).rejects.toMatchObject({ code: "NOT_FOUND", status: 404 });
  });
});
