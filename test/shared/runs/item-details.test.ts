/** Tests how runs use the labels, metadata, titles and sellers of items. */
import { describe, expect, it } from "vitest";
import { afterChange } from "../../../shared/base/after-change.ts";
import type { Route } from "../../../shared/pipelines/definition.ts";
import { factsOfProduct } from "../../../shared/runs/product-facts.ts";
import type { ProductFields } from "../../../shared/scrapers/scraper.ts";
import {
  type GivenLabels,
  type ItemDetails,
  withFacts,
  withLabels,
} from "../../../shared/watchlists/item-details.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();
const id = "9000001";

const product = (price: number, more: ProductFields = {}) => ({
  status: "ok" as const,
  fields: {
    price: { amount: price, currency: "USD" },
    availability: { inStock: true, message: "" },
    retailer_d: {},
    ...more,
  },
});

const oneStep = (...routes: readonly Route[]) => ({
  entry: "check",
  baseline: null,
  refresh: null,
  steps: [{ id: "check", scraper: "retailer_d.standard" as const, routes }],
});

/** Sets labels and metadata, as a client does between two runs. */
const give = (
  { pages }: RunBench,
  { accountId, id: watchlistId, createdAt: addedAt }: Watchlist,
  given: Readonly<Record<string, GivenLabels>>,
) =>
  pages.changeDetails(
    { accountId, watchlistId },
    {
      ids: Object.keys(given).toSorted(),
      change: (before, item) =>
        withLabels(before, { id: item, addedAt, isAdded: false, given: given[item] ?? {} }),
    },
  );

/** Returns the entries of the item events that a run sends. */
async function entriesOf(bench: RunBench, list: Watchlist): Promise<Record<string, unknown>[]> {
  const before = bench.published.size;
  await bench.run(list);
  bench.clock.advance(3_600_000);
  return [...bench.published.values()].slice(before).flatMap(({ body }) => {
    const { data } = JSON.parse(body) as { data: Record<string, Record<string, unknown>[]> };
    return data["changes"] ?? data["products"] ?? [];
  });
}

describe("the entries of a run's events", () => {
  it("have the label, the metadata and the newest known title, address and first image of each item", async () => {
    const bench = await startRunBench({ tables });
    const list = await bench.createList([id, "9000002", "9000003"], {
      pipeline: oneStep(
        { when: "changed", notify: true },
        { when: "ok", field: "price", op: "below", value: 5, notify: true },
      ),
    });
    const url = "https://retailer.example/1";
    const images = ["https://retailer.example/1.jpg", "https://retailer.example/2.jpg"];
    bench.answers.product = () => product(10, { title: "First title", url, images });
    expect(await entriesOf(bench, list)).toEqual([]);
    await give(bench, list, { [id]: { label: "Kettle", metadata: { target_price: 8 } } });
    bench.answers.product = (item) =>
      item === "9000003" ? { status: "not_found" } : product(4, { title: "Second title" });
    const known = { title: "Second title", url, image: images[0] };
    const labels = { label: "Kettle", metadata: { target_price: 8 } };
    const entries = await entriesOf(bench, list);
    expect(entries).toMatchObject([
      { id, ...labels, ...known, changes: {} },
      { id: "9000002", ...known, changes: {} },
      { id, ...labels, ...known, branch: "ok" },
      { id: "9000002", ...known, branch: "ok" },
      { id: "9000003", title: "First title", url, detected_by: "standard" },
    ]);
    expect(entries[1]).not.toHaveProperty("label");
    expect(entries[1]).not.toHaveProperty("metadata");
  });

  it("contain the names of the old and the new seller after a change of the merchant", async () => {
    const bench = await startRunBench({ tables });
    const asin = "B000000001";
    const list = await bench.createList([asin], {
      platform: "retailer_a",
      pipeline: {
        ...oneStep(),
        steps: [
          {
            id: "check",
            scraper: "retailer_a.lite",
            routes: [{ when: "changed", field: "merchant", notify: true }],
          },
        ],
      },
    });
    const soldBy = (seller: string) => () => ({
      status: "ok" as const,
      fields: { retailer_a: { buybox: { merchant: { id: seller, name: `Shop ${seller}` } } } },
    });
    bench.answers.product = soldBy("S1");
    await entriesOf(bench, list);
    bench.answers.product = soldBy("S2");
    expect(await entriesOf(bench, list)).toMatchObject([
      {
        changes: { merchant: { before: "S1", after: "S2" } },
        seller_names: { S1: "Shop S1", S2: "Shop S2" },
      },
    ]);
  });

  it("are complete even if the metadata of all items exceeds the maximum size of a row", async () => {
    const bench = await startRunBench({ tables, credits: 50_000 });
    const ids = Array.from({ length: 1_000 }, (_, n) => String(9_100_000 + n));
    const list = await bench.createList(ids, {
      pipeline: oneStep({ when: "ok", notify: true }),
    });
    const noise = (seed: number): string =>
      Array.from({ length: 200 }, (_, n) =>
        String.fromCodePoint(0x4e00 + (((seed + 1) * 7_919 * (n + 3) ** 2) % 20_000)),
      ).join("");
    const metadataOf = (item: string) => ({ a: noise(Number(item)), b: noise(Number(item) * 3) });
    await give(
      bench,
      list,
      Object.fromEntries(ids.map((item) => [item, { metadata: metadataOf(item) }])),
    );
    bench.answers.product = () => product(10);
    const entries = await entriesOf(bench, list);
    expect(entries).toHaveLength(1_000);
    for (const entry of entries) {
      expect(entry["metadata"]).toEqual(metadataOf(String(entry["id"])));
    }
  });
});

describe("a route that compares with metadata", () => {
  it("matches the items whose field passes the test with the metadata value of the same item", async () => {
    const bench = await startRunBench({ tables });
    const given = {
      "9000001": { metadata: { target_price: 20 } },
      "9000002": { metadata: { target_price: 5 } },
      "9000003": { metadata: { target_price: "20" } },
      "9000004": { metadata: { other: 20 } },
    };
    const list = await bench.createList([...Object.keys(given), "9000005"], {
      pipeline: oneStep({
        when: "ok",
        field: "price",
        op: "below",
        value: { metadata: "target_price" },
        notify: true,
      }),
    });
    await give(bench, list, given);
    bench.answers.product = () => product(10);
    expect((await entriesOf(bench, list)).map((entry) => entry["id"])).toEqual(["9000001"]);
    await give(bench, list, { "9000002": { metadata: { target_price: 10.5 } } });
    expect((await entriesOf(bench, list)).map((entry) => entry["id"])).toEqual([
      "9000001",
      "9000002",
    ]);
  });
});

describe("the details of an item", () => {
  const addedAt = "2026-03-01T00:00:00.000Z";
  const readAt = "2026-03-02T00:00:00.000Z";
  const read = (facts: ItemDetails["facts"], at = readAt) => ({ id, addedAt, readAt: at, facts });

  it("keep the label when a run stores a title, and keep the title when a client sets a label", () => {
    const labeled = withLabels(undefined, { id, addedAt, isAdded: true, given: { label: "A" } });
    const both = withFacts(afterChange(undefined, labeled), read({ title: "T" }));
    expect(both).toMatchObject({ label: "A", facts: { title: "T" }, readAt });
    const given = { label: null, metadata: { a: 1 } };
    const later = withLabels(afterChange(undefined, both), { id, addedAt, isAdded: false, given });
    expect(later).toMatchObject({ label: null, metadata: { a: 1 }, facts: { title: "T" } });
  });

  it("do not change after a read that is older than the stored details or that has the stored values", () => {
    const known = afterChange(
      undefined,
      withFacts(undefined, read({ title: "New", url: "https://a.example" })),
    );
    expect(known).toMatchObject({ facts: { title: "New" } });
    expect(withFacts(known, read({ title: "Old" }, addedAt))).toBe("unchanged");
    expect(withFacts(known, read({ title: "New" }, "2026-03-03T00:00:00.000Z"))).toBe("unchanged");
  });

  it("are discarded if the item is removed and added again", () => {
    const given = { label: "A" };
    const old = afterChange(
      undefined,
      withLabels(undefined, { id, addedAt, isAdded: true, given }),
    );
    const again = { id, addedAt: readAt, isAdded: true };
    expect(withLabels(old, { ...again, given: {} })).toBeUndefined();
    expect(withLabels(old, { ...again, given: { metadata: { a: 1 } } })).toMatchObject({
      addedAt: readAt,
      label: null,
    });
    expect(withLabels(old, { ...again, isAdded: false, given: {} })).toBe("unchanged");
  });
});

describe("the title, addresses and sellers of a product read", () => {
  it("include at most 300 characters of a title, and no address that is too long", () => {
    const long = `https://a.example/${"x".repeat(1_000)}`;
    expect(factsOfProduct({ title: ` ${"ä".repeat(400)} `, url: long, images: [long] })).toEqual({
      title: "ä".repeat(300),
    });
  });

  it.each([
    ["nothing", {}],
    ["texts of a wrong type", { title: 5, url: "/relative", images: "https://a.example/1.jpg" }],
    ["a seller without a name", { retailer_a: { buybox: { merchant: { id: "S1" } } } }],
    ["an empty buy box", { title: " ", retailer_a: { buybox: null } }],
  ])("are absent after a read that returned no usable values: %s", (_, fields) => {
    expect(factsOfProduct(fields)).toBeUndefined();
  });
});
