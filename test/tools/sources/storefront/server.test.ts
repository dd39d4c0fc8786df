import { afterEach, describe, expect, it } from "vitest";
import { listedNumbers, storeId } from "../../../../tools/sources/storefront/catalog.ts";
import {
  type OfficialSchema,
  violationsOf,
} from "../../../../tools/sources/storefront/official-schemas.ts";
import {
  type ProfileServer,
  startProfileServer,
} from "../../../../tools/sources/storefront/profile-server.ts";
import {
  type ReferenceStore,
  startReferenceStore,
} from "../../../../tools/sources/storefront/server.ts";
import { reservedIds } from "../../../../shared/scrapers/reserved-ids.ts";

const disposers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(disposers.splice(0).map((dispose) => dispose()));
});

async function begin(): Promise<{ store: ReferenceStore; profiles: ProfileServer }> {
  const [store, profiles] = [await startReferenceStore({ port: 0 }), await startProfileServer()];
  disposers.push(
    () => store.close(),
    () => profiles.close(),
  );
  return { store, profiles };
}

interface Rpc {
  readonly result?: { readonly structuredContent: { readonly products: readonly unknown[] } };
  readonly error?: { readonly code: number; readonly data?: { readonly code: string } };
}

const post = async (store: ReferenceStore, body: unknown): Promise<Rpc> => {
  const response = await fetch(`${store.url}/api/ucp/mcp`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  return (await response.json()) as Rpc;
};

const callOf = (name: string, profile: string, catalog: object): object => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: { meta: { "ucp-agent": { profile } }, catalog } },
});

describe("the reference store", () => {
  it.each<[string, object, OfficialSchema]>([
    [
      "lookup_catalog",
      {
        ids: [
          ...listedNumbers(5),
          ...reservedIds.retailer_b.map(({ id }) => id).slice(0, 4),
          "12345",
        ].map(storeId),
      },
      "lookupResponse",
    ],
    ["search_catalog", { query: "espresso", pagination: { limit: 20 } }, "searchResponse"],
    ["search_catalog", { filters: { price: { min: 1 } } }, "searchResponse"],
    ["search_catalog", { query: "nonsuch" }, "searchResponse"],
  ])(
    "replies to the tool %s with the arguments %j, and the reply matches the official schemas",
    async (name, catalog, schema) => {
      const { store, profiles } = await begin();
      const profile = profiles.profileUrl.replace("{version}", "2026-08-25");
      const reply = await post(store, callOf(name, profile, catalog));
      expect(violationsOf("toolReply", reply)).toEqual([]);
      expect(violationsOf(schema, reply.result?.structuredContent)).toEqual([]);
      expect(store.violations).toEqual([]);
    },
  );

  it("publishes profiles that match the official schema", async () => {
    const { store } = await begin();
    for (const path of ["", "/2026-04-08"]) {
      const profile: unknown = await fetch(`${store.url}/.well-known/ucp${path}`).then((one) =>
        one.json(),
      );
      expect(violationsOf("businessProfile", profile)).toEqual([]);
    }
  });

  it("refuses a request that violates the official schemas, and records the reason", async () => {
    const { store, profiles } = await begin();
    const profile = profiles.profileUrl.replace("{version}", "2026-08-25");
    const reply = await post(store, callOf("lookup_catalog", profile, { ids: [] }));
    expect(violationsOf("rpcError", reply)).toEqual([]);
    expect(reply.error?.code).toBe(-32_602);
    expect(store.violations.join()).toMatch(/lookupRequest.*ids/);
    expect(store.calls).toEqual([]);
  });

  it("refuses a search without a query and without filters, as the specification requires", async () => {
    const { store, profiles } = await begin();
    const profile = profiles.profileUrl.replace("{version}", "2026-08-25");
    const reply = await post(
      store,
      callOf("search_catalog", profile, { pagination: { limit: 5 } }),
    );
    expect(reply.error?.code).toBe(-32_602);
    expect(store.violations.join()).toContain("must have a query or filters");
  });

  it.each([
    ["no https:// address", "http://store.example/profile.json", "invalid_profile_url"],
    ["an address that does not respond", "http://127.0.0.1:9/profile.json", "profile_unreachable"],
  ])(
    "refuses an agent profile that it cannot read (the profile has %s)",
    async (_, profile, reason) => {
      const { store } = await begin();
      const reply = await post(store, callOf("search_catalog", profile, { query: "lamp" }));
      expect(reply.error).toMatchObject({ code: -32_001, data: { code: reason } });
    },
  );

  it("returns the remaining results of a search to a request with the cursor", async () => {
    const { store, profiles } = await begin();
    const profile = profiles.profileUrl.replace("{version}", "2026-08-25");
    const page = (cursor?: string): Promise<Rpc> =>
      post(
        store,
        callOf("search_catalog", profile, {
          query: "laptop",
          pagination: { limit: 2, ...(cursor && { cursor }) },
        }),
      );
    const first = (await page()).result?.structuredContent.products ?? [];
    const second = (await page("2")).result?.structuredContent.products ?? [];
    expect(new Set([...first, ...second].map((one) => JSON.stringify(one))).size).toBe(4);
  });
});
