import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { stepScraperIds } from "../../../../shared/scrapers/catalog.ts";
import { parseSources } from "../../../../shared/sources/registry/configuration.ts";
import { scraperFor } from "../../../../shared/sources/registry/scraper-sources.ts";
import { aSourceWorld } from "../../../support/source-dependencies.ts";

const disposers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(disposers.splice(0).map((end) => end()));
});

/**
 * Starts a server that answers after `tookMs` milliseconds, which may depend on the `deadline_ms`
 * of the request.
 */
async function startServer(tookMs: (deadlineMs: number) => number): Promise<string> {
  const server = createServer(async (request, response) => {
    const sent = await Array.fromAsync(request as AsyncIterable<Buffer>);
    const asked = JSON.parse(Buffer.concat(sent).toString()) as {
      readonly ids: readonly string[];
      readonly deadline_ms: number;
    };
    await delay(tookMs(asked.deadline_ms));
    const results = asked.ids.map((id) => ({ id, status: "not_found" }));
    response.end(JSON.stringify({ results }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  disposers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function read(
  baseUrl: string,
  options: Readonly<Record<string, unknown>>,
  { ids, withinMs }: { readonly ids: readonly string[]; readonly withinMs: number },
): Promise<string[]> {
  const sources = Object.fromEntries(stepScraperIds.map((id) => [id, { adapter: "sandbox" }]));
  const scraper = "retailer_d.standard";
  const source = { adapter: "upstream", baseUrl, ...options };
  const configured = parseSources(JSON.stringify({ ...sources, [scraper]: source }));
  const deadline = new Date(Date.now() + withinMs);
  const answers = await scraperFor(
    configured,
    aSourceWorld(),
  )(scraper).read({ scraper, marketplace: "us", ids, deadline });
  return answers.map(({ status }) => status);
}

it("the upstream scraper accepts a reply that the server sends at its deadline", async () => {
  const url = await startServer((deadlineMs) => deadlineMs);
  const asked = { ids: ["1234567"], withinMs: 5_000 };
  expect(await read(url, { tryTimeoutMs: 1_000 }, asked)).toEqual(["not_found"]);
});

it("the upstream scraper sends the remaining time with a call that waited for the end of another call", async () => {
  const deadlines: number[] = [];
  const url = await startServer((deadlineMs) => {
    deadlines.push(deadlineMs);
    return deadlines.length === 1 ? 1_000 : deadlineMs;
  });
  const options = { batchIdsMax: 1, callsAtOnceMax: 1, callsPerSecond: 100 };
  const asked = { ids: ["1234567", "1234568"], withinMs: 2_500 };
  expect(await read(url, options, asked)).toEqual(["not_found", "not_found"]);
  expect(deadlines[1]).toBeLessThanOrEqual(1_250);
});
