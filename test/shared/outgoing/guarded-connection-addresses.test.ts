import { execFile } from "node:child_process";
import type { Socket } from "node:net";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ConnectionOptions,
  guardedConnection,
} from "../../../shared/outgoing/guarded-connection.ts";
import { addressPolicy, isPublicAddress } from "../../../shared/outgoing/address-policy.ts";
import { requirePublicUrl } from "../../../shared/outgoing/public-url.ts";
import { parsePublicUrl } from "../../../shared/outgoing/url.ts";
import { nameServer } from "../../support/name-server.ts";
import { selfSigned } from "../../../tools/stand-ins/self-signed.ts";
import { testAuthority } from "../../support/test-certificates.ts";
import {
  startTcpServer,
  startTlsReceiver,
  type TlsReceiver,
  wire,
} from "../../support/tls-receiver.ts";

const strict = addressPolicy();
const rules = { policy: strict, own: { hosts: [], apiId: null } };
const refused = { outcome: "failed", error: "address_refused", sent: false };

let receiver: TlsReceiver;
beforeAll(async () => {
  receiver = await startTlsReceiver();
});
afterAll(() => receiver.stop());

async function post(url: string, options: Partial<ConnectionOptions> = {}) {
  const connection = guardedConnection({
    policy: strict,
    answerBytesMax: 1_024,
    certificateAuthorities: testAuthority,
    ...options,
  });
  const body = Buffer.from("secret");
  try {
    return await connection.exchange({ url: new URL(url), method: "POST", headers: {}, body });
  } finally {
    connection.close();
  }
}

const named = (): string => `https://receiver.hooks-example.com:${receiver.port}/`;

describe("a delivery to a URL with an IP address", () => {
  it.each(["127.0.0.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254", "10.0.0.1"])(
    "opens no connection to the address %s",
    async (host) => {
      const before = receiver.connections();

      expect(await post(`https://${host}:${receiver.port}/`)).toEqual(refused);

      expect(receiver.connections()).toBe(before);
    },
  );

  it("is refused if the scheme is not https, except http on the local server", async () => {
    const { lookup, asked } = nameServer(["8.8.8.8"]);

    expect(await post("http://receiver.hooks-example.com/", { lookup })).toEqual(refused);
    expect(await post("ftp://receiver.hooks-example.com/", { lookup })).toEqual(refused);
    const policy = addressPolicy({ allowLoopback: true });
    expect(await post("ftp://receiver.hooks-example.com/", { lookup, policy })).toEqual(refused);
    expect(asked()).toBe(0);
  });
});

describe("a delivery to a URL with a host name", () => {
  it.each([
    [["127.0.0.1"]],
    [["::1"]],
    [["::ffff:127.0.0.1"]],
    [["8.8.8.8", "127.0.0.1"]],
    [["127.0.0.1", "8.8.8.8"]],
    [["2606:4700::1111", "127.0.0.1", "8.8.8.8"]],
    [["not an address"]],
  ])("opens no connection if the name resolves to %o", async (addresses) => {
    const before = receiver.connections();

    expect(await post(named(), { lookup: nameServer(addresses).lookup })).toEqual(refused);

    expect(receiver.connections()).toBe(before);
  });

  it("fails with the error name_not_resolved if the name does not exist", async () => {
    const exchange = await post(named(), { lookup: nameServer([]).lookup });

    expect(exchange).toEqual({ outcome: "failed", error: "name_not_resolved", sent: false });
  });

  it("is refused if the name resolves to a private address, even if it resolved to a public one at registration", async () => {
    const before = receiver.connections();
    const { lookup, resolver } = nameServer(["8.8.8.8"], ["127.0.0.1"]);

    const url = await requirePublicUrl({ param: "url", value: named() }, rules, resolver);
    expect(await post(url, { lookup })).toEqual(refused);

    expect(receiver.connections()).toBe(before);
  });

  it("is refused at registration if the name does not resolve to a public address", async () => {
    const { resolver } = nameServer(["127.0.0.1"], ["8.8.8.8"]);

    await expect(
      requirePublicUrl({ param: "url", value: named() }, rules, resolver),
    ).rejects.toThrow("resolves to an address that is not public");
  });

  it("resolves and checks the name again for every new socket", async () => {
    const policy = { allowLoopback: false, allows: (address: string) => address === "127.0.0.1" };
    const { lookup, asked } = nameServer(["127.0.0.1"], ["127.0.0.1", "10.0.0.1"]);
    receiver.answer = (socket) => socket.write(wire(200, { Connection: "close" }));
    const connection = guardedConnection({
      policy,
      lookup,
      answerBytesMax: 1,
      certificateAuthorities: testAuthority,
    });
    const url = new URL(named());
    const request = { url, method: "POST", headers: {}, body: Buffer.of() };
    const before = receiver.connections();

    expect(await connection.exchange(request)).toMatchObject({ outcome: "answered", status: 200 });
    expect(await connection.exchange(request)).toEqual(refused);

    expect(asked()).toBe(2);
    expect(receiver.connections()).toBe(before + 1);
  });

  it("connects to the next address if the first one does not respond", async () => {
    const policy = addressPolicy({ allowLoopback: true });
    receiver.answer = (socket) => socket.write(wire(200));
    // No server listens at the first address.
    const { lookup } = nameServer(["127.0.0.2", "127.0.0.1"]);

    expect(await post(named(), { policy, lookup })).toMatchObject({ status: 200 });
  });
});

describe("a connection that bypasses the guard's lookup", () => {
  it.each(["https", "http"])(
    "sends no byte over the scheme %s to an address that the policy refuses",
    async (scheme) => {
      let bytes = 0;
      const ended: Promise<unknown>[] = [];
      const server = await startTcpServer((socket: Socket) => {
        socket.on("data", (chunk) => {
          bytes += chunk.length;
        });
        ended.push(new Promise((resolve) => socket.on("close", resolve)));
      });
      // The policy allows the address in the URL, but rejects every address that it checks later.
      const answers = [true, false];
      const asked: string[] = [];
      const policy = {
        allowLoopback: true,
        allows(address: string) {
          asked.push(address);
          return answers[asked.length - 1] ?? false;
        },
      };

      expect(await post(`${scheme}://127.0.0.1:${server.port}/`, { policy })).toEqual(refused);

      expect(asked).toEqual(["127.0.0.1", "127.0.0.1"]);
      await Promise.all(ended);
      expect(bytes).toBe(0);
      await server.stop();
    },
  );
});

describe("environment variables of a function", () => {
  it("cannot set a proxy for deliveries, and cannot disable the check of certificates", async () => {
    const untrusted = await startTlsReceiver(selfSigned);
    const proxy = await startTcpServer((socket) => socket.destroy());
    const address = `http://127.0.0.1:${proxy.port}`;
    const module = new URL("../../../shared/outgoing/guarded-connection.ts", import.meta.url);
    const script = `
      const { guardedConnection } = await import("${module.href}");
      const policy = { allowLoopback: true, allows: () => true };
      const connection = guardedConnection({ policy, answerBytesMax: 1_024 });
      const request = { method: "POST", headers: {}, body: new Uint8Array() };
      for (const argument of process.argv.slice(1)) {
        const exchange = await connection.exchange({ ...request, url: new URL(argument) });
        console.log(exchange.error ?? exchange.status);
      }
      connection.close();`;
    const plain = await startTcpServer((socket) => {
      socket.on("data", () => socket.end(wire(204)));
    });

    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "-e", script, untrusted.url, `http://127.0.0.1:${plain.port}/`],
      {
        env: {
          NODE_USE_ENV_PROXY: "1",
          NODE_TLS_REJECT_UNAUTHORIZED: "0",
          HTTP_PROXY: address,
          HTTPS_PROXY: address,
          http_proxy: address,
          https_proxy: address,
          ALL_PROXY: address,
        },
      },
    );

    expect(stdout).toBe("tls_failed\n204\n");
    expect(proxy.connections()).toBe(0);
    expect(untrusted.requests).toEqual([]);
    for (const server of [untrusted, proxy, plain]) await server.stop();
  });
});

const dots = fc.constantFrom(".", "\u3002", "\uff0e", "%2e", "\u00ad.");
const loopbackHost = fc
  .tuple(fc.constantFrom("127.0.0.1", "0177.0.0.1", "0x7f.1", "2130706433", "127.1", "0"), dots)
  .map(([host, dot]) => host.replaceAll(".", dot));
const anyHost = fc.oneof(
  fc.domain(),
  fc.domain().map((name) => `${name}.`),
  fc.tuple(fc.domain(), loopbackHost).map(([name, host]) => `${host}.${name}`),
  loopbackHost,
  fc.ipV4(),
  fc.ipV4Extended(),
  fc.ipV6().map((address) => `[${address}]`),
  fc.constantFrom("localhost", "localhost.", "[::1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
);
const anyScheme = fc.constantFrom("https://", "https://", "HTTPS://", "http://", "https:///");
const anyUser = fc.constantFrom("", "", "", "127.0.0.1@", "a:b@", "%40", "\\@");
const loopbackAddress = fc.constantFrom("127.0.0.1", "::1", "::ffff:127.0.0.1", "127.0.0.1%lo");
const refusedAddress = fc.oneof(
  loopbackAddress,
  fc.oneof(fc.ipV4(), fc.ipV6()).filter((address) => !isPublicAddress(address)),
);
const publicAddress = fc.constantFrom("8.8.8.8", "2606:4700::1111", "1.1.1.1");

describe("a delivery to any host in a customer's URL", () => {
  it("never reaches a loopback address, whatever DNS returns", async () => {
    const before = receiver.connections();
    let accepted = 0;
    const hostile = fc
      .tuple(refusedAddress, fc.array(fc.oneof(publicAddress, refusedAddress), { maxLength: 3 }))
      .chain(([bad, others]) =>
        fc.shuffledSubarray([bad, ...others], { minLength: others.length + 1 }),
      );

    const start = fc.tuple(anyScheme, anyUser, anyHost).map((parts) => parts.join(""));

    await fc.assert(
      fc.asyncProperty(start, hostile, async (written, found) => {
        const parsed = parsePublicUrl(`${written}:${receiver.port}/hook`, rules);
        if (parsed.outcome === "refused") return;
        accepted += 1;
        // An accepted address that is an IP address is public. It needs no name server, so the
        // answers in `found` do not matter.
        if (isPublicAddress(parsed.hostname)) return;
        expect(await post(parsed.href, { lookup: nameServer(found).lookup })).toEqual(refused);
      }),
      { numRuns: 5_000, endOnFailure: true },
    );

    expect(accepted).toBeGreaterThan(500);
    expect(receiver.connections()).toBe(before);
  });
});
