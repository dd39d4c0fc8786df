import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { Answer } from "../../../../shared/scrapers/scraper.ts";
import { reservedIds } from "../../../../shared/scrapers/reserved-ids.ts";
import { listedNumbers, storeId } from "../../../../tools/sources/storefront/catalog.ts";
import {
  type Misbehavior,
  misbehaviors,
} from "../../../../tools/sources/storefront/misbehaviors.ts";
import { misbehavesAs } from "../../../../tools/sources/storefront/server.ts";
import { scraperContract } from "../../../contracts/scraper.contract.ts";
import { startApiDouble } from "../api-double.ts";
import {
  storefrontAt,
  startStore,
  type StoreSubject,
  type StoreSubjectOptions,
} from "./subject.ts";

const started: StoreSubject[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()));
});

async function begin(options: StoreSubjectOptions = {}): Promise<StoreSubject> {
  const subject = await startStore(options);
  started.push(subject);
  return subject;
}

const statuses = (answers: readonly Answer[]): string[] => answers.map(({ status }) => status);
const all = (status: string, ids: readonly unknown[]): string[] => ids.map(() => status);
const reserved = (behavior: string): string => {
  const found = reservedIds.retailer_b.find((one) => one.behavior === behavior);
  if (found === undefined) throw new Error(`No ID has the behavior ${behavior}`);
  return found.id;
};
/** The number of an item that the store does not have. */
const unknown = "12345";

scraperContract("storefront", async () => {
  const { scraper, stop } = await startStore();
  return {
    scraper,
    scraperId: "retailer_b.standard",
    marketplace: "us",
    ids: {
      ok: [
        ...["steady", "price_changes_every_read", "sold_out"].map(reserved),
        ...listedNumbers(4),
      ],
      partial: [reserved("always_partial")],
      not_found: [reserved("always_not_found"), unknown],
      unavailable: [reserved("always_unavailable")],
    },
    slowId: reserved("slow"),
    stop,
  };
});

describe("the storefront scraper", () => {
  it("sends only requests that match the official schemas, with the country and currency of the marketplace", async () => {
    const { store, read, profileUrl } = await begin();
    const ids = listedNumbers(3);
    await read(ids);
    expect(store.violations).toEqual([]);
    expect(store.calls).toEqual([
      {
        number: 1,
        tool: "lookup_catalog",
        ids: ids.map(storeId),
        profile: profileUrl.replace("{version}", "2026-08-25"),
        catalog: {
          ids: ids.map(storeId),
          context: { address_country: "US", currency: "USD" },
        },
      },
    ]);
  });

  it("reads several variants that the store returns as one product", async () => {
    const { read } = await begin();
    const answers = await read(listedNumbers(3));
    const fields = answers.map((answer) => ("fields" in answer ? answer.fields : {}));
    const parents = fields.map((one) => (one["retailer_b"] as { parentId?: string }).parentId);
    expect(new Set(parents).size).toBe(1);
    expect(fields.map(({ title }) => String(title).split(" - ").at(-1))).toEqual([
      "Black",
      "White",
      "Blue",
    ]);
  });

  it("learns from refusals that a store accepts 10 IDs per call, and reads all of 2,000 items", async () => {
    const { store, read, warnings } = await begin({ maxBatch: 10, adapter: { batchIdsMax: 40 } });
    const ids = listedNumbers(2_000);
    const answers = await read(ids);
    expect(answers.map(({ id }) => id)).toEqual(ids);
    expect(statuses(answers)).toEqual(all("ok", ids));
    expect(new Set(store.calls.map(({ ids: asked }) => asked.length))).toEqual(new Set([10]));
    expect(store.calls).toHaveLength(200);
    // Up to four calls run at the same time. The store therefore refuses up to four calls with 40
    // IDs, and then up to four with 20 IDs, before the adapter sends 10 IDs per call.
    expect(store.refusedBatches.length).toBeLessThanOrEqual(8);
    expect(warnings).toEqual([]);
    const refusals = store.refusedBatches.length;
    await read(ids.slice(0, 100));
    expect(store.refusedBatches).toHaveLength(refusals);
  });

  it.each([1, 3, 10, 50])(
    "reads all items from a store whose limit of IDs per call is %i",
    async (maxBatch) => {
      const { read } = await begin({ maxBatch });
      const ids = [...listedNumbers(45), unknown];
      expect(statuses(await read(ids))).toEqual([...all("ok", listedNumbers(45)), "not_found"]);
    },
  );

  it("returns one answer per requested ID in order, however few IDs the store accepts per call", async () => {
    const { read } = await begin({ maxBatch: 7 });
    const known = listedNumbers(60);
    const strangers = ["12345", "23456", "34567"];
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...known, ...strangers]), async (ids) => {
        const answers = await read(ids);
        expect(answers.map(({ id }) => id)).toEqual(ids);
        expect(statuses(answers)).toEqual(
          ids.map((id) => (strangers.includes(id) ? "not_found" : "ok")),
        );
      }),
      { numRuns: 15 },
    );
  });

  it("does not read from a store for retailer_a", async () => {
    const { scraper } = await startStore().then((one) => (started.push(one), one));
    const request = {
      scraper: "retailer_a.lite",
      marketplace: "us",
      deadline: new Date(),
    } as const;
    await expect(scraper.read({ ...request, ids: ["B0SANDBOX0"] })).rejects.toThrow(
      "retailer_a is not supported",
    );
  });
});

describe("the storefront scraper, which chooses the version of the protocol,", () => {
  const ids = listedNumbers(1);
  const versionsIn = ({ store }: StoreSubject): string[] =>
    store.calls.map(({ profile }) => profile.split("/").at(-1) ?? "");

  it.each([
    ["both versions", ["2026-08-25", "2026-04-08"], "2026-08-25"],
    ["only the older version", ["2026-04-08"], "2026-04-08"],
    ["a version that is not known and an older one", ["2027-02-01", "2026-08-25"], "2026-08-25"],
    ["a version that is not known and the oldest", ["2027-02-01", "2026-04-08"], "2026-04-08"],
  ])(
    "uses the newest version that both sides know if the store has %s",
    async (_, versions, expected) => {
      for (const isDiscoverable of [true, false]) {
        const subject = await begin({ versions, isDiscoverable });
        expect(statuses(await subject.read(ids))).toEqual(["ok"]);
        expect(versionsIn(subject)).toEqual([expected]);
      }
    },
  );

  it.each([true, false])(
    'warns and returns "unavailable" if no common version exists (the store publishes a profile: %s)',
    async (isDiscoverable) => {
      const { read, warnings, store } = await begin({ versions: ["2027-02-01"], isDiscoverable });
      expect(statuses(await read(ids))).toEqual(["unavailable"]);
      expect(warnings.join()).toMatch(/support/);
      expect(store.calls).toEqual([]);
    },
  );

  it("sends the configured agent profile unchanged if the version in its address is fixed", async () => {
    const { profileUrl, store } = await begin();
    const fixed = profileUrl.replace("{version}", "2026-04-08");
    const scraper = storefrontAt(store.url, { profileUrl: fixed });
    const deadline = new Date(Date.now() + 20_000);
    const request = { scraper: "retailer_b.standard", marketplace: "us", ids, deadline } as const;
    expect(statuses(await scraper.read(request))).toEqual(["ok"]);
    expect(store.calls.map(({ profile }) => profile)).toEqual([fixed]);
  });
});

describe("the storefront scraper, which finds the endpoint of a store,", () => {
  const ids = listedNumbers(1);

  it("calls the path in the store's profile", async () => {
    const { read } = await begin({ endpointPath: "/tools" });
    expect(statuses(await read(ids))).toEqual(["ok"]);
  });

  it("calls the configured path without reading the store's profile", async () => {
    const options = { endpointPath: "/tools", isDiscoverable: false };
    const { read } = await begin({ ...options, adapter: { endpointPath: "/tools" } });
    expect(statuses(await read(ids))).toEqual(["ok"]);
  });

  it("never calls an endpoint on another host, and warns about such an endpoint", async () => {
    const { store, profileUrl } = await begin();
    const other = await startApiDouble(({ path }) =>
      path === "/.well-known/ucp"
        ? {
            body: {
              ucp: {
                version: "2026-08-25",
                services: {
                  "dev.ucp.shopping": [{ transport: "mcp", endpoint: `${store.url}/api/ucp/mcp` }],
                },
              },
            },
          }
        : { status: 404 },
    );
    const warnings: string[] = [];
    const world = { agentProfileUrl: profileUrl, warn: (one: string) => void warnings.push(one) };
    const scraper = storefrontAt(other.url, {}, world);
    const deadline = new Date(Date.now() + 20_000);
    const request = { scraper: "retailer_b.standard", marketplace: "us", ids, deadline } as const;
    expect(statuses(await scraper.read(request))).toEqual(["unavailable"]);
    expect(other.calls.map(({ path }) => path)).toEqual(["/.well-known/ucp", "/api/ucp/mcp"]);
    expect(store.calls).toEqual([]);
    expect(warnings[0]).toContain("names an endpoint on another host");
    await other.stop();
  });
});

/** What a read of two items returns while the store misbehaves. */
const outcomes: Readonly<Record<Misbehavior, "ok" | "partial" | "not_found" | "unavailable">> = {
  "429_seconds": "ok",
  "429_body": "ok",
  "200_busy": "ok",
  "200_rate": "ok",
  "429_bare": "ok",
  "500": "ok",
  "503": "unavailable",
  "400": "unavailable",
  redirect: "unavailable",
  hang: "unavailable",
  reset: "ok",
  cut_off: "unavailable",
  page: "unavailable",
  garbage: "unavailable",
  empty: "unavailable",
  no_result: "unavailable",
  no_products: "unavailable",
  rate_params: "unavailable",
  rate_message: "unavailable",
  unknown_tool: "unavailable",
  internal_error: "unavailable",
  profile_refused: "unavailable",
  version_refused: "unavailable",
  incompatible: "unavailable",
  is_error: "unavailable",
  all_not_found: "not_found",
  ids_missing: "unavailable",
  streamed: "ok",
  text_only: "ok",
  other_currency: "unavailable",
  no_price: "partial",
};

describe("the storefront scraper with a store that misbehaves", () => {
  const ids = listedNumbers(2);

  it.each(misbehaviors.map((name) => [name, outcomes[name]] as const))(
    'with the misbehavior "%s" returns all items with the status "%s" after at most nine calls',
    async (name) => {
      const { read, store } = await begin({ misbehave: misbehavesAs(name) });
      const answers = await read(ids, name === "hang" ? 2_000 : 30_000);
      expect(statuses(answers)).toEqual(all(outcomes[name], ids));
      expect(store.calls.length).toBeLessThanOrEqual(9);
      expect(store.violations).toEqual([]);
    },
  );

  it.each([
    ["redirect", "the store redirects calls (302)"],
    ["unknown_tool", "the store does not offer the tool lookup_catalog"],
    ["profile_refused", "the store cannot use the agent profile at profileUrl"],
    ["other_currency", "the store returns prices in another currency than USD"],
    ["garbage", "the store sends an unreadable reply with status 200"],
    ["incompatible", "the store reports an error in a reply with status 200"],
  ] as const)('with the misbehavior "%s" warns the operator', async (name, warning) => {
    const { read, warnings } = await begin({ misbehave: misbehavesAs(name) });
    await read(ids);
    expect(warnings.join("\n")).toContain(`retailer_b.standard: storefront: ${warning}`);
  });

  it.each(["429_seconds", "429_body", "200_busy"] as const)(
    'with the misbehavior "%s" waits as long as the store demands',
    async (name) => {
      const { read } = await begin({ misbehave: misbehavesAs(name) });
      const startedAt = Date.now();
      await read(ids);
      expect(Date.now() - startedAt).toBeGreaterThanOrEqual(980);
    },
  );

  it.each(["rate_params", "rate_message"] as const)(
    'with the misbehavior "%s" does not read in smaller batches',
    async (name) => {
      const { read, store, warnings } = await begin({
        misbehave: misbehavesAs(name),
        maxBatch: 50,
        adapter: { batchIdsMax: 20 },
      });
      await read(listedNumbers(40));
      expect(new Set(store.calls.map(({ ids: asked }) => asked.length))).toEqual(new Set([20]));
      expect(warnings.join()).toContain("lower callsPerSecond");
    },
  );

  it("returns the other items if the store refuses each batch with a certain ID", async () => {
    const bad = ids[1] ?? "";
    const misbehave = (call: { readonly ids: readonly string[] }): Misbehavior | undefined =>
      call.ids.includes(storeId(bad)) ? "400" : undefined;
    const { read } = await begin({ misbehave });
    const asked = listedNumbers(8);
    expect(statuses(await read(asked))).toEqual(
      asked.map((id) => (id === bad ? "unavailable" : "ok")),
    );
  });
});
