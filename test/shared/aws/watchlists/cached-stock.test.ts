import { beforeAll, describe, expect, it } from "vitest";
import { cachedStockStore } from "../../../../shared/aws/watchlists/cached-stock.ts";
import { type Item, newItem } from "../../../../shared/watchlists/item.ts";
import type { ItemDetails } from "../../../../shared/watchlists/item-details.ts";
import type { StoredPage } from "../../../../shared/watchlists/page.ts";
import { watchedClient } from "../../../support/watched-client.ts";
import { addedAt, clock, type PageWorld, random, startPageWorld } from "./page-world.ts";

let world: PageWorld;
beforeAll(async () => {
  world = await startPageWorld();
});

const stocked = (id: string, inStock: boolean, part: Partial<Item> = {}): Item => ({
  ...newItem(id, addedAt),
  state: "active",
  readings: { standard: { price: 10, inStock } },
  ...part,
});

const labeled = (id: string, label: string): ItemDetails => ({
  id,
  addedAt,
  label,
  metadata: {},
  facts: {},
  readAt: null,
});

/** Opens a watchlist in pages of two items, with a store that counts how often items are read. */
async function open(items: readonly Item[]) {
  const list = await world.open(items, { itemsMax: 2 });
  let reads = 0;
  const client = watchedClient(world.client, (command, send) => {
    const { ProjectionExpression: projection } = command.input as {
      readonly ProjectionExpression?: string;
    };
    if (projection === undefined) reads += 1;
    return send();
  });
  const table = { client, table: world.table, clock, random };
  const store = cachedStockStore(table, world.store(client, { itemsMax: 2 }));
  return {
    list,
    /** Returns the IDs of the items out of stock with their labels, and whether items were read. */
    outOfStock: async () => {
      reads = 0;
      const found = await store.outOfStock(list.watchlistId);
      const names = found.map(({ item, details }) => [item.id, details?.label]);
      return { names, hasRead: reads > 0 };
    },
  };
}

describe("the items of a watchlist that are out of stock", () => {
  const items = [
    stocked("10", false),
    stocked("20", true),
    stocked("30", false, { state: "delisted" }),
    newItem("40", addedAt),
    stocked("50", false),
  ];
  const found = [
    ["10", undefined],
    ["50", undefined],
  ];

  it("are the active items whose last known stock is none, without items that were never read", async () => {
    const { outOfStock } = await open(items);
    expect(await outOfStock()).toEqual({ names: found, hasRead: true });
  });

  it("are not read again until a page of the watchlist changes", async () => {
    const { list, outOfStock } = await open(items);
    await outOfStock();
    expect(await outOfStock()).toEqual({ names: found, hasRead: false });

    const other = world.store(undefined, { itemsMax: 2 });
    const pages: StoredPage[] = [];
    for await (const page of other.pages(list.watchlistId)) pages.push(page);
    const [first] = pages;
    if (first === undefined) throw new Error("The watchlist has no page");
    await other.replaceItems(list, first, [
      stocked("10", true),
      ...first.items.slice(1).map(({ id }) => stocked(id, false)),
    ]);
    expect(await outOfStock()).toEqual({
      names: [
        ["20", undefined],
        ["50", undefined],
      ],
      hasRead: true,
    });
  });

  it("have the newest details, which are read again only after the details change", async () => {
    const { list, outOfStock } = await open(items);
    const other = world.store(undefined, { itemsMax: 2 });
    await other.createDetails(list.watchlistId, [labeled("10", "Kettle")]);
    const names = [
      ["10", "Kettle"],
      ["50", undefined],
    ];
    expect((await outOfStock()).names).toEqual(names);
    expect(await outOfStock()).toEqual({ names, hasRead: false });
    const change = () => labeled("10", "Lamp");
    await other.changeDetails(list, { ids: ["10"], change });
    expect((await outOfStock()).names[0]).toEqual(["10", "Lamp"]);
  });
});
