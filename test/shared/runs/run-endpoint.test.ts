/**
 * Tests which webhook endpoint gets the events of a run (specification, section "Events", rules 1
 * and 2).
 */
import { describe, expect, it } from "vitest";
import { newId } from "../../../shared/base/ids.ts";
import { systemRandom } from "../../../shared/base/system.ts";
import { finishRun } from "../../../shared/runs/finish-run.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import type { WebhookEndpoint } from "../../../shared/webhooks/endpoint.ts";
import { anEndpoint } from "../../support/an-endpoint.ts";
import { type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();

const urlA = "https://a.shop.example.org/hook";
const urlB = "https://b.shop.example.org/hook";

/**
 * Creates an account without credits, and functions that create a watchlist and change its
 * endpoint. Without credits, a run reaches its finisher after one message.
 */
async function openScene() {
  const bench = await startRunBench({ tables, credits: 0 });
  const { id: accountId } = await bench.account();
  const register = async (url: string): Promise<WebhookEndpoint> => {
    const at = bench.clock.now();
    const endpoint = anEndpoint({
      id: newId("webhookEndpoint", at, systemRandom),
      accountId,
      url,
      registeredUrl: url,
      createdAt: at.toISOString(),
    });
    await bench.endpoints.create(accountId, endpoint);
    return endpoint;
  };
  const move = async (endpoint: WebhookEndpoint, url: string): Promise<void> => {
    const updatedAt = new Date(Date.parse(endpoint.updatedAt) + 1).toISOString();
    await bench.endpoints.replace(endpoint, { ...endpoint, url, updatedAt });
  };
  const remove = ({ id }: WebhookEndpoint): Promise<boolean> =>
    bench.endpoints.delete(accountId, id, bench.clock.now());
  const listOf = ({ id, url }: WebhookEndpoint): Promise<Watchlist> =>
    bench.createList(["10001"], { webhookEndpointId: id, webhookUrl: url });
  return { bench, register, move, remove, listOf };
}

/**
 * Finishes the run in progress. Returns the ID of the webhook endpoint for which the run publishes
 * its events; null for none.
 */
async function end(bench: RunBench, list: Watchlist): Promise<string | null> {
  const published: (string | null)[] = [];
  await finishRun(await bench.lastRun(list), {
    ...bench,
    publisher: {
      publish: async ({ webhookEndpointId }) => void published.push(webhookEndpointId),
    },
  });
  expect(published).toHaveLength(1);
  return published[0] ?? null;
}

describe("the endpoint that receives a run's events", () => {
  it("is the endpoint of the watchlist, and the watchlist stores its current URL", async () => {
    const { bench, register, move, listOf } = await openScene();
    const endpoint = await register(urlA);
    const list = await listOf(endpoint);
    await move(endpoint, urlB);
    await bench.runSome(list, 1);

    expect(await end(bench, list)).toBe(endpoint.id);

    const stored = { webhookEndpointId: endpoint.id, webhookUrl: urlB };
    expect(await bench.list(list)).toMatchObject({ ...stored, revision: list.revision });
  });

  it("is the deleted endpoint of the watchlist if no other endpoint has the URL of the deleted one", async () => {
    const { bench, register, remove, listOf } = await openScene();
    const endpoint = await register(urlA);
    const list = await listOf(endpoint);
    await remove(endpoint);
    await bench.runSome(list, 1);

    expect(await end(bench, list)).toBe(endpoint.id);
  });

  it("is a new endpoint that has the URL of the watchlist's deleted endpoint, and the watchlist stores the ID of the new endpoint", async () => {
    const { bench, register, move, remove, listOf } = await openScene();
    const endpoint = await register(urlA);
    const list = await listOf(endpoint);
    await move(endpoint, urlB);
    await remove(endpoint);
    const [other, successor] = [await register(urlA), await register(urlB)];
    await bench.runSome(list, 1);

    expect(await end(bench, list)).toBe(successor.id);

    expect(await bench.list(list)).toMatchObject({ webhookEndpointId: successor.id });
    expect(other.id).not.toBe(successor.id);
  });

  it("stays the same if the run is published again after the watchlist's endpoint was replaced", async () => {
    const { bench, register, remove, listOf } = await openScene();
    const endpoint = await register(urlA);
    const list = await listOf(endpoint);
    await bench.runSome(list, 1);
    const died = finishRun(await bench.lastRun(list), {
      ...bench,
      publisher: {
        async publish() {
          throw new Error("died");
        },
      },
    });
    await expect(died).rejects.toThrow("died");
    await remove(endpoint);
    await register(urlA);

    expect(await end(bench, list)).toBe(endpoint.id);
  });
});
