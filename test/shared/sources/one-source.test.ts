import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type ProductScraperId, stepScraperIds } from "../../../shared/scrapers/catalogue.ts";
import type { Answer } from "../../../shared/scrapers/scraper.ts";
import { parseSources, type SourceConfiguration } from "../../../shared/sources/configuration.ts";
import { scraperFor } from "../../../shared/sources/scraper-sources.ts";
import type { SourceDependencies } from "../../../shared/sources/source-parts.ts";
import { aSourceWorld } from "../../support/source-dependencies.ts";

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(endings.splice(0).map((end) => end()));
});

interface Host {
  readonly url: string;
  readonly startedAt: number[];
  atOnceMax(): number;
}

/** Answers every call with the status, after a while. */
async function startHost(status: number, tookMs = 0): Promise<Host> {
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
      response.writeHead(status).end('{"results":[]}');
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  endings.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, startedAt, atOnceMax: () => most };
}

/** Where a server was a moment ago, and is none any more. */
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
  parseSources(JSON.stringify({ ...sandboxes, ...sources }));

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

  it("are one caller to it: one rate, and so many calls at once", async () => {
    const host = await startHost(200, 60);
    const options = { adapter: "upstream", baseUrl: host.url, batchIdsMax: 1 };
    const paced = { ...options, callsPerSecond: 10, burst: 1, callsAtOnceMax: 1 };
    const sources = Object.fromEntries(four.map((id) => [id, paced]));
    const read = reader(sources, aSourceWorld());
    await Promise.all(four.map((id) => read(id, 20, 1)));
    expect(host.atOnceMax()).toBe(1);
    expect(host.startedAt.length).toBeGreaterThan(3);
    expect(host.startedAt.length).toBeLessThanOrEqual(11);
  });

  it("share what it says of being left alone", async () => {
    const host = await startHost(403);
    const options = { adapter: "upstream", baseUrl: host.url, batchIdsMax: 1 };
    const read = reader(Object.fromEntries(four.map((id) => [id, options])), aSourceWorld());
    await read("retailer_d.standard", 40, 5);
    const calls = host.startedAt.length;
    await read("retailer_c.standard", 40, 5);
    expect(calls).toBeGreaterThanOrEqual(5);
    expect(host.startedAt).toHaveLength(calls);
  });
});

it("a slow host of a platform does not hold back its other one", async () => {
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

describe("a source that answers nothing", () => {
  it.each([
    ["refuses connections", closedAddress, "ECONNREFUSED"],
    ["fails at everything", async () => (await startHost(500)).url, "5xx"],
    // An address that resolves nowhere, as a name that is written wrong.
    ["is no host", () => Promise.resolve("https://source.invalid"), /ENOTFOUND|EAI_AGAIN/],
  ])("and %s is told to the operator, once a minute", async (_what, urlOf, word) => {
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
    const [, told] =
      /^retailer_d\.standard: upstream: no call was answered \((\w+)\)$/.exec(warnings[0] ?? "") ??
      [];
    expect(told).toMatch(word);
    expect(replies).toEqual([told, told]);
  });

  it("for it is left alone is told too", async () => {
    const host = await startHost(403);
    const warnings: string[] = [];
    const world = aSourceWorld({ warn: (problem) => warnings.push(problem) });
    const options = { adapter: "upstream", baseUrl: host.url, batchIdsMax: 1 };
    const read = reader({ "retailer_d.standard": options }, world);
    await read("retailer_d.standard", 40, 3);
    await read("retailer_d.standard", 1, 3);
    expect(warnings).toEqual([
      "retailer_d.standard: upstream: the server turns calls away (403)",
      "retailer_d.standard: upstream: no call was answered (circuit_open)",
    ]);
  });

  it("is not what a source is that answers some calls", async () => {
    const host = await startHost(404);
    const warnings: string[] = [];
    const world = aSourceWorld({ warn: (problem) => warnings.push(problem) });
    const read = reader(
      { "retailer_d.standard": { adapter: "upstream", baseUrl: host.url } },
      world,
    );
    await read("retailer_d.standard", 1, 3);
    expect(warnings.join()).not.toContain("no call was answered");
  });
});
