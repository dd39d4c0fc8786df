import { createHash } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { dynamoPageStore } from "../../shared/aws/watchlists/page-store.ts";
import { watchlistKeys } from "../../shared/aws/table/table.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import { type Item, newItem } from "../../shared/watchlists/item.ts";
import { listItems } from "../../shared/watchlists/list-items.ts";
import { compareIds, countByState } from "../../shared/watchlists/page.ts";
import type { PageStore } from "../../shared/watchlists/page-store.ts";
import { rewriteItems } from "../../shared/watchlists/rewrite-items.ts";
import { dollarsOf } from "../measure/usage.ts";
import { pointClientsAt } from "../../tools/local/aws-environment.ts";
import { startTemporaryDynamo } from "../../tools/local/temporary-dynamo.ts";
import { createBenchTable } from "./bench-dynamo.ts";
import { type DynamoMeter, startDynamoMeter } from "../measure/dynamo-meter.ts";
import { type Layout, rowPerItem } from "./item-rows.ts";
import { printTable } from "../measure/print-table.ts";
import { reconcileItems } from "./reconciled.ts";
import { progressOf } from "../../tools/command-line/progress.ts";

const itemsCount = 50_000;
const listingMax = 1_000;
/** One in this many items changes. The 500 changed items are evenly spread. */
const changedEvery = 100;
const changedAt = "2026-03-01T06:00:00.000Z";
const list = { accountId: "acct_bench", watchlistId: "wl_bench" };
/**
 * IDs are spread over the whole range, as real ones are. Consecutive IDs would compress to almost
 * nothing.
 */
const ids: readonly string[] = [...scatteredIds()].sort(compareIds);
const changedIds = ids.filter((_, n) => n % changedEvery === 0);

function scatteredIds(): Set<string> {
  const found = new Set<string>();
  for (let n = 0; found.size < itemsCount; n += 1) {
    const drawn = createHash("sha256").update(String(n)).digest().readUInt32BE();
    found.add(String(10_000_000 + (drawn % 90_000_000)));
  }
  return found;
}

interface LayoutFigures {
  readonly work: string;
  readonly layout: "pages" | "rows";
  readonly milliseconds: number;
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly dollars: number;
}

interface Ratios {
  readonly work: string;
  readonly timesFaster: number;
  readonly timesFewerRequests: number;
  readonly timesCheaper: number;
}

/**
 * Measures the costs of storing a watchlist in pages, compared with a row for each item, on the
 * same engine in the same run.
 * @throws Error if a reconciliation of the pages finds a difference
 */
export async function benchWatchlists(): Promise<Record<string, unknown>> {
  const dynamo = await startTemporaryDynamo();
  const meter = await startDynamoMeter(dynamo.endpoint);
  try {
    pointClientsAt({ dynamodb: meter.url });
    const client = documentClient();
    const layouts = {
      pages: await pageLayout(client, await createBenchTable(new DynamoDBClient({}), "pages")),
      rows: rowPerItem(client, {
        table: await createBenchTable(new DynamoDBClient({}), "rows"),
        list: list.watchlistId,
      }),
    };
    const figures: LayoutFigures[] = [];
    const progress = progressOf(2);
    for (const layout of ["pages", "rows"] as const) {
      progress.begin(layout);
      figures.push(...(await measure(layout, layouts[layout], meter)));
    }
    await reconcileItems("pages", list);
    return { watchlists: figures, pagesBesideRows: ratiosOf(figures) };
  } finally {
    await meter.stop();
    await dynamo.stop();
  }
}

async function measure(
  name: LayoutFigures["layout"],
  layout: Layout,
  meter: DynamoMeter,
): Promise<LayoutFigures[]> {
  const items = ids.map((id) => newItem(id, "2026-03-01T00:00:00.000Z"));
  const works: [string, () => Promise<number>, number][] = [
    ["create 50,000 items", () => layout.create(items), itemsCount],
    ["list all, 1,000 a call", () => layout.readAll(listingMax), itemsCount],
    ["change 500, spread evenly", () => layout.change(changedIds, asChanged), changedIds.length],
    ["changed_since: those 500", () => layout.changedSince(changedAt), changedIds.length],
  ];
  const figures: LayoutFigures[] = [];
  for (const [n, [work, run, expected]] of works.entries()) {
    // All works after the creation need items that have been read. Storing the items in this state
    // is not measured.
    if (n === 1) await layout.fill(items.map(asRead));
    meter.take();
    const start = performance.now();
    const done = await run();
    const milliseconds = Math.round(performance.now() - start);
    if (done !== expected)
      throw new Error(`${work} (${name}) handled ${done} items instead of ${expected}`);
    const { roundTrips: requests, readUnits, writeUnits } = meter.take();
    const spent = dollarsOf({ dynamoWriteUnit: writeUnits, dynamoReadUnit: readUnits });
    const dollars = Math.round(spent * 1e6) / 1e6;
    figures.push({ work, layout: name, milliseconds, requests, readUnits, writeUnits, dollars });
  }
  return figures;
}

const asRead = (item: Item): Item => ({
  ...item,
  state: "active",
  firstReadAt: "2026-03-01T01:00:00.000Z",
  lastReadStatus: "ok",
  readings: { standard: snapshotOf(item.id) },
  snapshotAt: "2026-03-01T01:00:00.000Z",
  revision: 1,
});

const asChanged = (item: Item): Item => ({
  ...item,
  readings: { standard: { ...snapshotOf(item.id), price: 1 } },
  snapshotAt: changedAt,
  lastChange: {
    changedAt,
    runId: "wlrun_529bpc2380vzc32w85s602hg",
    runNumber: 2,
    step: "check",
    scraper: "retailer_d.standard",
    changes: { price: { before: Number(item.id) / 100, after: 1 } },
  },
  revision: 2,
});

const snapshotOf = (id: string) => ({
  price: Number(id) / 100,
  inStock: Number(id) % 3 > 0,
  state: "ADD_TO_CART",
  regularPrice: Number(id) / 80,
  purchasable: Number(id) % 3 > 0,
});

/** Returns the layout that the service uses, in pages. */
async function pageLayout(client: DynamoDBDocumentClient, table: string): Promise<Layout> {
  const clock = systemClock;
  const random = systemRandom;
  const pages = dynamoPageStore(client, { table, clock, random });
  const rewrite = async (wanted: readonly string[], to: (item: Item) => Item): Promise<number> => {
    const change = (items: readonly Item[], owned: readonly string[]) => {
      const mine = new Set(owned);
      const after = items.map((item) => (mine.has(item.id) ? to(item) : item));
      return { items: after, note: owned.length };
    };
    const dependencies = { pages, clock, random };
    const { notes } = await rewriteItems({ watchlist: list, ids: wanted, change }, dependencies);
    return notes.reduce((sum, note) => sum + note, 0);
  };
  return {
    async create(items) {
      await pages.create(list.watchlistId, items);
      const row = {
        ...watchlistKeys.watchlist(list.accountId, list.watchlistId),
        item_counts: countByState(items),
        item_total: items.length,
      };
      await client.send(new PutCommand({ TableName: table, Item: row }));
      return items.length;
    },
    async fill(items) {
      const read = new Map(items.map((item) => [item.id, item]));
      await rewrite(ids, (item) => read.get(item.id) ?? item);
    },
    change: rewrite,
    readAll: (limit) => listThrough(pages, { limit, changedSince: undefined }),
    changedSince: (since) =>
      listThrough(pages, { limit: listingMax, changedSince: new Date(since) }),
  };
}

/** Reads a watchlist as an API client does, page by page. */
async function listThrough(
  pages: PageStore,
  { limit, changedSince }: { readonly limit: number; readonly changedSince: Date | undefined },
): Promise<number> {
  let [found, startingAfter, more]: [number, string | undefined, boolean] = [0, undefined, true];
  while (more) {
    const query = { limit, startingAfter, changedSince, state: undefined };
    const listed = await listItems(list.watchlistId, query, pages);
    found += listed.items.length;
    startingAfter = listed.items.at(-1)?.id;
    more = listed.hasMore;
  }
  return found;
}

const times = (a: number, b: number): number => Math.round((a / b) * 10) / 10;

function ratiosOf(figures: readonly LayoutFigures[]): Ratios[] {
  const half = figures.length / 2;
  return figures.slice(0, half).flatMap((pages, n) => {
    const rows = figures[half + n];
    if (rows === undefined) return [];
    return {
      work: pages.work,
      timesFaster: times(rows.milliseconds, pages.milliseconds),
      timesFewerRequests: times(rows.requests, pages.requests),
      timesCheaper: times(rows.dollars, pages.dollars),
    };
  });
}

/** Prints the measurements as tables. */
export function printWatchlists(figures: Record<string, unknown>): void {
  for (const [title, rows] of Object.entries(figures)) printTable(title, rows as readonly object[]);
}
