import { gzipSync } from "node:zlib";
import type { Socket } from "node:net";
import type { TlsOptions, TLSSocket } from "node:tls";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type ConnectionOptions,
  type ExchangeTimes,
  guardedConnection,
} from "../../../shared/outgoing/guarded-connection.ts";
import { addressPolicy } from "../../../shared/outgoing/address-policy.ts";
import { selfSigned } from "../../../tools/stand-ins/self-signed.ts";
import {
  expired,
  namedOtherwise,
  testAuthority,
  trusted,
} from "../../support/test-certificates.ts";
import { eventually, startTcpServer, startTlsReceiver, wire } from "../../support/tls-receiver.ts";

const policy = addressPolicy({ allowLoopback: true });
const stops: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const stop of stops.splice(0)) await stop();
});

/** A short connection limit with a total limit that no test reaches. */
const shortConnect: ExchangeTimes = { connectMs: 200, totalMs: 50_000 };
const shortTotal: ExchangeTimes = { connectMs: 50_000, totalMs: 800 };

async function receiving(answer: (socket: TLSSocket) => void, options?: TlsOptions) {
  const receiver = await startTlsReceiver(options);
  stops.push(receiver.stop);
  receiver.answer = answer;
  return receiver;
}

async function accepting(accept: (socket: Socket) => void) {
  const server = await startTcpServer(accept);
  stops.push(server.stop);
  return server;
}

function post(url: string, options: Partial<ConnectionOptions> = {}) {
  const connection = guardedConnection({
    policy,
    answerBytesMax: 16 * 1_024,
    certificateAuthorities: testAuthority,
    ...options,
  });
  stops.push(() => connection.close());
  const body = Buffer.from("hello");
  return connection.exchange({ url: new URL(url), method: "POST", headers: {}, body });
}

/** Writes bytes until the socket closes, at intervals far shorter than any time limit of a test. */
function trickle(socket: Socket, bytes: string | Buffer): void {
  const timer = setInterval(() => socket.write(bytes), 20);
  socket.on("close", () => clearInterval(timer));
}

const broken = { outcome: "failed", error: "connection_failed", sent: true };
const notConnected = { ...broken, sent: false };
const untrusted = { outcome: "failed", error: "tls_failed", sent: false };
const tooSlow = { outcome: "failed", error: "timeout", sent: true };

describe("the response of a webhook receiver", () => {
  it.each([200, 204, 304, 400, 401, 404, 410, 500, 503])(
    "is returned with its status %i",
    async (status) => {
      const { url } = await receiving((socket) => socket.write(wire(status)));

      expect(await post(url)).toMatchObject({ outcome: "answered", status });
    },
  );

  it("is returned with its headers", async () => {
    const { url } = await receiving((socket) => socket.write(wire(429, { "Retry-After": "120" })));

    expect(await post(url)).toMatchObject({ status: 429, headers: { "retry-after": "120" } });
  });

  it.each([301, 302, 303, 307, 308])(
    "with the redirect status %i is returned, and the redirect is not followed",
    async (status) => {
      const elsewhere = await receiving((socket) => socket.write(wire(200)));
      const receiver = await receiving((socket) =>
        socket.write(wire(status, { Location: elsewhere.url })),
      );

      expect(await post(receiver.url)).toMatchObject({ outcome: "answered", status });

      expect(receiver.requests).toHaveLength(1);
      expect(elsewhere.connections()).toBe(0);
    },
  );

  it("is not decompressed", async () => {
    const packed = gzipSync(Buffer.alloc(100_000));
    const headers = { "Content-Encoding": "gzip", "Content-Length": String(packed.length) };
    const { url } = await receiving((socket) => {
      socket.write(wire(200, headers));
      socket.write(packed);
    });

    expect(await post(url)).toMatchObject({ status: 200, body: packed });
  });

  it("is accepted in HTTP/1.0, where the end of the connection ends the body", async () => {
    const { url } = await receiving((socket) => socket.end("HTTP/1.0 200 OK\r\n\r\nold"));

    expect(await post(url)).toMatchObject({ status: 200, body: Buffer.from("old") });
  });

  it("is accepted after a few interim responses", async () => {
    const interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    const { url } = await receiving((socket) => socket.write(interim + wire(200, {}, "ok")));

    expect(await post(url)).toMatchObject({ status: 200, body: Buffer.from("ok") });
  });

  it("counts as a failed connection after too many interim responses", async () => {
    const receiver = await receiving((socket) =>
      trickle(socket, "HTTP/1.1 102 Processing\r\n\r\n".repeat(10)),
    );

    expect(await post(receiver.url)).toEqual(broken);
    await eventually(() => expect(receiver.open()).toBe(0));
  });

  it("makes the service close the connection if the response switches protocols", async () => {
    const headers = { Connection: "Upgrade", Upgrade: "websocket" };
    const receiver = await receiving((socket) => socket.write(wire(101, headers)));

    expect(await post(receiver.url)).toMatchObject({ outcome: "answered", status: 101 });
    await eventually(() => expect(receiver.open()).toBe(0));
  });

  it("is accepted if its headers have at most 16 KiB, and refused if the headers are larger", async () => {
    const receiver = await receiving((socket) =>
      socket.write(wire(200, { "X-Long": "x".repeat(17 * 1_024) })),
    );

    expect(await post(receiver.url)).toEqual(broken);
    await eventually(() => expect(receiver.open()).toBe(0));
  });

  it("counts as a failed connection if the bytes are not HTTP", async () => {
    const { url } = await receiving((socket) =>
      socket.write("220 mail.shop-example.com ESMTP\r\n"),
    );

    expect(await post(url)).toEqual(broken);
  });

  it("is read up to the size limit if the response never ends", async () => {
    let written = 0;
    const receiver = await receiving((socket) => {
      socket.write(wire(200, { "Content-Length": String(1_024 ** 3) }));
      const zeros = Buffer.alloc(65_536);
      const pump = (): void => {
        do written += zeros.length;
        while (!socket.destroyed && socket.write(zeros));
      };
      socket.on("drain", pump);
      pump();
    });

    const exchange = await post(receiver.url);

    expect(exchange).toMatchObject({ status: 200, body: Buffer.alloc(16 * 1_024) });
    await eventually(() => expect(receiver.open()).toBe(0));
    // Only as much was written as fits into the buffers of two sockets.
    expect(written).toBeLessThan(64 * 1_024 ** 2);
  });

  it("is returned even if its body is truncated", async () => {
    const { url } = await receiving((socket) =>
      socket.end(wire(200, { "Content-Length": "100" }, "half")),
    );

    expect(await post(url)).toMatchObject({ status: 200, body: Buffer.from("half") });
  });

  it("is returned even if its body is not valid HTTP", async () => {
    const headers = "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\nnot a length\r\n";
    const { url } = await receiving((socket) => socket.write(`HTTP/1.1 200 OK\r\n${headers}`));

    expect(await post(url)).toMatchObject({ outcome: "answered", status: 200 });
  });

  it("is returned even if the receiver resets the connection after the response", async () => {
    const server = await accepting((socket) => {
      socket.once("data", () => {
        socket.write(wire(202, {}, "ok"), () => socket.resetAndDestroy());
      });
    });

    const exchange = await post(`http://127.0.0.1:${server.port}/`);

    expect(exchange).toMatchObject({ outcome: "answered", status: 202 });
  });
});

describe("the time limits of a delivery request", () => {
  it("abort a request if the response headers arrive byte by byte", async () => {
    const receiver = await receiving((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nX-Slow: ");
      trickle(socket, "x");
    });

    expect(await post(receiver.url, { times: shortTotal })).toEqual(tooSlow);
    await eventually(() => expect(receiver.open()).toBe(0));
  });

  it("abort a request if the response body arrives byte by byte, but the status is still returned", async () => {
    const receiver = await receiving((socket) => {
      socket.write(wire(200, { "Content-Length": "100000" }, "a"));
      trickle(socket, "a");
    });

    const times = { ...shortTotal, totalMs: 2_000 };
    const exchange = await post(receiver.url, { times });

    expect(exchange).toMatchObject({ outcome: "answered", status: 200 });
    expect(exchange.outcome === "answered" && exchange.body.length).toBeGreaterThan(1);
    await eventually(() => expect(receiver.open()).toBe(0));
  });

  it("abort a request if the server never responds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const receiver = await receiving(() => vi.advanceTimersByTime(15_000));

    expect(await post(receiver.url)).toEqual(tooSlow);
    vi.useRealTimers();
    expect(receiver.requests).toHaveLength(1);
    await eventually(() => expect(receiver.open()).toBe(0));
  });

  it("abort a request if the server never reads the request", async () => {
    const receiver = await receiving(() => {});
    receiver.atHeader = (socket) => socket.pause();
    const connection = guardedConnection({
      policy,
      answerBytesMax: 1_024,
      certificateAuthorities: testAuthority,
      times: shortTotal,
    });
    const url = new URL(receiver.url);
    const body = Buffer.alloc(16 * 1_024 ** 2);

    const exchange = await connection.exchange({ url, method: "POST", headers: {}, body });

    expect(exchange).toEqual(tooSlow);
    expect(receiver.requests).toEqual([]);
  });

  it("abort a TLS handshake that exceeds the connect limit", async () => {
    const server = await accepting((socket) => socket.resume());

    const exchange = await post(`https://127.0.0.1:${server.port}/`, { times: shortConnect });

    expect(exchange).toEqual({ outcome: "failed", error: "connect_timeout", sent: false });
    await eventually(() => expect(server.connections()).toBe(1));
    await eventually(() => expect(server.open()).toBe(0));
  });

  it("abort a DNS lookup that exceeds the connect limit", async () => {
    const exchange = await post("https://hooks.shop-example.com/", {
      lookup: () => {},
      times: shortConnect,
    });

    expect(exchange).toEqual({ outcome: "failed", error: "connect_timeout", sent: false });
  });

  it("do not apply the connect limit to an established connection", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const receiver = await receiving((socket) => {
      vi.advanceTimersByTime(14_999);
      socket.write(wire(200));
    });

    const exchange = await post(receiver.url);

    expect(exchange).toMatchObject({ outcome: "answered", status: 200 });
  });
});

describe("a connection to a receiver", () => {
  it("fails if no server listens at its port", async () => {
    const server = await startTcpServer(() => {});
    await server.stop();

    expect(await post(`https://127.0.0.1:${server.port}/`)).toEqual(notConnected);
    expect(await post(`http://127.0.0.1:${server.port}/`)).toEqual(notConnected);
  });

  it("fails if the receiver resets the connection before reading the request", async () => {
    const server = await accepting((socket) => socket.resetAndDestroy());

    expect(await post(`https://127.0.0.1:${server.port}/`)).toEqual(notConnected);
    // Over plain HTTP, the request may have been sent before the reset arrives.
    const { sent: _, ...failed } = broken;
    expect(await post(`http://127.0.0.1:${server.port}/`)).toMatchObject(failed);
    expect(server.connections()).toBe(2);
  });

  it("fails if the receiver half-closes the connection before responding", async () => {
    const { url } = await receiving((socket) => socket.end());

    expect(await post(url)).toEqual(broken);
  });

  it.each([
    ["is not signed by an authority", selfSigned],
    ["is for another host name", namedOtherwise],
    ["has expired", expired],
  ])(
    "fails if the receiver's certificate is not valid (the certificate %s)",
    async (_, certificate) => {
      const receiver = await receiving((socket) => socket.write(wire(200)), certificate);

      expect(await post(receiver.url)).toEqual(untrusted);
      expect(receiver.requests).toEqual([]);
    },
  );

  it("fails if an unknown authority signed the receiver's certificate", async () => {
    const receiver = await receiving((socket) => socket.write(wire(200)));
    const connection = guardedConnection({ policy, answerBytesMax: 1 });
    const url = new URL(receiver.url);

    const exchange = await connection.exchange({
      url,
      method: "POST",
      headers: {},
      body: Buffer.of(),
    });

    expect(exchange).toEqual(untrusted);
    expect(receiver.requests).toEqual([]);
  });

  it("fails if the certificate is for the Host header but not for the host of the URL", async () => {
    const receiver = await receiving((socket) => socket.write(wire(200)), namedOtherwise);
    const connection = guardedConnection({
      policy,
      answerBytesMax: 1,
      certificateAuthorities: testAuthority,
    });
    const headers = { Host: "other.shop-example.com" };
    const url = new URL(receiver.url);

    const exchange = await connection.exchange({ url, method: "PUT", headers, body: Buffer.of() });

    expect(exchange).toEqual(untrusted);
  });

  it.each(["TLSv1", "TLSv1.1"] as const)(
    "fails if the receiver supports only the protocol version %s",
    async (version) => {
      const old = {
        minVersion: "TLSv1",
        maxVersion: version,
        ciphers: "DEFAULT@SECLEVEL=0",
      } as const;
      const receiver = await receiving((socket) => socket.write(wire(200)), { ...trusted, ...old });

      expect(await post(receiver.url)).toEqual(untrusted);
      expect(receiver.requests).toEqual([]);
    },
  );

  it.each(["TLSv1.2", "TLSv1.3"] as const)("uses the protocol version %s", async (version) => {
    const only = { minVersion: version, maxVersion: version };
    const receiver = await receiving((socket) => socket.write(wire(200)), { ...trusted, ...only });

    expect(await post(receiver.url)).toMatchObject({ outcome: "answered", status: 200 });
  });

  it("fails if the receiver supports only HTTP/2", async () => {
    const choosing = await receiving((socket) => socket.write(wire(200)), {
      ...trusted,
      ALPNProtocols: ["h2"],
    });
    const settings = Buffer.from("000000040000000000", "hex");
    const insisting = await receiving((socket) => socket.write(settings));

    expect(await post(choosing.url)).toEqual(untrusted);
    expect(await post(insisting.url)).toEqual(broken);
  });

  it("fails if the receiver responds in plain HTTP instead of TLS", async () => {
    const server = await accepting((socket) => socket.on("data", () => socket.end(wire(400))));

    expect(await post(`https://127.0.0.1:${server.port}/`)).toEqual(untrusted);
  });
});
