import { once } from "node:events";
import { createServer, type OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type ProductScraperId, stepScraperIds } from "../../../../shared/scrapers/catalog.ts";
import type { Answer } from "../../../../shared/scrapers/scraper.ts";
import {
  parseSources,
  type SourceConfiguration,
} from "../../../../shared/sources/registry/configuration.ts";
import { systemClock } from "../../../../shared/base/system.ts";
import { tokensByKey } from "../../../../shared/sources/price-history/tokens.ts";
import { localRateBudget, type RateBudget } from "../../../../shared/sources/http/rate-budget.ts";
import { scraperFor } from "../../../../shared/sources/registry/scraper-sources.ts";
import type { SourceReport } from "../../../../shared/sources/registry/report.ts";
import type { SourceDependencies } from "../../../../shared/sources/registry/parts.ts";
import { aSourceWorld } from "../../../support/source-dependencies.ts";

const disposers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(disposers.splice(0).map((end) => end()));
});

interface Host {
  readonly url: string;
  readonly startedAt: number[];
  atOnceMax(): number;
}

interface Habits {
  readonly tookMs?: number;
  readonly body?: string;
  readonly headers?: OutgoingHttpHeaders;
}

/** Starts a host that answers every call with the status after a delay. */
async function startHost(
  status: number,
  { tookMs = 0, body = '{"results":[]}', headers = {} }: Habits = {},
): Promise<Host> {
  const startedAt: number[] = [];
  let inWork = 0;
  let most = 0;
  const server = createServer((request, response) => {
    request.resume();
    startedAt.push(Date.now());
    inWork += 1;
    most = Math.max(most, inWork);
    void delay(tookMs).then(() => {
      inWork -= 1;
      response.writeHead(status, headers).end(body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  disposers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, startedAt, atOnceMax: () => most };
}

/** Returns an address where a server has just stopped. */
async function closedAddress(): Promise<string> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}

const sandboxes = Object.fromEntries(stepScraperIds.map((id) => [id, { adapter: "sandbox" }]));
const configured = (sources: Readonly<Record<string, unknown>>): SourceConfiguration =>
  parseSources(JSON.stringify({ ...sandboxes, ...sources }), { allowVariables: true });

type Read = (id: ProductScraperId, count: number, seconds: number) => Promise<readonly Answer[]>;

function reader(sources: Readonly<Record<string, unknown>>, world: SourceDependencies): Read {
  const scrapers = scraperFor(configured(sources), world);
  return (scraper, count, seconds) =>
    scrapers(scraper).read({
      scraper,
      marketplace: "us",
      ids: Array.from({ length: count }, (_, n) => String(1_000_000 + n)),
      deadline: new Date(Date.now() + seconds * 1_000),
    });
}

describe("scrapers that read from one host", () => {
  const four = [
    "retailer_a.lite",
    "retailer_b.standard",
    "retailer_c.standard",
    "retailer_d.standard",
  ] as const;

  it("share one limit for the rate of calls and one limit for concurrent calls", async () => {
    const host = await startHost(200, { tookMs: 20 });
    const options = { adapter: "upstream", baseUrl: host.url, batchIdsMax: 1 };
    const paced = { ...options, callsPerSecond: 0.1, burst: 1, callsAtOnceMax: 1 };
    const sources = Object.fromEntries(four.map((id) => [id, paced]));
    // The clock advances immediately when code sleeps.
    let now = Date.now();
    const sleep = async (ms: number): Promise<void> => void (now += ms);
    const read = reader(sources, aSourceWorld({ clock: { now: () => new Date(now), sleep } }));
    await Promise.all(four.map((id) => read(id, 20, 95)));
    expect(host.atOnceMax()).toBe(1);
    // At a rate of one call in ten seconds, ten calls start within 95 seconds.
    expect(host.startedAt).toHaveLength(10);
  });

  it("all stop calling the host while the circuit of one of the scrapers is open", async () => {
    const host = await startHost(403, { body: "<html>keep out</html>" });
    const options = { adapter: "upstream", baseUrl: host.url, batchIdsMax: 1 };
    const read = reader(Object.fromEntries(four.map((id) => [id, options])), aSourceWorld());
    await read("retailer_d.standard", 40, 5);
    const calls = host.startedAt.length;
    await read("retailer_c.standard", 40, 5);
    expect(calls).toBeGreaterThanOrEqual(5);
    expect(host.startedAt).toHaveLength(calls);
  });
});

it("a host's refusal of one key does not prevent calls with another key", async () => {
  const host = await startHost(403, { body: '{"error":"key"}' });
  const options = { adapter: "upstream", baseUrl: host.url, batchIdsMax: 1 };
  const read = reader(
    {
      "retailer_b.standard": { ...options, secret: "/sources/bad" },
      "retailer_d.standard": { ...options, secret: "/sources/good" },
    },
    aSourceWorld(),
  );
  await read("retailer_b.standard", 10, 3);
  expect(host.startedAt).toHaveLength(10);
  await read("retailer_d.standard", 1, 3);
  expect(host.startedAt).toHaveLength(11);
});

describe("a price history API without tokens", () => {
  const tooFew = { tokensLeft: 0, refillIn: 50, refillRate: 6_000 };
  const options = { adapter: "a_history", secret: "/sources/a", callsPerSecond: 100, burst: 1 };

  it("neither opens the circuit nor lowers the rate of calls", async () => {
    const host = await startHost(429, { body: JSON.stringify(tooFew) });
    const opened: number[] = [];
    const paces = new Set<number>();
    const own = localRateBudget();
    const budget: RateBudget = {
      take(source, ask, now) {
        paces.add(ask.perSecond);
        return own.take(source, ask, now);
      },
    };
    const report = ({ calls }: SourceReport): unknown => opened.push(calls.circuitsOpened);
    const world = aSourceWorld({ budget, report });
    const read = reader({ "retailer_a.pulse": { ...options, baseUrl: host.url } }, world);
    for (let n = 0; n < 8; n += 1) await read("retailer_a.pulse", 1, 3);
    expect(host.startedAt).toHaveLength(16);
    expect(opened).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(paces).toEqual(new Set([100]));
  });

  it.each([
    ["a refill that never comes", { account: { ...tooFew, refillIn: 9e15 }, ms: 60_000 }],
    [
      "a refill of 0 tokens in an hour",
      { account: { ...tooFew, refillIn: 3_600_000, refillRate: 0 }, ms: 60_000 },
    ],
    [
      "a debt that never ends",
      { account: { ...tooFew, tokensLeft: -9e15, refillRate: 1 }, ms: 300_000 },
    ],
    ["a Retry-After of a day", { headers: { "Retry-After": "86400" }, ms: 300_000 }],
  ])(
    "is called again later, with a warning to the operator, if its report is not plausible (it reports %s)",
    async (_, reported) => {
      const {
        account = {},
        headers = {},
        ms,
      } = { account: undefined, headers: undefined, ...reported };
      const host = await startHost(429, { body: JSON.stringify(account), headers });
      const warnings: string[] = [];
      let shiftMs = 0;
      const clock = { ...systemClock, now: () => new Date(Date.now() + shiftMs) };
      const warn = (problem: string): unknown => warnings.push(problem);
      const world = aSourceWorld({ clock, warn, tokens: tokensByKey(clock) });
      const scraper = "retailer_a.pulse";
      const sources = configured({ [scraper]: { ...options, baseUrl: host.url } });
      const read = (): Promise<readonly Answer[]> =>
        scraperFor(
          sources,
          world,
        )(scraper).read({
          scraper,
          marketplace: "us",
          ids: ["B000000001"],
          deadline: new Date(clock.now().getTime() + 1_000),
        });
      await read();
      shiftMs = ms - 5_000;
      await read();
      expect(host.startedAt).toHaveLength(1);
      expect(warnings).toContain(
        "retailer_a.pulse: a_history: out of tokens; items that get no tokens before the deadline are unavailable; read fewer items, or get more tokens",
      );
      shiftMs = ms;
      await read();
      expect(host.startedAt).toHaveLength(2);
    },
  );

  it("has one token balance per API key, even if two references name the same key differently", async () => {
    const host = await startHost(429, { body: JSON.stringify({ ...tooFew, refillIn: 60_000 }) });
    const arn = "arn:aws:ssm:us-east-1:123456789012:parameter/sources/a";
    const whole = { ...options, baseUrl: host.url };
    const sources = { "retailer_a.pulse": whole, "retailer_a.lite": { ...whole, secret: arn } };
    const read = reader(sources, aSourceWorld());
    await read("retailer_a.pulse", 1, 2);
    await read("retailer_a.lite", 1, 2);
    expect(host.startedAt).toHaveLength(1);
  });
});

describe("a crawl delay of a site", () => {
  const crawlDelayMs = 600;
  /** Starts a site that answers every request for a page with this status. */
  async function startSite(status: number): Promise<{ url: string; pagesAt: number[] }> {
    const pagesAt: number[] = [];
    const server = createServer((request, response) => {
      if (request.url === "/robots.txt") {
        response.end(`User-agent: *\nCrawl-delay: ${crawlDelayMs / 1_000}\n`);
        return;
      }
      pagesAt.push(Date.now());
      response.writeHead(status).end("<html></html>");
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    disposers.push(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, pagesAt };
  }
  const userAgent = "AcmeBot/1.0 (+https://acme.example/bot)";
  /** Only the crawl delay limits these calls. */
  const fast = { adapter: "web", userAgent, callsPerSecond: 10, burst: 50 };
  /**
   * The earliest time at which the last of `pages` calls can arrive, if the first one started at
   * `startedAt` or later. A busy machine delays calls, so the gap between two calls can be shorter
   * than the crawl delay. The last call is nevertheless never earlier than this. A timer can fire 1
   * ms early.
   */
  const earliestEnd = (startedAt: number, pages: number): number =>
    startedAt + (pages - 1) * (crawlDelayMs - 1);

  it("applies to retries as well as to first tries", async () => {
    const site = await startSite(500);
    const source = { ...fast, urlTemplate: `${site.url}/p/{id}` };
    const startedAt = Date.now();
    await reader({ "retailer_d.standard": source }, aSourceWorld())("retailer_d.standard", 1, 9);
    expect(site.pagesAt).toHaveLength(3);
    expect(site.pagesAt.at(-1)).toBeGreaterThanOrEqual(earliestEnd(startedAt, 3));
  });

  it("is shared by all readers of the site, even by readers in other processes", async () => {
    const site = await startSite(404);
    const source = { ...fast, urlTemplate: `${site.url}/p/{id}` };
    const sources = { "retailer_c.standard": source, "retailer_d.standard": source };
    const budget = localRateBudget();
    const [one, other] = [0, 1].map(() => reader(sources, aSourceWorld({ budget })));
    const startedAt = Date.now();
    await Promise.all([
      one?.("retailer_c.standard", 2, 9),
      one?.("retailer_d.standard", 1, 9),
      other?.("retailer_c.standard", 1, 9),
    ]);
    expect(site.pagesAt).toHaveLength(4);
    expect(site.pagesAt.at(-1)).toBeGreaterThanOrEqual(earliestEnd(startedAt, 4));
  });
});

it("a slow host of a platform does not delay the platform's other host", async () => {
  const [slow, fast] = [await startHost(200), await startHost(200)];
  const paced = { callsPerSecond: 0.5, burst: 1, batchIdsMax: 1 };
  const read = reader(
    {
      "retailer_a.lite": { adapter: "upstream", baseUrl: slow.url, ...paced },
      "retailer_a.pulse": { adapter: "upstream", baseUrl: fast.url },
    },
    aSourceWorld(),
  );
  const waiting = read("retailer_a.lite", 10, 2);
  await delay(50);
  await read("retailer_a.pulse", 1, 1);
  expect(fast.startedAt).toHaveLength(1);
  await waiting;
  expect(slow.startedAt.length).toBeLessThanOrEqual(2);
});

describe("the warning about a read in which every call failed", () => {
  it.each([
    ["refused connections", closedAddress, "ECONNREFUSED"],
    ["failures of every call", async () => (await startHost(500)).url, "5xx"],
    // A name that does not resolve, such as a misspelled name.
    [
      "a host name that does not resolve",
      () => Promise.resolve("https://source.invalid"),
      /ENOTFOUND|EAI_AGAIN/,
    ],
  ])("is written once a minute and names the cause (%s)", async (_what, urlOf, word) => {
    const url = await urlOf();
    const warnings: string[] = [];
    const replies: string[] = [];
    const world = aSourceWorld({
      warn: (problem) => warnings.push(problem),
      report: ({ calls }) => replies.push(...Object.keys(calls.replies)),
    });
    const source = { adapter: "upstream", baseUrl: url };
    const read = reader({ "retailer_d.standard": source }, world);
    await read("retailer_d.standard", 1, 3);
    await read("retailer_d.standard", 1, 3);
    expect(warnings).toHaveLength(1);
    const [, reported] =
      /^retailer_d\.standard: upstream: all calls of a read failed; check the source and its secret \((\w+)\)$/.exec(
        warnings[0] ?? "",
      ) ?? [];
    expect(reported).toMatch(word);
    expect(replies).toEqual([reported, reported]);
  });

  it("names an open circuit as the cause", async () => {
    const host = await startHost(403, { body: "<html>keep out</html>" });
    const warnings: string[] = [];
    const world = aSourceWorld({ warn: (problem) => warnings.push(problem) });
    const options = { adapter: "upstream", baseUrl: host.url, batchIdsMax: 1 };
    const read = reader({ "retailer_d.standard": options }, world);
    await read("retailer_d.standard", 40, 3);
    await read("retailer_d.standard", 1, 3);
    expect(warnings).toEqual([
      "retailer_d.standard: upstream: the server refuses the key (403); check the secret and the options of the adapter",
      "retailer_d.standard: upstream: all calls of a read failed; check the source and its secret (circuit_open)",
    ]);
  });

  it.each(["600", "0"])(
    'advises a lower rate if every response is a 429 with Retry-After "%s"',
    async (seconds) => {
      const host = await startHost(429, { headers: { "Retry-After": seconds } });
      const warnings: string[] = [];
      const world = aSourceWorld({ warn: (problem) => warnings.push(problem) });
      const source = { adapter: "upstream", baseUrl: host.url };
      await reader({ "retailer_d.standard": source }, world)("retailer_d.standard", 1, 3);
      expect(warnings).toEqual([
        "retailer_d.standard: upstream: all calls of a read failed, and the source throttled calls (429); lower callsPerSecond",
      ]);
    },
  );

  it("is written for a failed read even if another read succeeds at the same time", async () => {
    let number = 0;
    const server = createServer((request, response) => {
      request.resume();
      number += 1;
      // Only the first call is answered.
      if (number === 1) response.end('{"results":[]}');
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    disposers.push(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    });
    const reports: Readonly<Record<string, number>>[] = [];
    const world = aSourceWorld({ report: ({ calls }) => reports.push(calls.replies) });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const source = { adapter: "upstream", baseUrl: url, batchIdsMax: 1 };
    const read = reader({ "retailer_d.standard": source }, world);
    const first = read("retailer_d.standard", 2, 1.5);
    await delay(200);
    await read("retailer_d.standard", 1, 0.4);
    await first;
    expect(reports).toEqual([{ timeout: 1 }, { "2xx": 1, timeout: 1 }]);
  });

  it("is not written if the source responded, even with a refusal", async () => {
    const host = await startHost(404);
    const warnings: string[] = [];
    const world = aSourceWorld({ warn: (problem) => warnings.push(problem) });
    const read = reader(
      { "retailer_d.standard": { adapter: "upstream", baseUrl: host.url } },
      world,
    );
    await read("retailer_d.standard", 1, 3);
    expect(warnings.join()).not.toContain("no call succeeded");
  });
});
