import { describe, expect, it, onTestFinished } from "vitest";
import { Client } from "../../../clients/typescript/source/index.ts";
import { failure, startScriptedService } from "./scripted-service.ts";

const idsUpTo = (end: number): string[] => Array.from({ length: end }, (_, n) => `${90_000 + n}`);

/** Starts a service with 100 IDs per call and three slots. It counts the concurrent calls. */
async function service(failAt?: string) {
  const seen = { atOnce: 0, atOnceMax: 0, taken: 0, ahead: 0, used: 0 };
  const scripted = await startScriptedService(async ({ url, body }) => {
    if (url === "/v1/account") return { body: { concurrency: { limit: 3 } } };
    if (url === "/v1/platforms") {
      const tiers = [{ id: "standard", max_items_per_call: 100 }];
      return { body: { data: [{ id: "retailer_b", endpoints: [{ id: "products", tiers }] }] } };
    }
    const { ids } = body as { ids: string[] };
    seen.atOnce += 1;
    seen.atOnceMax = Math.max(seen.atOnceMax, seen.atOnce);
    await new Promise(setImmediate);
    seen.atOnce -= 1;
    if (failAt !== undefined && ids.includes(failAt)) return failure(402, "INSUFFICIENT_CREDITS");
    return { body: { results: ids.map((id) => ({ id, status: "ok" })), credits: ids.length } };
  });
  onTestFinished(() => scripted[Symbol.asyncDispose]());
  return { seen, client: new Client({ baseUrl: scripted.baseUrl, apiKey: "k" }), scripted };
}

describe("readAll of the TypeScript client", () => {
  it("reads 50,000 IDs in order, and takes no more IDs from its input than its concurrent calls need", async () => {
    const { seen, client } = await service();
    function* ids() {
      for (const id of idsUpTo(50_000)) {
        seen.taken += 1;
        seen.ahead = Math.max(seen.ahead, seen.taken - seen.used);
        yield id;
      }
    }
    for await (const { id } of client.products.readAll(ids(), { platform: "retailer_b" })) {
      if (id !== `${90_000 + seen.used}`) expect.fail(`${id} is out of order`);
      seen.used += 1;
    }
    expect(seen.used).toBe(50_000);
    expect(seen.atOnceMax).toBeLessThanOrEqual(3);
    expect(seen.ahead).toBeLessThanOrEqual(400);
  });

  it("continues at a stored position, and reads every remaining ID once", async () => {
    const { client, scripted } = await service("90250");
    const found: string[] = [];
    let position = 0;
    const reading = async (with_: Client, start: number) => {
      const options = { platform: "retailer_b", start } as const;
      for await (const batch of with_.products.readBatches(idsUpTo(450), options)) {
        found.push(...batch.results.map(({ id }) => id));
        ({ position } = batch);
      }
    };
    await expect(reading(client, 0)).rejects.toMatchObject({ code: "INSUFFICIENT_CREDITS" });
    expect(position).toBe(200);
    expect(scripted.calls.length).toBeGreaterThan(3);
    const healthy = await service();
    await reading(healthy.client, position);
    expect(found).toEqual(idsUpTo(450));
    expect(position).toBe(450);
  });

  it("refuses a string in place of the list of IDs, and numeric options below their minimum", async () => {
    const { client, scripted } = await service();
    const reading = (ids: Iterable<string>, options: object) =>
      client.products.readAll(ids, { platform: "retailer_b", ...options }).next();
    await expect(reading("9000001", {})).rejects.toThrow("must be a list of IDs, not a string");
    for (const [name, value] of [
      ["concurrency", 0],
      ["batchSize", 0],
      ["start", -1],
    ] as const)
      await expect(reading(["1"], { [name]: value })).rejects.toThrow(
        `'${name}' must be an integer of at least ${value + 1} (got ${value}).`,
      );
    expect(scripted.calls).toEqual([]);
  });

  it("lists the valid platforms in the error for an unknown platform", async () => {
    const { client } = await service();
    const reading = client.products.readAll(["1"], { platform: "retailer_d" });
    await expect(reading.next()).rejects.toThrow(
      "There is no platform 'retailer_d'. Set 'platform' to one of: retailer_b.",
    );
  });

  it("lists the platform's tiers in the error for an unknown tier", async () => {
    const { client } = await service();
    const reading = client.products.readAll(["1"], { platform: "retailer_b", tier: "lite" });
    await expect(reading.next()).rejects.toThrow(
      "The platform retailer_b has no tier 'lite'. Set 'tier' to one of: standard.",
    );
  });
});
