import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Sha256 } from "@smithy/core/checksum";
import { SignatureV4 } from "@smithy/signature-v4";
import { describe, expect, it, onTestFinished } from "vitest";
import { s3Store } from "../../../clients/typescript/source/index.ts";

const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG" };

/** Returns the authorization that the signer of the AWS SDK calculates for a request. */
async function authorizationOf(
  { host, path, headers }: Received,
  sessionToken: string | undefined,
): Promise<string | undefined> {
  const [pathname = "", search = ""] = path.split("?");
  const signer = new SignatureV4({
    service: "s3",
    region: "eu-central-1",
    credentials: { ...keys, ...(sessionToken !== undefined && { sessionToken }) },
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: true,
  });
  const [, ...time] = /^(....)(..)(..T..)(..)(..Z)$/.exec(String(headers["x-amz-date"])) ?? [];
  const signed = await signer.sign(
    {
      method: "GET",
      protocol: "http:",
      hostname: host,
      path: pathname,
      query: Object.fromEntries(new URLSearchParams(search)),
      headers: { host },
    },
    { signingDate: new Date(`${time[0]}-${time[1]}-${time[2]}:${time[3]}:${time[4]}`) },
  );
  return signed.headers["authorization"];
}

interface Received {
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Starts a store that gives the same answer to every request. */
async function startStore(status: number, body: string) {
  const received: Received[] = [];
  const server = createServer(({ headers, url = "" }, response) => {
    received.push({ host: headers.host ?? "", path: url, headers });
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

const listing = "<ListBucketResult><Key>shop/a&amp;b</Key></ListBucketResult>";

describe("the S3 client of the export reader", () => {
  it.each([undefined, "a/session+token=="])(
    "signs each request exactly like the AWS SDK (session token: %s)",
    async (sessionToken) => {
      const { endpoint, received } = await startStore(200, listing);
      const options = { bucket: "my-bucket", region: "eu-central-1", endpoint, ...keys };
      const store = s3Store({ ...options, ...(sessionToken !== undefined && { sessionToken }) });

      expect(await Array.fromAsync(store.keys("shop/v=2 (ä)/+*'!~"))).toEqual(["shop/a&b"]);
      for (const key of ["a/dt=2026-11-23/x.gz", "a b+c/ä'(1)*!~.gz", "a%2Fb"])
        await store.read(key);

      expect(received).toHaveLength(4);
      for (const request of received)
        expect(request.headers["authorization"], request.path).toBe(
          await authorizationOf(request, sessionToken),
        );
    },
  );

  it("throws an error with the code and the message of an S3 error", async () => {
    const text = "The specified bucket does not exist";
    const { endpoint } = await startStore(
      404,
      `<Error><Code>NoSuchBucket</Code><Message>${text}</Message></Error>`,
    );
    const store = s3Store({ bucket: "none", endpoint, ...keys });
    await expect(Array.fromAsync(store.keys(""))).rejects.toThrow(
      `HTTP status 404 for ${endpoint}/none/?list-type=2&prefix=: NoSuchBucket: ${text}`,
    );
  });

  it("throws an error with the HTTP status if an S3 error is not XML", async () => {
    const { endpoint } = await startStore(502, "Bad gateway");
    const store = s3Store({ bucket: "none", endpoint, ...keys });
    await expect(store.read("a")).rejects.toThrow(`HTTP status 502 for ${endpoint}/none/a.`);
  });
});
