import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type ConnectionOptions,
  type GuardedConnection,
  guardedConnection,
} from "../../../shared/outgoing/guarded-connection.ts";
import { addressPolicy } from "../../../shared/outgoing/address-policy.ts";
import { testAuthority } from "../../support/test-certificates.ts";
import {
  eventually,
  startTlsReceiver,
  type TlsReceiver,
  wire,
} from "../../support/tls-receiver.ts";

const policy = addressPolicy({ allowLoopback: true });
/** Limits that no test reaches, so that only the tested cause closes a socket. */
const times = { connectMs: 60_000, totalMs: 60_000, idleMs: 60_000 };
const opened: GuardedConnection[] = [];

let receiver: TlsReceiver;
beforeEach(async () => {
  receiver = await startTlsReceiver();
});
afterEach(async () => {
  vi.useRealTimers();
  for (const connection of opened.splice(0)) connection.close();
  await receiver.stop();
});

function connect(options: Partial<ConnectionOptions> = {}): GuardedConnection {
  const connection = guardedConnection({
    policy,
    answerBytesMax: 1_024,
    times,
    certificateAuthorities: testAuthority,
    ...options,
  });
  opened.push(connection);
  return connection;
}

const post = (connection: GuardedConnection, body = "hello") =>
  connection.exchange({
    url: new URL(receiver.url),
    method: "POST",
    headers: { "Content-Type": "text/plain" },
    body: Buffer.from(body),
  });

const fine = { outcome: "answered", status: 200, body: Buffer.from("ok") };
const broken = { outcome: "failed", error: "connection_failed", sent: true };
const notSent = { ...broken, sent: false };

describe("guardedConnection, which sends requests to an address of a customer,", () => {
  it("sends one request after another over one socket", async () => {
    const connection = connect();

    for (const body of ["first", "", "third"]) {
      expect(await post(connection, body)).toMatchObject(fine);
    }

    expect(receiver.connections()).toBe(1);
    expect(receiver.requests.map(({ body }) => body)).toEqual(["first", "", "third"]);
    expect(receiver.requests[0]).toMatchObject({
      method: "POST",
      path: "/hook",
      headers: { host: `localhost:${receiver.port}`, connection: "keep-alive" },
    });
  });

  it("shares no socket with a second guarded connection to the same receiver", async () => {
    const [one, other] = [connect(), connect()];

    await post(one);
    await post(other);
    await post(one);
    await post(other);

    expect(receiver.connections()).toBe(2);
  });

  it("opens at most the maximum number of sockets, and queues the other requests", async () => {
    const held: (() => void)[] = [];
    receiver.answer = (socket) => held.push(() => socket.write(wire(200, {}, "ok")));
    const connection = connect({ parallel: 3 });

    const sent = Array.from({ length: 8 }, async (_, index) => post(connection, String(index)));
    await eventually(() => expect(held).toHaveLength(3));
    receiver.answer = (socket) => socket.write(wire(200, {}, "ok"));
    for (const answer of held) answer();

    for (const exchange of await Promise.all(sent)) expect(exchange).toMatchObject(fine);
    expect(receiver.requests).toHaveLength(8);
    const more = Array.from({ length: 8 }, async (_, index) => post(connection, String(index)));
    for (const exchange of await Promise.all(more)) expect(exchange).toMatchObject(fine);
    expect(receiver.connections()).toBe(3);
  });

  it("sends the path, the query and the Host header unchanged", async () => {
    const connection = connect();

    await connection.exchange({
      url: new URL(receiver.url),
      path: "/a%2Fb?list-type=2&x=",
      method: "PUT",
      headers: { Host: "other.shop-example.com" },
      body: Buffer.from("1"),
    });

    expect(receiver.requests[0]).toMatchObject({
      method: "PUT",
      path: "/a%2Fb?list-type=2&x=",
      headers: { host: "other.shop-example.com" },
    });
  });

  it("returns a failure for a request with invalid HTTP headers without sending it, and sends the next request", async () => {
    const connection = connect({ parallel: 1 });
    const url = new URL(receiver.url);
    const headers = { "X-Split": "a\r\nX-Other: b" };

    const exchange = await connection.exchange({ url, method: "POST", headers, body: Buffer.of() });

    expect(exchange).toEqual(notSent);
    expect(await post(connection)).toMatchObject(fine);
    expect(receiver.requests).toHaveLength(1);
  });
});

describe("closing a guarded connection", () => {
  it("leaves no socket open", async () => {
    const connection = connect();
    await post(connection);
    expect(receiver.open()).toBe(1);

    connection.close();

    await eventually(() => expect(receiver.open()).toBe(0));
  });

  it("makes current, queued and later requests fail", async () => {
    receiver.answer = () => {};
    const connection = connect({ parallel: 1 });
    const underWay = post(connection, "under way");
    const waiting = post(connection, "waiting");
    await eventually(() => expect(receiver.requests).toHaveLength(1));

    connection.close();

    expect(await underWay).toEqual(broken);
    expect(await waiting).toEqual(notSent);
    expect(await post(connection)).toEqual(notSent);
    await eventually(() => expect(receiver.open()).toBe(0));
    expect(receiver.connections()).toBe(1);
  });

  it("does not repeat an unfinished request on a new socket", async () => {
    const connection = connect();
    await post(connection);
    receiver.answer = () => {};
    const underWay = post(connection);
    await eventually(() => expect(receiver.requests).toHaveLength(2));

    connection.close();

    expect(await underWay).toEqual(broken);
    await eventually(() => expect(receiver.open()).toBe(0));
    expect(receiver.connections()).toBe(1);
  });

  it("closes a socket that is still connecting", async () => {
    const connection = connect();
    const sent = post(connection);

    connection.close();

    expect(await sent).toEqual(notSent);
    await eventually(() => expect(receiver.open()).toBe(0));
    expect(receiver.requests).toEqual([]);
  });
});

describe("a reused socket of a guarded connection", () => {
  it("keeps no event listeners of earlier requests", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    const connection = connect();

    for (let n = 0; n < 15; n += 1) expect(await post(connection)).toMatchObject(fine);

    process.off("warning", onWarning);
    expect(receiver.connections()).toBe(1);
    expect(warnings).toEqual([]);
  });

  it("is replaced by a new socket if the server closes it at the next request", async () => {
    const connection = connect();
    await post(connection, "first");
    receiver.answer = (socket) => {
      receiver.answer = (fresh) => fresh.write(wire(200, {}, "ok"));
      socket.destroy();
    };

    expect(await post(connection, "second")).toMatchObject(fine);

    expect(receiver.requests.map(({ body }) => body)).toEqual(["first", "second", "second"]);
    expect(receiver.connections()).toBe(2);
  });

  it("is replaced by a new socket, and not by another idle socket, if the server closes it at the next request", async () => {
    const connection = connect({ parallel: 3 });
    const held: (() => void)[] = [];
    receiver.answer = (socket) => {
      held.push(() => socket.write(wire(200, {}, "ok")));
      if (held.length === 3) for (const answer of held) answer();
    };
    await Promise.all([post(connection), post(connection), post(connection)]);
    expect(receiver.connections()).toBe(3);
    receiver.answer = (socket) => {
      receiver.answer = (fresh) => fresh.write(wire(200, {}, "ok"));
      socket.destroy();
    };

    expect(await post(connection)).toMatchObject(fine);

    expect(receiver.connections()).toBe(4);
    await eventually(() => expect(receiver.open()).toBe(1));
  });

  it("is replaced no more than once for the same request", async () => {
    const connection = connect();
    await post(connection);
    receiver.answer = (socket) => socket.destroy();

    expect(await post(connection)).toEqual(broken);

    expect(receiver.requests).toHaveLength(3);
    expect(receiver.connections()).toBe(2);
  });

  it("is not replaced after the server has started to respond", async () => {
    const connection = connect();
    await post(connection);
    receiver.answer = (socket) => socket.end("HTTP/1.1 200 O");

    expect(await post(connection)).toEqual(broken);

    expect(receiver.requests).toHaveLength(2);
    expect(receiver.connections()).toBe(1);
  });

  it("is replaced without an extension of the request's time limit", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const connection = connect({ times: { connectMs: 5_000, totalMs: 15_000 } });
    await post(connection);
    receiver.answer = (socket) => {
      receiver.answer = () => vi.advanceTimersByTime(1_000);
      vi.advanceTimersByTime(14_000);
      socket.destroy();
    };

    expect(await post(connection)).toEqual({ outcome: "failed", error: "timeout", sent: true });

    expect(receiver.requests).toHaveLength(3);
  });

  it("is replaced after a failed request, whereas a new socket is not", async () => {
    receiver.answer = (socket) => socket.destroy();

    expect(await post(connect())).toEqual(broken);

    expect(receiver.connections()).toBe(1);
  });

  it("is closed if the server closes the socket after every response without announcing the close", async () => {
    receiver.answer = (socket) => socket.end(wire(200, {}, "ok"));
    const connection = connect();

    for (let sent = 0; sent < 5; sent += 1) expect(await post(connection)).toMatchObject(fine);

    expect(receiver.connections()).toBe(5);
  });

  it.each([{ Connection: "close" }, { "Keep-Alive": "timeout=1" }])(
    "is closed when the response has the headers %o",
    async (headers) => {
      receiver.answer = (socket) => socket.write(wire(200, headers, "ok"));
      const connection = connect();

      await post(connection);
      await post(connection);

      expect(receiver.connections()).toBe(2);
    },
  );

  it("is closed after its idle time", async () => {
    const connection = connect({ times: { ...times, idleMs: 50 } });

    expect(await post(connection)).toMatchObject(fine);

    await eventually(() => expect(receiver.open()).toBe(0));
    expect(await post(connection)).toMatchObject(fine);
  });

  it("is closed if an unrequested response arrives on the socket", async () => {
    const connection = connect();
    receiver.answer = (socket) => {
      socket.write(wire(500));
      setTimeout(() => socket.write(wire(200, {}, "forged")), 30);
    };
    expect(await post(connection)).toMatchObject({ status: 500 });
    await eventually(() => expect(receiver.open()).toBe(0));
    receiver.answer = (socket) => socket.write(wire(503));

    expect(await post(connection)).toMatchObject({ status: 503 });
  });

  it("is not used again after two responses to one request arrived on it", async () => {
    const connection = connect();
    receiver.answer = (socket) => socket.write(wire(500) + wire(200, {}, "forged"));
    expect(await post(connection)).toMatchObject({ status: 500 });
    receiver.answer = (socket) => socket.write(wire(503));

    expect(await post(connection)).toMatchObject({ status: 503 });

    expect(receiver.connections()).toBe(2);
  });

  it("is not used again after a response arrived on it before the request was sent", async () => {
    const connection = connect();
    const early: (() => void)[] = [];
    receiver.answer = () => {};
    receiver.atHeader = (socket) => {
      socket.pause();
      socket.write(wire(413, {}, "too large"));
      early.push(() => socket.resume());
    };

    expect(await post(connection, "x".repeat(16 * 1_024 * 1_024))).toMatchObject({ status: 413 });

    for (const readRest of early) readRest();
    await eventually(() => expect(receiver.open()).toBe(0));
    expect(receiver.requests).toEqual([]);
  });

  it("is not used again after a response of which the caller read only a part", async () => {
    const connection = connect({ answerBytesMax: 3 });
    receiver.answer = (socket) => socket.write(wire(200, {}, "more than three"));

    expect(await post(connection)).toMatchObject({ status: 200, body: Buffer.from("mor") });
    await post(connection);

    expect(receiver.connections()).toBe(2);
  });
});
