import { afterEach, expect, it } from "vitest";
import { parseSourceChoice } from "../../../../tools/local/sources.ts";
import { idTemplate } from "../../../../tools/sources/storefront/catalog.ts";
import { reachableStores } from "../../../../tools/sources/storefront/reachable-stores.ts";
import {
  type ReferenceStore,
  startReferenceStore,
} from "../../../../tools/sources/storefront/server.ts";

const stores: ReferenceStore[] = [];
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
});

it("npm start derives the format of a store's IDs from its products", async () => {
  const store = await startReferenceStore({ port: 0 });
  stores.push(store);
  const lines: string[] = [];
  const choices = [parseSourceChoice(`retailer_b=storefront,${store.url}`)];
  expect(await reachableStores(choices, (line) => lines.push(line))).toEqual([
    { target: "retailer_b", adapter: "storefront", baseUrl: store.url, options: { idTemplate } },
  ]);
  expect(lines).toEqual([
    `retailer_b reads ${store.url}, whose item IDs have the form ${idTemplate}.`,
  ]);
});

it("npm start keeps the sandbox for a platform whose store does not respond, and leaves other platforms unchanged", async () => {
  const lines: string[] = [];
  const other = parseSourceChoice("retailer_d=upstream,http://127.0.0.1:9");
  const choices = [parseSourceChoice("retailer_b=storefront,https://store.invalid"), other];
  expect(await reachableStores(choices, (line) => lines.push(line))).toEqual([other]);
  expect(lines).toEqual([
    expect.stringMatching(
      /^The store https:\/\/store\.invalid does not respond \(\w+\)\. Check the address and the network\.$/,
    ),
    "retailer_b reads the invented data of the sandbox instead.",
  ]);
});

it("npm start sends no search to a store with a given ID format", async () => {
  const store = await startReferenceStore({ port: 0 });
  stores.push(store);
  const choices = [parseSourceChoice(`retailer_b=storefront,${store.url},idTemplate=gid-{id}`)];
  const [choice] = await reachableStores(choices, () => {});
  expect(choice?.options["idTemplate"]).toBe("gid-{id}");
  expect(store.calls).toEqual([]);
});

it("npm start searches a store at the path in --source", async () => {
  const store = await startReferenceStore({
    port: 0,
    endpointPath: "/tools",
    isDiscoverable: false,
  });
  stores.push(store);
  const choices = [parseSourceChoice(`retailer_b=storefront,${store.url},endpointPath=/tools`)];
  const [choice] = await reachableStores(choices, () => {});
  expect(choice?.options["idTemplate"]).toBe(idTemplate);
  expect(store.violations).toEqual([]);
});

it("npm start refuses a wrong option of a store, whether or not the store responds", async () => {
  const choices = [parseSourceChoice("retailer_b=storefront,store.invalid,batchIdsMax=0")];
  await expect(reachableStores(choices, () => {})).rejects.toThrow(/batchIdsMax/);
});

it("npm start accepts the host name of a store in --source", () => {
  expect(parseSourceChoice("retailer_b=storefront,store.example").baseUrl).toBe(
    "https://store.example",
  );
});
