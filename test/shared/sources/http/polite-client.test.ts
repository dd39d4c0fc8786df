import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { Clock } from "../../../../shared/base/clock.ts";
import { systemClock } from "../../../../shared/base/system.ts";
import {
  sourceClient,
  type SourceClientOptions,
  temporaryStatuses,
} from "../../../../shared/sources/http/polite-client.ts";
import { localRateBudget } from "../../../../shared/sources/http/rate-budget.ts";
import type { SourceClient, SourceReply } from "../../../../shared/sources/http/source-client.ts";
import type { SourceEvent } from "../../../../shared/sources/http/source-event.ts";

const canary = "canary-key-93c1";
type React = (call: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The position of this call among all calls, from 1. */
  readonly number: number;
}) => unknown;

interface Double {
  readonly url: URL;
  readonly startedAt: number[];
  readonly sockets: Set<unknown>;
  atOnceMax(): number;
}
const disposers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(disposers.splice(0).map((end) => end()));
});

async function startDouble(react: React): Promise<Double> {
  const startedAt: number[] = [];
  const sockets = new Set<unknown>();
  let inWork = 0;
  let most = 0;
  const server = createServer((request, response) => {
    startedAt.push(Date.now());
    sockets.add(request.socket);
    inWork += 1;
    most = Math.max(most, inWork);
    response.once("close", () => {
      inWork -= 1;
    });
    react({ request, response, number: startedAt.length });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  disposers.push(async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  });
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/items?key=${canary}`);
  return { url, startedAt, sockets, atOnceMax: () => most };
}

let events: SourceEvent[] = [];
let nowShiftMs = 0;
afterEach(() => {
  events = [];
  sleptMs = [];
  nowShiftMs = 0;
});
let sleptMs: number[] = [];
/** A clock with real time, which a test can advance. */
const clock = {
  now: () => new Date(Date.now() + nowShiftMs),
  sleep: (ms: number) => {
    sleptMs.push(ms);
    return systemClock.sleep(ms);
  },
};
/** Returns a clock whose time never advances. It records how long each caller must wait. */
const recordingClock = (waits: number[]): Clock => {
  const now = new Date();
  return {
    now: () => now,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
    },
  };
};
const noJitter = { bytes: (length: number) => new Uint8Array(length), fraction: () => 0 };

const clientWith = (
  options: Partial<SourceClientOptions> = {},
  clockOfClient: Clock = clock,
): SourceClient =>
  sourceClient(
    {
      name: "double",
      callsPerSecond: 1_000,
      burst: 100,
      callsAtOnce: 100,
      tryTimeoutMs: 5_000,
      bytesMax: 10_000,
      isTemporary: (status) => temporaryStatuses.has(status),
      userAgent: "test/1.0",
      ...options,
    },
    {
      clock: clockOfClient,
      random: noJitter,
      budget: localRateBudget(),
      note: (event) => events.push(event),
    },
  );

const within = (ms: number): Date => new Date(clock.now().getTime() + ms);
const get = (client: SourceClient, { url }: Double, ms = 10_000): Promise<SourceReply> =>
  client.send({ method: "GET", url }, within(ms));
const textOf = (reply: SourceReply): string =>
  reply.kind === "answered" ? new TextDecoder().decode(reply.body) : reply.kind;
const resultOf = (reply: SourceReply): unknown =>
  reply.kind === "answered" ? reply.status : reply.kind;
const answer =
  (status: number, headers: Record<string, string> = {}): React =>
  ({ response }) =>
    response.writeHead(status, headers).end("body");

describe("a call of the source client", () => {
  it("sends its method, body, headers and User-Agent", async () => {
    const double = await startDouble(async ({ request, response }) => {
      const sent = await Array.fromAsync(request as AsyncIterable<Buffer>);
      const { method, headers } = request;
      const body = Buffer.concat(sent).toString();
      response.setHeader("X-Sent", "yes").end(JSON.stringify({ method, headers, body }));
    });
    const reply = await clientWith().send(
      { method: "POST", url: double.url, headers: { Accept: "application/json" }, body: "{}" },
      within(5_000),
    );
    expect(JSON.parse(textOf(reply))).toMatchObject({
      method: "POST",
      body: "{}",
      headers: { "user-agent": "test/1.0", accept: "application/json" },
    });
    expect(reply.kind === "answered" && reply.headers.get("x-sent")).toBe("yes");
  });

  it("uses the connection of the previous call again", async () => {
    const double = await startDouble(answer(200));
    const client = clientWith();
    for (let n = 0; n < 5; n += 1) {
      await get(client, double);
      // A connection can be used again shortly after its answer was read.
      await delay(5);
    }
    expect(double.sockets.size).toBe(1);
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ] as const)("decompresses a response with the encoding %s", async (encoding, pack) => {
    const double = await startDouble(({ response }) =>
      response.writeHead(200, { "Content-Encoding": encoding }).end(pack("packed")),
    );
    expect(textOf(await get(clientWith(), double))).toBe("packed");
  });

  it("stops receiving at the maximum size of the decompressed response", async () => {
    const bomb = await startDouble(({ response }) =>
      response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync("x".repeat(10_001))),
    );
    expect(await get(clientWith(), bomb)).toEqual({ kind: "too_large" });
    let isClosed = false;
    const endless = await startDouble(({ response }) => {
      const timer = setInterval(() => response.write("x".repeat(1_000)), 1);
      response.once("close", () => {
        clearInterval(timer);
        isClosed = true;
      });
    });
    expect(await get(clientWith(), endless)).toEqual({ kind: "too_large" });
    await expect.poll(() => isClosed).toBe(true);
  });

  it("follows no redirect", async () => {
    const other = await startDouble(answer(200));
    const double = await startDouble(answer(302, { Location: other.url.href }));
    expect(resultOf(await get(clientWith(), double))).toBe(302);
    expect(other.startedAt).toHaveLength(0);
  });
});

/** Longer than any test takes, so a call that ends earlier was ended by another limit. */
const neverMs = 3_600_000;

describe("the deadline of a source client's call", () => {
  it("ends an attempt that hangs before the response or within its body", async () => {
    const silent = await startDouble(() => undefined);
    const stuck = await startDouble(({ response }) => response.writeHead(200).write("begun"));
    const patient = { tryTimeoutMs: neverMs };
    const replies = await Promise.all([
      get(clientWith(patient), silent, 300),
      get(clientWith(patient), stuck, 300),
    ]);
    expect(replies.map(({ kind }) => kind)).toEqual(["no_time", "no_time"]);
  });

  it("ends the wait of a call, both for the end of another call and for the start time of the call", async () => {
    const silent = await startDouble(() => undefined);
    const crowded = clientWith({ callsAtOnce: 1, tryTimeoutMs: neverMs });
    const slow = clientWith({ callsPerSecond: 0.5, burst: 1, tryTimeoutMs: neverMs });
    void get(crowded, silent, neverMs);
    void get(slow, silent, neverMs);
    const replies = await Promise.all([get(crowded, silent, 200), get(slow, silent, 200)]);
    expect(replies).toEqual([{ kind: "no_time" }, { kind: "no_time" }]);
    await expect.poll(() => silent.startedAt).toHaveLength(2);
  });

  it("prevents a start of the call after the deadline", async () => {
    const double = await startDouble(answer(200));
    expect(await get(clientWith(), double, 0)).toEqual({ kind: "no_time" });
    expect(double.startedAt).toHaveLength(0);
  });

  it("allows a retry after an attempt that reached the time limit of a single attempt", async () => {
    const double = await startDouble(({ response, number }) => number > 1 && response.end("there"));
    expect(textOf(await get(clientWith({ tryTimeoutMs: 200 }), double))).toBe("there");
  });
});

describe("a retry of the source client", () => {
  it.each([408, 425, 429, 500, 502, 503, 504])(
    "is made after the response status %d",
    async (status) => {
      const double = await startDouble((call) => answer(call.number === 1 ? status : 200)(call));
      expect(resultOf(await get(clientWith(), double))).toBe(200);
    },
  );

  it.each([400, 401, 404, 501])("is not made after the response status %d", async (status) => {
    const double = await startDouble(answer(status));
    expect(resultOf(await get(clientWith(), double))).toBe(status);
    expect(double.startedAt).toHaveLength(1);
  });

  it("is sent with a new body that contains the remaining time", async () => {
    const leftTimes: number[] = [];
    const sent: number[] = [];
    const double = await startDouble(async ({ request, response, number }) => {
      sent.push(Number(Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))));
      response.writeHead(number < 2 ? 503 : 200, { "Retry-After": "1" }).end();
    });
    const body = (leftMs: number): string => {
      leftTimes.push(leftMs);
      return String(leftMs);
    };
    const patient = clientWith({ tryTimeoutMs: neverMs });
    await patient.send({ method: "POST", url: double.url, body }, within(60_000));
    expect(sent).toEqual(leftTimes);
    expect(leftTimes[0]).toBeLessThanOrEqual(60_000);
    expect(leftTimes[1]).toBeLessThanOrEqual((leftTimes[0] ?? 0) - 990);
    expect(leftTimes[1]).toBeGreaterThan(0);
    await clientWith({ tryTimeoutMs: 700 }).send(
      { method: "POST", url: double.url, body },
      within(60_000),
    );
    expect(leftTimes[2]).toBe(700);
  });

  it.each(["3600", "99999999999", "9".repeat(400)])(
    "is not made if Retry-After demands a wait of %s seconds",
    async (seconds) => {
      const double = await startDouble(answer(503, { "Retry-After": seconds }));
      expect(resultOf(await get(clientWith(), double))).toBe("no_time");
      expect(double.startedAt).toHaveLength(1);
    },
  );

  it("is made at most twice, and then the last response is returned", async () => {
    const double = await startDouble(answer(503));
    expect(resultOf(await get(clientWith(), double))).toBe(503);
    expect(double.startedAt).toHaveLength(3);
    expect(events).toEqual([
      {
        kind: "call",
        reply: "5xx",
        responded: "no",
        milliseconds: expect.any(Number),
        tries: 3,
        throttled: 0,
      },
    ]);
  });

  it.each([
    ["seconds", () => "1"],
    ["a date", () => new Date(Date.now() + 2_000).toUTCString()],
  ])("waits as long as Retry-After demands, in the form of %s", async (_form, header) => {
    const double = await startDouble((call) =>
      answer(call.number === 1 ? 429 : 200, { "Retry-After": header() })(call),
    );
    expect(resultOf(await get(clientWith(), double))).toBe(200);
    const [first = 0, second = 0] = double.startedAt;
    expect(second - first).toBeGreaterThanOrEqual(950);
  });

  it("is made after a response whose body asks the client to wait, even if the status would prevent a retry", async () => {
    const asksToWait: SourceClientOptions["asksToWait"] = ({ headers }) =>
      headers.has("x-busy") ? { waitMs: 30 } : undefined;
    const busy = { "X-Busy": "1" };
    const double = await startDouble((call) =>
      answer(
        403,
        call.number === 1 ? busy : call.number === 2 ? { ...busy, "Retry-After": "0" } : {},
      )(call),
    );
    const client = clientWith({ asksToWait, isBlock: () => false });
    expect(resultOf(await get(client, double))).toBe(403);
    expect(double.startedAt).toHaveLength(3);
    expect(sleptMs).toEqual([30, 0]);
  });

  it("is made for at most about a fifth of the calls, even if each response asks the client to wait", async () => {
    const double = await startDouble(answer(200));
    const client = clientWith({ asksToWait: () => ({ waitMs: 0 }) });
    await Promise.all(Array.from({ length: 100 }, () => get(client, double)));
    expect(double.startedAt.length - 100).toBeLessThanOrEqual(10 + 100 * 0.2);
  });

  it("delays the other calls as long as Retry-After demands, and makes a call with an earlier deadline fail", async () => {
    const waits: number[] = [];
    const double = await startDouble((call) =>
      answer(call.number === 1 ? 429 : 200, { "Retry-After": "7" })(call),
    );
    const client = clientWith({}, recordingClock(waits));
    expect(resultOf(await get(client, double))).toBe(200);
    expect(resultOf(await get(client, double, 5_000))).toBe("no_time");
    expect(resultOf(await get(client, double))).toBe(200);
    // The clock stands still. The client also waits a few milliseconds to keep its rate of calls;
    // the test ignores these waits.
    expect(waits.filter((ms) => ms >= 1_000)).toEqual([7_000, 7_000]);
  });

  it("delays other calls for at most five minutes", async () => {
    const waits: number[] = [];
    const double = await startDouble((call) =>
      answer(call.number === 1 ? 503 : 200, { "Retry-After": "86400" })(call),
    );
    const client = clientWith({}, recordingClock(waits));
    expect(resultOf(await get(client, double))).toBe("no_time");
    expect(resultOf(await get(client, double, 301_000))).toBe(200);
    expect(waits.filter((ms) => ms >= 1_000)).toEqual([300_000]);
  });

  it("is not made if Retry-After demands a wait beyond the deadline", async () => {
    const double = await startDouble(answer(429, { "Retry-After": "60" }));
    expect(await get(clientWith(), double)).toEqual({ kind: "no_time" });
    expect(sleptMs).toEqual([]);
  });

  it("is made immediately, without counting as an attempt, if the server has closed a kept-alive connection", async () => {
    const double = await startDouble(({ request, response, number }) => {
      if (number === 2 || number > 3) request.socket.destroy();
      else response.end("there");
    });
    const client = clientWith();
    expect(textOf(await get(client, double))).toBe("there");
    expect(textOf(await get(client, double))).toBe("there");
    expect(events.map((event) => event.kind === "call" && event.tries)).toEqual([1, 1]);
    expect(await get(client, double)).toEqual({ kind: "broken" });
    // The third call has three tries. The repeat of its first request is not counted as a try, so
    // the call sends four requests.
    expect(double.startedAt).toHaveLength(3 + 4);
  });

  it("is made for at most about a fifth of the calls while every call to a source fails", async () => {
    const double = await startDouble(answer(500));
    const client = clientWith();
    await Promise.all(Array.from({ length: 200 }, () => get(client, double)));
    expect(double.startedAt.length - 200).toBeGreaterThanOrEqual(10);
    expect(double.startedAt.length - 200).toBeLessThanOrEqual(10 + 200 * 0.2);
  });
});

describe("the rate of the source client", () => {
  it("limits the number of concurrent calls", async () => {
    let inWork: ServerResponse[] = [];
    const double = await startDouble(async ({ response }) => {
      inWork.push(response);
      if (inWork.length < 3) return;
      const three = inWork;
      inWork = [];
      // Leaves time for a fourth call to arrive.
      await delay(20);
      for (const one of three) one.end();
    });
    const client = clientWith({ callsAtOnce: 3 });
    await Promise.all(Array.from({ length: 12 }, () => get(client, double)));
    expect(double.atOnceMax()).toBe(3);
  });

  it("allows a burst of calls, and then a constant number of calls per second", async () => {
    const double = await startDouble(answer(200));
    const waits: number[] = [];
    const client = clientWith({ callsPerSecond: 20, burst: 5 }, recordingClock(waits));
    await Promise.all(Array.from({ length: 15 }, () => get(client, double)));
    expect(double.startedAt).toHaveLength(15);
    // The first five calls start at once without waiting.
    expect(waits.toSorted((a, b) => a - b)).toEqual([
      50, 100, 150, 200, 250, 300, 350, 400, 450, 500,
    ]);
  });

  it("is halved after the source returns 503", async () => {
    const double = await startDouble((call) => answer(call.number === 1 ? 503 : 200)(call));
    const client = clientWith({ callsPerSecond: 40, burst: 1, isTemporary: () => false });
    await get(client, double);
    await Promise.all(Array.from({ length: 11 }, () => get(client, double)));
    const [, second = 0] = double.startedAt;
    // At half the rate, the eleven calls take half a second; at the full rate, a quarter.
    expect((double.startedAt.at(-1) ?? 0) - second).toBeGreaterThanOrEqual(400);
  });
});

describe("the circuit of the source client", () => {
  it("opens after five refusals in a row, allows one trial call per minute, and closes after a success", async () => {
    let status = 403;
    const double = await startDouble((call) => answer(status)(call));
    const client = clientWith();
    for (let n = 0; n < 5; n += 1) expect(resultOf(await get(client, double))).toBe(403);
    expect(await get(client, double)).toEqual({ kind: "circuit_open" });
    expect(events.filter(({ kind }) => kind === "circuit_opened")).toHaveLength(1);
    nowShiftMs = 61_000;
    const probes = await Promise.all([get(client, double), get(client, double)]);
    expect(new Set(probes.map(resultOf))).toEqual(new Set([403, "circuit_open"]));
    expect(await get(client, double)).toEqual({ kind: "circuit_open" });
    nowShiftMs = 122_000;
    status = 200;
    expect(resultOf(await get(client, double))).toBe(200);
    expect(resultOf(await get(client, double))).toBe(200);
    expect(double.startedAt).toHaveLength(5 + 1 + 2);
  });

  it("stays closed if the source accepts a call between two refusals", async () => {
    const double = await startDouble((call) => answer(call.number % 5 === 0 ? 200 : 403)(call));
    const client = clientWith();
    for (let n = 0; n < 20; n += 1) await get(client, double);
    expect(double.startedAt).toHaveLength(20);
  });

  it("counts concurrent calls with the response 429 as one refusal", async () => {
    const double = await startDouble(async (call) => {
      await delay(50);
      answer(call.number <= 30 ? 429 : 200)(call);
    });
    const client = clientWith({ isTemporary: () => false });
    await Promise.all(Array.from({ length: 30 }, () => get(client, double)));
    expect(resultOf(await get(client, double))).toBe(200);
  });

  it("opens after five responses in a row that 'isBlock' recognizes as a block", async () => {
    const double = await startDouble(answer(200));
    const client = clientWith({ isBlock: ({ body }) => new TextDecoder().decode(body) === "body" });
    for (let n = 0; n < 5; n += 1) await get(client, double);
    expect(await get(client, double)).toEqual({ kind: "circuit_open" });
  });
});

describe("the events of the source client", () => {
  it("contain the number of tries and of 429 responses, and no address", async () => {
    const double = await startDouble((call) =>
      answer(call.number < 3 ? 429 : 200, { "Retry-After": "0" })(call),
    );
    await get(clientWith(), double);
    await get(clientWith({ tryTimeoutMs: 100 }), await startDouble(() => undefined), 50);
    expect(events).toMatchObject([
      { kind: "call", reply: "2xx", tries: 3, throttled: 2 },
      { kind: "call", reply: "timeout", tries: 1, throttled: 0 },
    ]);
    expect(JSON.stringify(events)).not.toContain(canary);
  });
});
