import { readFileSync } from "node:fs";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ExchangeTimes,
  guardedConnection,
} from "../../../shared/outgoing/guarded-connection.ts";
import { addressPolicy, isPublicAddress } from "../../../shared/outgoing/address-policy.ts";
import { requirePublicUrl } from "../../../shared/outgoing/public-url.ts";
import { nameServer } from "../../support/name-server.ts";
import { testAuthority, trusted } from "../../support/test-certificates.ts";
import {
  eventually,
  startTcpServer,
  startTlsReceiver,
  type TlsReceiver,
  wire,
} from "../../support/tls-receiver.ts";

const file = new URL("../../fixtures/outgoing/addresses.jsonl", import.meta.url);

interface Row {
  readonly kind: "ip" | "url" | "dns" | "receiver";
  readonly input: string;
  readonly expect: string;
  readonly stub_dns?: readonly string[];
  readonly answers?: readonly (readonly string[])[];
}

const rows = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);
const rowsOf = (kind: Row["kind"]): Row[] => rows.filter((row) => row.kind === kind);

const strict = addressPolicy();
const local = addressPolicy({ allowLoopback: true });
const somewherePublic = "93.184.215.14";

let receiver: TlsReceiver;
beforeAll(async () => {
  receiver = await startTlsReceiver();
});
afterAll(() => receiver.stop());

async function isRegistered(url: string, names: ReturnType<typeof nameServer>): Promise<boolean> {
  const rules = { policy: strict, own: { hosts: [], apiId: null } };
  return requirePublicUrl({ param: "url", value: url }, rules, names.resolver).then(
    () => true,
    (error: unknown) => {
      expect(error).toMatchObject({ status: 400, details: { param: "url" } });
      return false;
    },
  );
}

/** Sends a request in the same way as a delivery. */
async function sent(url: string, options: Partial<Parameters<typeof guardedConnection>[0]> = {}) {
  const connection = guardedConnection({
    policy: local,
    answerBytesMax: 16 * 1_024,
    certificateAuthorities: testAuthority,
    ...options,
  });
  const body = Buffer.from("{}");
  try {
    return await connection.exchange({ url: new URL(url), method: "POST", headers: {}, body });
  } finally {
    connection.close();
  }
}

describe("a sample IP address", () => {
  it.each(rowsOf("ip"))("with the value $input has the documented result: $expect", (row) => {
    // If the sample allows either result, the service chooses the stricter result.
    expect(isPublicAddress(row.input)).toBe(row.expect === "accept");
  });
});

describe("a sample webhook URL", () => {
  it.each(rowsOf("url"))(
    "with the value $input has the documented result at registration: $expect",
    async (row) => {
      const names = nameServer(row.stub_dns ?? [somewherePublic]);

      // Some samples allow either result, because it depends on DNS. The name server of this test
      // resolves these names, so the service must accept the URLs.
      expect(await isRegistered(row.input, names)).toBe(row.expect !== "refuse");
    },
  );

  it.each(rowsOf("url").filter((row) => row.stub_dns !== undefined))(
    "with the value $input, for which the sample has DNS answers, is refused when an event is sent",
    async (row) => {
      const { lookup } = nameServer(row.stub_dns ?? []);

      expect(await sent(row.input, { policy: strict, lookup })).toEqual({
        outcome: "failed",
        error: "address_refused",
        sent: false,
      });
    },
  );
});

describe("a connection with sample DNS answers", () => {
  it.each(rowsOf("dns"))(
    "to the host $input, which resolves to $answers, has the documented result: $expect",
    async (row) => {
      const before = receiver.connections();
      const names = nameServer(...(row.answers ?? []));
      const url = new URL(row.input);
      url.port = String(receiver.port);

      const registered = await isRegistered(url.href, names);
      expect(registered).toBe(row.expect !== "registration refused");
      if (!registered) return;
      expect(await sent(url.href, { policy: strict, lookup: names.lookup })).toEqual({
        outcome: "failed",
        error: "address_refused",
      });
      expect(receiver.connections()).toBe(before);
    },
  );
});

const hurried: ExchangeTimes = { connectMs: 300, totalMs: 600 };

/** Plays each sample receiver, and checks the result of a request to it. */
const receivers: Record<string, () => Promise<void>> = {
  async "one header byte a second"() {
    // The receiver writes at intervals far shorter than the limit of 600 ms. An idle timeout would
    // therefore never end the exchange. Only the limit on the total time does.
    receiver.answer = (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nX-Slow: ");
      trickle(socket);
    };
    const times = { connectMs: 50_000, totalMs: 600 };
    const exchange = await sent(receiver.url, { times });
    expect(exchange).toEqual({ outcome: "failed", error: "timeout", sent: true });
  },
  async "accepts TCP, never TLS"() {
    const server = await startTcpServer((socket) => socket.resume());
    const times = { ...hurried, totalMs: 50_000 };
    const exchange = await sent(`https://127.0.0.1:${server.port}/`, { times });
    expect(exchange).toEqual({ outcome: "failed", error: "connect_timeout", sent: false });
    await server.stop();
  },
  async "304"() {
    receiver.answer = (socket) => socket.write(wire(304));
    expect(await sent(receiver.url)).toMatchObject({ outcome: "answered", status: 304 });
  },
  async "301 to https://169.254.169.254/"() {
    const before = receiver.requests.length;
    const headers = { Location: "https://169.254.169.254/" };
    receiver.answer = (socket) => socket.write(wire(301, headers));
    expect(await sent(receiver.url)).toMatchObject({ outcome: "answered", status: 301 });
    expect(receiver.requests.length).toBe(before + 1);
  },
  async "HTTP/2 only"() {
    const server = await startTlsReceiver({ ...trusted, ALPNProtocols: ["h2"] });
    expect(await sent(server.url)).toEqual({ outcome: "failed", error: "tls_failed", sent: false });
    await server.stop();
  },
  async "200, body of 1 GiB of zeros"() {
    receiver.answer = (socket) => {
      socket.write(wire(200, { "Content-Length": String(1_024 ** 3) }));
      const pump = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536)));
      };
      socket.on("drain", pump);
      pump();
    };
    const body = Buffer.alloc(16 * 1_024);
    expect(await sent(receiver.url)).toMatchObject({ outcome: "answered", status: 200, body });
    await eventually(() => expect(receiver.open()).toBe(0));
  },
};

function trickle(socket: TLSSocket): void {
  const timer = setInterval(() => socket.write("x"), 20);
  socket.on("close", () => clearInterval(timer));
}

describe("a delivery to a sample receiver", () => {
  it.each(rowsOf("receiver"))(
    "with the behavior '$input' has the documented result: $expect",
    async ({ input }) => {
      const play = receivers[input];

      expect(play).toBeDefined();
      await play?.();
    },
  );
});

describe("the file of sample addresses, URLs and receivers", () => {
  it("contains only kinds of samples that these tests cover", () => {
    expect(rows).toHaveLength(
      rowsOf("ip").length + rowsOf("url").length + rowsOf("dns").length + rowsOf("receiver").length,
    );
  });
});
