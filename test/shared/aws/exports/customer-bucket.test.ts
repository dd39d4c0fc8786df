import { once } from "node:events";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer, type LookupFunction } from "node:net";
import { GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { startFauxqs } from "fauxqs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type CustomerBucketOptions,
  s3CustomerBuckets,
} from "../../../../shared/aws/exports/customer-bucket.ts";
import type { BucketAccess, CustomerBucket } from "../../../../shared/exports/customer-bucket.ts";
import { addressPolicy } from "../../../../shared/outgoing/address-policy.ts";
import { customerBucketContract } from "../../../contracts/customer-bucket.contract.ts";
import { type Receiver, startReceiver } from "../../../support/receiver.ts";
import { selfSigned } from "../../../../tools/stand-ins/self-signed.ts";
import { answerAsStore } from "../../../support/store-answers.ts";
import { type SignedStore, startSignedStore } from "../../../support/signed-store.ts";

const policy = addressPolicy({ allowLoopback: true });
const object = { key: "a/k", bytes: Buffer.from("x"), contentType: "text/plain" };
const access: BucketAccess = {
  bucket: "shop",
  region: "us-east-1",
  endpoint: null,
  forcePathStyle: true,
  accessKeyId: "customer",
  secretAccessKey: "customer-secret",
};

const opened: CustomerBucket[] = [];
afterEach(() => {
  for (const bucket of opened.splice(0)) bucket.close();
});
function open(
  wanted: Partial<BucketAccess>,
  options: Partial<CustomerBucketOptions> = {},
): CustomerBucket {
  const bucket = s3CustomerBuckets({ policy, ...options }).open({ ...access, ...wanted });
  opened.push(bucket);
  return bucket;
}

/**
 * Returns a name server that resolves every name to this machine and records the requested names.
 */
function loopbackNames(): { readonly lookup: LookupFunction; readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    lookup: (hostname, _, callback) => {
      asked.push(hostname);
      callback(null, [{ address: "127.0.0.1", family: 4 }]);
    },
  };
}

describe("s3CustomerBuckets on an S3-compatible store", () => {
  let fauxqs: Awaited<ReturnType<typeof startFauxqs>>;
  let s3: S3Client;
  beforeAll(async () => {
    fauxqs = await startFauxqs({ port: 0, logger: false });
    fauxqs.createBucket("shop");
    const endpoint = `http://127.0.0.1:${fauxqs.port}`;
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    s3 = new S3Client({ endpoint, region: "us-east-1", credentials, forcePathStyle: true });
  });
  afterAll(async () => {
    s3.destroy();
    await fauxqs.stop();
  });

  customerBucketContract(() => ({
    open: (wanted) => open({ endpoint: `http://127.0.0.1:${fauxqs.port}`, ...wanted }),
    async keys() {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: "shop" }));
      return Contents.map(({ Key = "" }) => Key);
    },
    async read(Key) {
      const found = await s3.send(new GetObjectCommand({ Bucket: "shop", Key }));
      return {
        bytes: Buffer.from((await found.Body?.transformToByteArray()) ?? []),
        contentType: found.ContentType,
        contentEncoding: found.ContentEncoding,
      };
    },
  }));
});

describe("requests to an object store", () => {
  let store: SignedStore;
  const region = "eu-central-1";
  beforeAll(async () => {
    store = await startSignedStore({ secretAccessKey: access.secretAccessKey, region });
  });
  afterAll(() => store.stop());

  it.each([
    ["path style", { forcePathStyle: true, host: "127.0.0.1" }, "/shop"],
    ["virtual-host style", { forcePathStyle: false, host: "store.localhost" }, ""],
    [
      "a bucket with dots, path style",
      { host: "127.0.0.1", bucket: "my.shop.com" },
      "/my.shop.com",
    ],
  ])(
    "for object keys with special characters have a valid signature (%s)",
    async (_, { host, ...wanted }, path) => {
      const { lookup } = loopbackNames();
      const endpoint = `http://${host}:${store.port}`;
      const bucket = open({ endpoint, region, ...wanted }, { lookup });
      const keys = ["A-Z_09!.*'()=-/x/dt=2026-11-20/run=1/k.jsonl.gz", "_service_check", "a/b=c"];
      for (const key of keys) {
        expect(await bucket.put({ ...object, key }), key).toEqual({ outcome: "done" });
      }

      const name = path === "" ? `shop.${host}` : host;
      for (const key of keys) {
        expect([...store.objects.keys()]).toContain(`${name}:${store.port} ${path}/${key}`);
        expect(await bucket.delete(key)).toEqual({ outcome: "done" });
      }
      expect(store.complaints).toEqual([]);
    },
  );

  it("fail with the error code of the store if the secret is wrong", async () => {
    const endpoint = `http://127.0.0.1:${store.port}`;
    const bucket = open({ endpoint, region, secretAccessKey: "another" });

    expect(await bucket.put(object)).toEqual({
      outcome: "failed",
      reason: "SignatureDoesNotMatch",
    });
  });

  it.each([
    [{ bucket: "shop", forcePathStyle: false }, "shop.s3.eu-central-1.amazonaws.com"],
    [{ bucket: "shop", forcePathStyle: true }, "s3.eu-central-1.amazonaws.com"],
    [{ bucket: "my.shop.com", forcePathStyle: false }, "s3.eu-central-1.amazonaws.com"],
    [{ region: "us-east-1", forcePathStyle: false }, "shop.s3.us-east-1.amazonaws.com"],
    [{ region: "cn-north-1", forcePathStyle: false }, "shop.s3.cn-north-1.amazonaws.com.cn"],
  ])("with the settings %j go to the AWS host %s", async (wanted, host) => {
    const names = loopbackNames();
    const bucket = open({ region, ...wanted }, { lookup: names.lookup, policy: addressPolicy() });

    expect(await bucket.put(object)).toEqual({ outcome: "failed", reason: "address_refused" });
    expect(names.asked).toEqual([host]);
  });
});

describe("a write to an object store that misbehaves", () => {
  /** Longer than any request takes on a busy machine. */
  const patient = { connectMs: 60_000, totalMs: 60_000 };
  const impatient = { connectMs: 60_000, totalMs: 600 };
  let store: Receiver;
  beforeAll(async () => {
    store = await startReceiver();
  });
  afterAll(() => store.stop());
  beforeEach(() => {
    store.requests.length = 0;
  });
  const put = (wanted: Partial<BucketAccess> = {}, times = patient) =>
    open({ endpoint: `http://127.0.0.1:${store.port}`, ...wanted }, { times }).put(object);
  const failed = (reason: string) => ({ outcome: "failed", reason });
  const xml = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;

  it.each([
    [403, "AccessDenied"],
    [403, "SignatureDoesNotMatch"],
    [404, "NoSuchBucket"],
    [400, "AuthorizationHeaderMalformed"],
    [301, "PermanentRedirect"],
    [307, "TemporaryRedirect"],
    [503, "SlowDown"],
    [500, "InternalError"],
    [400, "KMS.DisabledException"],
  ])(
    "fails without a retry after the response %i %s, and reports this error code",
    async (status, code) => {
      store.answer = (response) =>
        response.writeHead(status, { Location: `http://127.0.0.1:${store.port}/x` }).end(xml(code));

      expect(await put()).toEqual(failed(code));
      expect(store.requests).toHaveLength(1);
    },
  );

  it.each([301, 302, 307, 403, 404, 500, 503])(
    "fails with the HTTP status if the response has no error code: %i",
    async (status) => {
      store.answer = (response) => response.writeHead(status, { Location: "/elsewhere" }).end();

      const outcome = await put();
      expect(outcome).toMatchObject({ outcome: "failed" });
      expect(JSON.stringify(outcome)).toMatch(/status_\d+|NotFound|Forbidden|AccessDenied/);
      expect(store.requests).toHaveLength(1);
    },
  );

  it.each([
    ["HTML", "<html><body>Bad gateway</body></html>"],
    ["JSON", "{}"],
    ["200,000 letters", "x".repeat(200_000)],
    ["an error code with a space", "<Error><Code>call 555</Code></Error>"],
  ])(
    "fails with only the status, and without text of the response, if the store sends %s",
    async (_, body) => {
      store.answer = (response) => response.writeHead(502).end(body);

      expect(await put()).toEqual(failed("status_502"));
    },
  );

  it.each([
    { status: 400, headers: {}, xml: "<Region>eu-west-1</Region>", named: { region: "eu-west-1" } },
    {
      status: 301,
      headers: { "x-amz-bucket-region": "eu-central-1" },
      xml: "",
      named: { region: "eu-central-1" },
    },
    { status: 301, headers: { "x-amz-bucket-region": "<b>" }, xml: "", named: {} },
    { status: 400, headers: {}, xml: "<Region>Somewhere else</Region>", named: {} },
  ])(
    "reports the bucket's region in the failure only if the response names a valid region: response %j",
    async ({ status, headers, xml: region, named }) => {
      store.answer = (response) =>
        response
          .writeHead(status, headers)
          .end(`<Error><Code>AuthorizationHeaderMalformed</Code>${region}</Error>`);

      expect(await put()).toEqual({ ...failed("AuthorizationHeaderMalformed"), ...named });
    },
  );

  it("fails with kms_generate_data_key_denied if the store denies the use of the bucket's KMS key", async () => {
    const message =
      "User: arn:aws:iam::123456789012:user/x is not authorized to perform: kms:GenerateDataKey on " +
      "resource: arn:aws:kms:us-east-1:123456789012:key/1 because no identity-based policy allows the kms:GenerateDataKey action";
    store.answer = (response) =>
      response
        .writeHead(403)
        .end(`<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`);

    expect(await put()).toEqual(failed("kms_generate_data_key_denied"));
  });

  it("fails with no_object_store if the store returns 200 without an ETag", async () => {
    store.answer = (response) => response.end("<html>Welcome</html>");

    expect(await put()).toEqual(failed("no_object_store"));
  });

  it("times out if the store sends no response", async () => {
    store.answer = () => {};

    expect(await put({}, impatient)).toEqual(failed("timeout"));
  });

  it("fails at its time limit if the store sends its response byte by byte", async () => {
    store.answer = (response) => {
      response.writeHead(500);
      const timer = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(timer));
    };

    expect(await put({}, impatient)).toMatchObject({ outcome: "failed" });
  });

  it("reads only the start of an endless response", async () => {
    const closed = Promise.withResolvers<void>();
    store.answer = (response) => {
      const pump = () => {
        while (response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", pump).on("close", closed.resolve);
      response.writeHead(500);
      pump();
    };

    expect(await put()).toEqual(failed("status_500"));
    await closed.promise;
  });

  it("fails with connection_failed if the store resets the connection", async () => {
    store.answer = (response) => response.destroy();

    expect(await put()).toEqual(failed("connection_failed"));
  });

  it("fails with connection_failed if the store accepts no connection", async () => {
    const { port } = store;
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const free = (closed.address() as AddressInfo).port;
    await new Promise((resolve) => closed.close(resolve));

    expect(free).not.toBe(port);
    expect(await put({ endpoint: `http://127.0.0.1:${free}` })).toEqual(
      failed("connection_failed"),
    );
  });

  it("fails with tls_failed if the store's certificate is not trusted", async () => {
    const server = createTlsServer(selfSigned, (_, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;

    expect(await put({ endpoint: `https://localhost:${port}` })).toEqual(failed("tls_failed"));
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it("opens no connection if the store's host name resolves to a refused address at the time of the write", async () => {
    const names = loopbackNames();
    const bucket = open(
      { endpoint: "https://store.shop-example.com" },
      { lookup: names.lookup, policy: addressPolicy() },
    );

    expect(await bucket.put(object)).toEqual(failed("address_refused"));
    expect(await bucket.delete("k")).toEqual(failed("address_refused"));
  });
});

describe("an opened customer bucket", () => {
  it("uses its connection again for the next object, and never shares the connection with another bucket", async () => {
    const store = await startReceiver();
    store.answer = answerAsStore;
    const endpoint = `http://127.0.0.1:${store.port}`;
    const first = open({ endpoint });
    for (let n = 0; n < 5; n += 1) await first.put(object);
    expect(store.connections()).toBe(1);

    await open({ endpoint }).put(object);
    expect(store.connections()).toBe(2);
    await store.stop();
  });
});
