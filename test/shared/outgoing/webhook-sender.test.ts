import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  webhookSender,
  type WebhookSenderOptions,
} from "../../../shared/outgoing/webhook-sender.ts";
import { systemClock } from "../../../shared/base/system.ts";
import { addressPolicy } from "../../../shared/outgoing/address-policy.ts";
import type { ReceiverConnection } from "../../../shared/outgoing/sender.ts";
import { fixedClock } from "../../support/clock.ts";
import { nameServer } from "../../support/name-server.ts";
import { type Receiver, startReceiver } from "../../support/receiver.ts";
import { testAuthority } from "../../support/test-certificates.ts";
import { startTlsReceiver, wire } from "../../support/tls-receiver.ts";

const body = Buffer.from('{"name":"caf\u00e9"}');
const headers = { "Content-Type": "application/json", "Service-Attempt": "1" };
const local = addressPolicy({ allowLoopback: true });
const connections: ReceiverConnection[] = [];

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());
beforeEach(() => {
  receiver.requests.length = 0;
  receiver.answer = (response) => response.end("ok");
});
afterEach(() => {
  for (const connection of connections.splice(0)) connection.close();
});

function connect(url: string, options: Partial<WebhookSenderOptions> = {}): ReceiverConnection {
  const sender = webhookSender({ policy: local, clock: systemClock, ...options });
  const connection = sender.connect(url, 4);
  connections.push(connection);
  return connection;
}

describe("webhookSender, which sends deliveries,", () => {
  it("sends exactly the given bytes and headers, and returns the response", async () => {
    receiver.answer = (response) => response.writeHead(202, { "Retry-After": "7" }).end("later");

    const result = await connect(receiver.url).send({ headers, body });

    expect(result).toMatchObject({ outcome: "answered", status: 202, retryAfter: "7" });
    expect(result.outcome === "answered" && Buffer.from(result.body).toString()).toBe("later");
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]).toMatchObject({ method: "POST", path: "/hook" });
    expect(receiver.requests[0]?.body).toBe(body.toString());
    expect(receiver.requests[0]?.headers).toEqual({
      "content-type": "application/json",
      "content-length": String(body.length),
      "service-attempt": "1",
      host: `127.0.0.1:${receiver.port}`,
      connection: "keep-alive",
    });
  });

  it("connects at the first delivery, and uses the same connection for later deliveries", async () => {
    const before = receiver.connections();
    const connection = connect(`${receiver.url}?a=b`);
    expect(receiver.connections()).toBe(before);

    for (let sent = 0; sent < 3; sent += 1) {
      expect(await connection.send({ headers, body })).toMatchObject({ status: 200 });
    }

    expect(receiver.connections()).toBe(before + 1);
    expect(receiver.requests.map(({ path }) => path)).toEqual(Array(3).fill("/hook?a=b"));
  });

  it("sends over TLS to a receiver with a trusted certificate", async () => {
    const secure = await startTlsReceiver();
    secure.answer = (socket) => socket.write(wire(410));
    const connection = connect(secure.url, { certificateAuthorities: testAuthority });

    expect(await connection.send({ headers, body })).toMatchObject({ status: 410 });
    expect(secure.requests[0]?.body).toBe(body.toString());
    await secure.stop();
  });

  it("opens a separate connection for each receiver, and closes all connections when the sender itself is closed", async () => {
    const before = receiver.connections();
    const [one, other] = [connect(receiver.url), connect(receiver.url)];
    await one.send({ headers, body });
    await other.send({ headers, body });
    expect(receiver.connections()).toBe(before + 2);

    one.close();

    expect(await one.send({ headers, body })).toMatchObject({ error: "connection_failed" });
    expect(await other.send({ headers, body })).toMatchObject({ status: 200 });
    expect(receiver.connections()).toBe(before + 2);
  });

  it("does not follow redirects", async () => {
    receiver.answer = (response) => response.writeHead(301, { Location: receiver.url }).end();

    const result = await connect(receiver.url).send({ headers, body });

    expect(result).toMatchObject({ outcome: "answered", status: 301, retryAfter: null });
    expect(receiver.requests).toHaveLength(1);
  });

  it("reads at most 16 KiB of an endless response, then closes the connection", async () => {
    const closed = Promise.withResolvers<void>();
    receiver.answer = (response) => {
      const pump = () => {
        while (response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", pump).on("close", closed.resolve);
      pump();
    };

    const result = await connect(receiver.url).send({ headers, body });
    await closed.promise;

    expect(result.outcome === "answered" && result.body.length).toBe(16 * 1_024);
  });

  it("returns a duration that is never negative, even if the clock is set back", async () => {
    const clock = fixedClock("2026-11-20T10:00:00.000Z");
    const connection = connect(receiver.url, { clock });
    receiver.answer = (response) => {
      clock.advance(250);
      response.end();
    };
    expect(await connection.send({ headers, body })).toMatchObject({ durationMs: 250 });
    receiver.answer = (response) => {
      clock.advance(-5_000);
      response.end();
    };
    expect(await connection.send({ headers, body })).toMatchObject({ durationMs: 0 });
  });

  it("aborts a request at the time limit of the request, and returns the time limit as the duration", async () => {
    receiver.answer = () => {};
    const connection = connect(receiver.url, { times: { connectMs: 5_000, totalMs: 300 } });

    const result = await connection.send({ headers, body });

    expect(result).toMatchObject({ outcome: "failed", error: "timeout", sent: true });
    expect(result.durationMs).toBeGreaterThanOrEqual(290);
  });

  it("sends nothing to a private address", async () => {
    const before = receiver.connections();
    const strict = { policy: addressPolicy(), lookup: nameServer(["127.0.0.1"]).lookup };

    for (const host of ["127.0.0.1", "[::1]", "hooks.shop-example.com"]) {
      const connection = connect(`https://${host}:${receiver.port}/`, strict);
      const result = await connection.send({ headers, body });
      expect(result).toMatchObject({ outcome: "failed", error: "address_refused", sent: false });
    }

    expect(receiver.connections()).toBe(before);
  });
});
