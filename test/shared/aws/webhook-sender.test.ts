import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer, type LookupFunction, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { webhookSender } from "../../../shared/aws/webhook-sender.ts";
import { systemClock } from "../../../shared/base/system.ts";
import { addressPolicy } from "../../../shared/outgoing/address-policy.ts";
import { type Receiver, startReceiver } from "../../support/receiver.ts";
import { selfSigned } from "../../support/self-signed.ts";

const clock = systemClock;
const body = Buffer.from('{"name":"caf\u00e9"}');
const headers = { "Content-Type": "application/json", "Service-Attempt": "1" };
const local = addressPolicy({ allowLoopback: true });
const strict = addressPolicy();
const hurried = webhookSender({ policy: local, clock, times: { connectMs: 200, totalMs: 700 } });

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());
beforeEach(() => {
  receiver.requests.length = 0;
  receiver.answer = (response) => response.end("ok");
});

const post = (url: string, sender = webhookSender({ policy: local, clock })) =>
  sender.send({ url, headers, body });

/** A name server that answers whatever it is told to. */
const answering =
  (...addresses: string[]): LookupFunction =>
  (_, __, callback) => {
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };

const knowingNoName: LookupFunction = (_, __, callback) => {
  callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), "");
};

describe("webhookSender", () => {
  it("posts exactly these bytes and headers and gives the answer", async () => {
    receiver.answer = (response) => response.writeHead(202, { "Retry-After": "7" }).end("later");

    const result = await post(receiver.url);

    expect(result).toMatchObject({ outcome: "answered", status: 202, retryAfter: "7" });
    expect(result.outcome === "answered" && Buffer.from(result.body).toString()).toBe("later");
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]?.body).toBe(body.toString());
    expect(receiver.requests[0]?.headers).toMatchObject({
      "content-type": "application/json",
      "content-length": String(body.length),
      "service-attempt": "1",
      connection: "close",
    });
  });

  it("does not follow redirects", async () => {
    receiver.answer = (response) => response.writeHead(301, { Location: receiver.url }).end();

    expect(await post(receiver.url)).toMatchObject({ outcome: "answered", status: 301 });
    expect(receiver.requests).toHaveLength(1);
  });

  it("reads 16 KiB of an endless answer and closes the connection", async () => {
    const closed = Promise.withResolvers<void>();
    receiver.answer = (response) => {
      const pump = () => {
        while (response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", pump).on("close", closed.resolve);
      pump();
    };

    const result = await post(receiver.url);
    await closed.promise;

    expect(result.outcome === "answered" && result.body.length).toBe(16 * 1_024);
  });

  it("counts the status when the connection breaks in the middle of the answer", async () => {
    receiver.answer = (response) => {
      response.writeHead(200, { "Content-Length": "100" });
      response.write("half", () => response.destroy());
    };

    expect(await post(receiver.url)).toMatchObject({ outcome: "answered", status: 200 });
  });

  it("reports a connection that breaks before the answer, or is refused", async () => {
    receiver.answer = (response) => response.destroy();
    expect(await post(receiver.url)).toMatchObject({ error: "connection_failed" });

    const gone = await startReceiver();
    await gone.stop();
    expect(await post(gone.url)).toMatchObject({ error: "connection_failed" });
  });

  it("reports a receiver whose certificate nobody vouches for", async () => {
    const server = createTlsServer(selfSigned, (_, response) => response.end()).listen(0);
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;

    const result = await post(`https://localhost:${port}/`);
    server.closeAllConnections();
    server.close();

    expect(result).toMatchObject({ outcome: "failed", error: "tls_failed" });
  });

  it("ends when a receiver never finishes the TLS handshake", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;

    const result = await post(`https://127.0.0.1:${port}/`, hurried);
    for (const socket of sockets) socket.destroy();
    server.close();

    expect(result).toMatchObject({ outcome: "failed", error: "connect_timeout" });
  });

  it("ends when bytes trickle in but no answer comes", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on("error", () => {}));
      socket.write("HTTP/1.1 200 OK\r\nX-Slow: ");
      setInterval(() => socket.write("x"), 50).unref();
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;

    const result = await post(`http://127.0.0.1:${port}/`, hurried);
    for (const socket of sockets) socket.destroy();
    server.close();

    expect(result).toMatchObject({ outcome: "failed", error: "timeout" });
  });
});

describe("an address that is not public", () => {
  it("is refused when it stands in the URL", async () => {
    const sender = webhookSender({ policy: strict, clock });

    for (const host of ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254"]) {
      const result = await post(`https://${host}:${receiver.port}/`, sender);
      expect(result).toMatchObject({ outcome: "failed", error: "address_refused" });
    }
    expect(receiver.requests).toEqual([]);
  });

  it("is refused when a name leads there at the time of sending", async () => {
    const before = receiver.connections();
    for (const lookup of [
      answering("127.0.0.1"),
      answering("8.8.8.8", "127.0.0.1"),
      answering("::1"),
      answering("::ffff:127.0.0.1"),
      answering(),
    ]) {
      const sender = webhookSender({ policy: strict, clock, lookup });
      const result = await post(`https://hooks.shop-example.com:${receiver.port}/`, sender);
      expect(result).toMatchObject({ outcome: "failed", error: "address_refused" });
    }
    expect(receiver.connections()).toBe(before);
  });

  it("gets nothing when only the connection shows it", async () => {
    let asked = 0;
    // Says yes to the literal and to nothing after it, as a connection made some other way would.
    const policy = {
      allowLoopback: true,
      allows: () => {
        asked += 1;
        return asked === 1;
      },
    };

    const result = await post(receiver.url, webhookSender({ policy, clock }));

    expect(asked).toBe(2);
    expect(result).toMatchObject({ outcome: "failed", error: "address_refused" });
    expect(receiver.requests).toEqual([]);
  });

  it("is told apart from a name that does not exist", async () => {
    const sender = webhookSender({ policy: strict, clock, lookup: knowingNoName });

    const result = await post("https://hooks.shop-example.com/", sender);

    expect(result).toMatchObject({ outcome: "failed", error: "name_not_resolved" });
  });
});
