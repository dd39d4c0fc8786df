import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ServiceError } from "../../../shared/base/errors.ts";
import { parse } from "valibot";
import { destinationBody } from "../../../shared/exports/destination-body.ts";
import { putDestination } from "../../../shared/exports/put-destination.ts";
import { testDestination } from "../../../shared/exports/test-destination.ts";
import { type ExportWorld, startExportWorld } from "../../support/export-world.ts";
import { type Receiver, startReceiver } from "../../support/receiver.ts";
import { type SignedStore, startSignedStore } from "../../support/signed-store.ts";
import { answerAsStore, refuseAsStore } from "../../support/store-answers.ts";

const account = "acct_1";
const secret = "customer-secret-key";

let base: Awaited<ReturnType<typeof startExportWorld>>;
let world: ExportWorld;
/** A store that accepts every write until a test replaces its `answer`. */
let server: Receiver;
/** A store that accepts only requests that are signed with the secret for its region. */
let signed: SignedStore;
beforeAll(async () => {
  base = await startExportWorld();
  server = await startReceiver();
  signed = await startSignedStore({ secretAccessKey: secret, region: "eu-central-1" });
});
afterAll(async () => {
  await Promise.all([server.stop(), signed.stop()]);
  await base.stop();
});
beforeEach(async () => {
  world = await base.open();
  server.requests.length = 0;
  server.answer = answerAsStore;
});

const at = ({ port }: { readonly port: number }): string => `http://127.0.0.1:${port}`;

function put(wanted: Record<string, unknown> = {}) {
  const body = parse(destinationBody, {
    bucket: "acme",
    region: "eu-central-1",
    endpoint: at(server),
    prefix: "shop",
    access_key_id: "AKIACUSTOMER",
    secret_access_key: secret,
    ...wanted,
  });
  const request = {
    accountId: account,
    wanted: body,
    now: world.clock.now(),
    own: { hosts: [], apiId: null },
  };
  return putDestination(request, world.registering);
}

/** Returns the field and the message of the error that refuses a destination. */
async function refusalOf(wanted: Record<string, unknown> = {}) {
  const refused = await put(wanted).catch((error: unknown) => error);
  if (!(refused instanceof ServiceError)) throw new Error("The destination was not refused.");
  expect(refused.status).toBe(400);
  expect(await world.destination(account)).toBeNull();
  return { param: refused.details.param, message: refused.message };
}

const kmsDenied =
  "<Message>User: arn:aws:iam::123456789012:user/x is not authorized to perform: " +
  "kms:GenerateDataKey on resource: arn:aws:kms:eu-central-1:123456789012:key/1</Message>";

describe("setting an S3 destination", () => {
  it.each([
    {
      what: "a KMS key that is disabled",
      answer: refuseAsStore(400, "KMS.DisabledException"),
      param: "bucket",
      message: /KMS\.DisabledException.*disabled.*Enable the key/,
    },
    {
      what: "a KMS key that does not exist",
      answer: refuseAsStore(400, "KMS.NotFoundException"),
      param: "bucket",
      message: /KMS\.NotFoundException.*does not exist/,
    },
    {
      what: "a KMS key in another unusable state",
      answer: refuseAsStore(400, "KMS.KMSInvalidStateException"),
      param: "bucket",
      message: /KMS\.KMSInvalidStateException.*cannot be used/,
    },
    {
      what: "a missing permission kms:GenerateDataKey",
      answer: refuseAsStore(403, "AccessDenied", kmsDenied),
      param: "access_key_id",
      message: /Allow kms:GenerateDataKey on the KMS key/,
    },
    {
      what: "a missing permission s3:PutObject",
      answer: refuseAsStore(403, "AccessDenied"),
      param: "bucket",
      message: /AccessDenied.*Allow .*s3:PutObject on 'acme\/shop\/\*' and s3:DeleteObject/,
    },
    {
      what: "a wrong region when the store returns the right one",
      answer: refuseAsStore(400, "AuthorizationHeaderMalformed", "<Region>us-west-2</Region>"),
      param: "region",
      message: /The bucket is in 'us-west-2'\. Set 'region' to this value/,
    },
    {
      what: "a wrong region when the store returns no region",
      answer: refuseAsStore(301, "PermanentRedirect"),
      param: "region",
      message: /probably in another region/,
    },
    {
      what: "an access key that is unknown to the store",
      answer: refuseAsStore(403, "InvalidAccessKeyId"),
      param: "access_key_id",
      message: /does not accept this access key.*'access_key_id' and 'endpoint'/,
    },
    {
      what: "a malformed header whose region is right",
      answer: refuseAsStore(400, "AuthorizationHeaderMalformed", "<Region>eu-central-1</Region>"),
      param: "access_key_id",
      message: /does not accept this access key/,
    },
    {
      what: "a wrong secret",
      answer: refuseAsStore(403, "SignatureDoesNotMatch"),
      param: "secret_access_key",
      message: /Check 'secret_access_key', then 'region'/,
    },
    {
      what: "a bucket that does not exist",
      answer: refuseAsStore(404, "NoSuchBucket"),
      param: "bucket",
      message: /There is no such bucket/,
    },
    {
      what: "a store that is busy",
      answer: refuseAsStore(503, "SlowDown"),
      param: "endpoint",
      message: /overloaded.*Retry later/,
    },
    {
      what: "an error code that is unknown to the service",
      answer: refuseAsStore(400, "TeapotException"),
      param: "bucket",
      message: /TeapotException\. See the documentation of the store/,
    },
  ])(
    "is refused for $what, and the error names the field to change",
    async ({ answer, param, message }) => {
      server.answer = answer;

      const refusal = await refusalOf();
      expect(refusal.param).toBe(param);
      expect(refusal.message).toMatch(message);
      expect(refusal.message).toMatch(/^Writing the check object .* Nothing was saved\.$/);
    },
  );

  it("fails with an error that names 'region' or 'secret_access_key' if the store refuses the signature", async () => {
    const endpoint = at(signed);
    expect((await refusalOf({ endpoint, region: "us-east-1" })).message).toContain("'region'");
    expect((await refusalOf({ endpoint, secret_access_key: "another" })).param).toBe(
      "secret_access_key",
    );
    expect((await put({ endpoint })).outcome).toBe("created");
  });

  it("fails with an error that names 'endpoint' if no server listens at its port", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));

    expect(await refusalOf({ endpoint: at({ port }) })).toMatchObject({
      param: "endpoint",
      message: expect.stringContaining("connection_failed. The store does not respond."),
    });
  });

  it.each([
    ["a page for every request", 200, "<html>Welcome</html>"],
    ["404 without a code", 404, "<html>Not found</html>"],
    ["405 without a code", 405, ""],
  ])(
    "fails with an error that names 'endpoint' if a web server at this address returns %s",
    async (_, status, page) => {
      server.answer = (response) => response.writeHead(status).end(page);

      expect(await refusalOf()).toMatchObject({
        param: "endpoint",
        message: expect.stringMatching(/store/),
      });
    },
  );

  it("fails with an error that names 'endpoint' if a server responds to every request like a successful write", async () => {
    server.answer = (response) =>
      response.writeHead(200, { ETag: '"d41d8cd98f00b204e9800998ecf8427e"' }).end();

    expect(await refusalOf()).toEqual({
      param: "endpoint",
      message:
        "Looking up an object that was never written failed: no_object_store. The server accepts any " +
        "request: it is not an S3-compatible store. Check 'endpoint'. Nothing was saved.",
    });
  });

  it("succeeds with an access key that may only write and delete objects", async () => {
    server.answer = (response, request) =>
      request.method === "HEAD" ? response.writeHead(403).end() : answerAsStore(response, request);

    expect((await put()).outcome).toBe("created");
    expect(new Set(server.requests.map(({ method }) => method))).toEqual(
      new Set(["PUT", "DELETE", "HEAD"]),
    );
  });

  it("succeeds with an S3-compatible store, and adds a slash to the end of the prefix", async () => {
    const created = await put({ endpoint: world.storeUrl, bucket: world.exportBucket });

    expect(created).toMatchObject({ outcome: "created", destination: { prefix: "shop/" } });
  });
});

describe("setting an S3 destination with a role", () => {
  const aRole = {
    endpoint: null,
    auth: "role",
    role_arn: "arn:aws:iam::123456789012:role/events",
    access_key_id: null,
    secret_access_key: null,
  };

  it("fails with an error that names 'region' if AWS has no STS host for the region", async () => {
    world.roles.answer = { outcome: "failed", reason: "name_not_resolved" };

    expect(await refusalOf({ ...aRole, region: "eu-wst-1" })).toMatchObject({
      param: "region",
      message: expect.stringContaining("AWS has no region 'eu-wst-1'"),
    });
  });

  it("fails with an error that names 'role_arn' if the role lacks kms:GenerateDataKey", async () => {
    const expiresAt = new Date("2026-11-20T11:00:00.000Z");
    const keys = { accessKeyId: "ASIA", secretAccessKey: "s", sessionToken: "t", expiresAt };
    world.roles.answer = { outcome: "assumed", credentials: keys };
    const { buckets } = world.registering;
    const open: typeof buckets.open = (access) =>
      buckets.open({ ...access, endpoint: at(server), forcePathStyle: true });
    Object.assign(world.registering, { buckets: { open } });
    server.answer = refuseAsStore(403, "AccessDenied", kmsDenied);

    expect(await refusalOf(aRole)).toMatchObject({
      param: "role_arn",
      message: expect.stringContaining("in the policy of the role"),
    });
  });
});

describe("a test of an S3 destination", () => {
  it("returns, like a refused change of the destination, an error that names the field and the correction", async () => {
    await put();
    server.answer = refuseAsStore(400, "KMS.DisabledException");

    const { ok, failure } = await testDestination(account, world.registering);
    expect(ok).toBe(false);
    expect(failure).toEqual({
      reason: "KMS.DisabledException",
      param: "bucket",
      message: expect.stringMatching(
        /^Writing .*Enable the key, or give the bucket another key\.$/,
      ),
    });
  });
});
