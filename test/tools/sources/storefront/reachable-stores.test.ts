import { afterEach, expect, it } from "vitest";
import { parseSourceChoice } from "../../../../tools/local/sources.ts";
import { idTemplate } from "../../../../tools/sources/storefront/catalogue.ts";
import { reachableStores } from "../../../../tools/sources/storefront/reachable-stores.ts";
import {
  type ReferenceStore,
  startReferenceStore,
} from "../../../../tools/sources/storefront/server.ts";

const stores: ReferenceStore[] = [];
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
});

it("the start learns the form of a store's IDs from its products", async () => {
  const store = await startReferenceStore({ port: 0 });
  stores.push(store);
  const lines: string[] = [];
  const choices = [parseSourceChoice(`retailer_b=storefront,${store.url}`)];
  expect(await reachableStores(choices, (line) => lines.push(line))).toEqual([
    { target: "retailer_b", adapter: "storefront", baseUrl: store.url, options: { idTemplate } },
  ]);
  expect(lines).toEqual([`retailer_b reads ${store.url}, whose IDs are ${idTemplate}.`]);
});

it("a platform keeps the sandbox if its store does not respond, and other sources stay as they are", async () => {
  const lines: string[] = [];
  const other = parseSourceChoice("retailer_d=upstream,http://127.0.0.1:9");
  const choices = [parseSourceChoice("retailer_b=storefront,https://store.invalid"), other];
  expect(await reachableStores(choices, (line) => lines.push(line))).toEqual([other]);
  expect(lines).toEqual([
    expect.stringMatching(
      /^https:\/\/store\.invalid does not answer \(\w+\)\. Check the address and the network\.$/,
    ),
    "retailer_b stays with the invented data of the sandbox.",
  ]);
});
