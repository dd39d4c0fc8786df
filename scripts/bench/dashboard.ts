import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { assert } from "../../shared/base/assert.ts";
import { type ValuesOf } from "../../tools/command-line/command-line.ts";
import { progressOf } from "../../tools/command-line/progress.ts";
import { type ApiClient, apiClient } from "../../tools/customer/api-client.ts";
import { launchChromium } from "../../tools/dashboard/chromium.ts";
import { startWorld, type World } from "../../tools/local/world.ts";
import { type WrittenPast, writePast } from "../../tools/past/write-past.ts";
import { printTable } from "../measure/print-table.ts";
import { wholeNumber } from "./bench-options.ts";
import { median } from "./median.ts";

export const dashboardOptions = {
  lists: { type: "string", value: "<count>", default: "50", about: "watchlists of the account" },
  items: { type: "string", value: "<count>", default: "2000", about: "items of each watchlist" },
  days: {
    type: "string",
    value: "<count>",
    default: "365",
    about: "days of history, one run each",
  },
  rounds: { type: "string", value: "<count>", default: "7", about: "repetitions of each step" },
  dir: {
    type: "string",
    value: "<folder>",
    about: "keeps the data in this folder, so that the next call does not write them again",
  },
} as const;

/** What a user does, and how long the dashboard may take until it shows the result. */
interface Step {
  readonly name: string;
  readonly limitSeconds: number;
  /** Brings the page into the state before the step. Not measured. */
  readonly before: (page: Page, round: number) => Promise<void>;
  /** Resolves when the page shows the result. */
  readonly act: (page: Page, round: number) => Promise<void>;
}

const changedShare = 0.02;
const labeledShare = 0.3;
/** The first rounds warm up the functions and the browser. */
const warmRounds = 1;

/**
 * Measures how long the dashboard takes in Chromium, against a local world whose tables are written
 * directly. Prints the progress to stderr.
 * @throws Error if Chromium is missing, or if the dashboard does not show a result within 30 s
 */
export async function benchDashboard(
  options: ValuesOf<typeof dashboardOptions>,
): Promise<Record<string, unknown>> {
  process.env["POWERTOOLS_LOG_LEVEL"] ??= "SILENT";
  process.env["POWERTOOLS_METRICS_DISABLED"] ??= "true";
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), "dashboard-bench-"));
  const world = await startWorld({ dir, port: 0, fresh: options.dir === undefined });
  try {
    const lists = await filledLists(world, options);
    const rounds = wholeNumber("rounds", options.rounds);
    return { steps: await measure(world, { lists, rounds }) };
  } finally {
    await world.stop();
    if (options.dir === undefined) rmSync(dir, { recursive: true });
  }
}

const platforms = ["retailer_b", "retailer_c", "retailer_d"] as const;

/** Writes the watchlists that are missing. Returns the IDs of all. */
async function filledLists(
  world: World,
  options: ValuesOf<typeof dashboardOptions>,
): Promise<readonly string[]> {
  const api = apiClient(world.baseUrl, world.apiKey);
  const [lists, items, days] = (["lists", "items", "days"] as const).map((name) =>
    wholeNumber(name, options[name]),
  );
  assert(lists !== undefined && items !== undefined && days !== undefined, "all are numbers");
  const accountId = String((await api.get("/account")).body["id"]);
  const missing = lists - (await listsOf(api)).length;
  const progress = progressOf(Math.max(0, missing), { everyMs: 10_000 });
  for (let n = 0; n < missing; n += 1) {
    progress.begin("writing a watchlist");
    const wanted: WrittenPast = {
      accountId,
      name: `Assortment ${String(n + 1).padStart(2, "0")}`,
      platform: platforms[n % platforms.length] ?? "retailer_d",
      ids: Array.from({ length: items }, (_, k) => String(10_000_000 + n * 1_000_000 + k * 417)),
      days,
      runsPerDay: 1,
      changedShare,
      labeledShare,
    };
    await writePast(world, wanted);
  }
  return listsOf(api);
}

async function listsOf(api: ApiClient): Promise<readonly string[]> {
  const { body } = await api.get("/watchlists?limit=100");
  return Array.isArray(body["data"]) ? body["data"].map(({ id }) => String(id)) : [];
}

interface Measuring {
  readonly lists: readonly string[];
  readonly rounds: number;
}

async function measure(world: World, { lists, rounds }: Measuring): Promise<readonly object[]> {
  const steps = await stepsOf(world, lists);
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
    await page.goto(`${world.baseUrl}/dashboard`);
    await page.getByLabel("API key").fill(world.apiKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("#main").waitFor();
    const progress = progressOf(steps.length, { everyMs: 0 });
    const rows: object[] = [];
    for (const { name, limitSeconds, before, act } of steps) {
      progress.begin(name);
      const seconds: number[] = [];
      for (let round = 0; round < rounds + warmRounds; round += 1) {
        await before(page, round);
        const start = performance.now();
        await act(page, round);
        if (round >= warmRounds) seconds.push((performance.now() - start) / 1_000);
      }
      const [p50, max] = [median(seconds), Math.max(...seconds)];
      rows.push({
        step: name,
        "p50 s": rounded(p50),
        "max s": rounded(max),
        "limit s": limitSeconds,
        within: p50 > limitSeconds ? "no" : max > limitSeconds ? "p50" : "yes",
      });
    }
    return rows;
  } finally {
    await browser.close();
  }
}

const rounded = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;

async function open(page: Page, place: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
}

/** Returns the first row of the body of a table. */
const rowOf = (page: Page, table: string) =>
  page.getByRole("table", { name: table }).getByRole("row").nth(1);

const changes = async (page: Page): Promise<void> => {
  await open(page, "/changes?span=7");
  await rowOf(page, "Changes").waitFor();
};
const itemsOf = async (page: Page, list: string): Promise<void> => {
  await open(page, `/watchlists/${list}`);
  await page.getByLabel("Search by ID").waitFor();
  await rowOf(page, "Items").waitFor();
};
/** Resolves when a list was read again and is shown. */
const read = async (page: Page, path: string, act: () => Promise<unknown>): Promise<void> => {
  const answer = page.waitForResponse((response) => response.url().includes(path));
  await act();
  await (await answer).finished();
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
};
const palette = async (page: Page): Promise<void> => {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Page, watchlist or item" }).waitFor();
};
const close = async (page: Page): Promise<void> => {
  if ((await page.getByRole("dialog").count()) > 0) await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
};
const search = async (page: Page, text: string): Promise<void> => {
  await page.getByRole("combobox", { name: "Page, watchlist or item" }).fill(text);
  await page.getByRole("option", { name: /Item/ }).first().waitFor();
};
/** A watchlist by round, and the item that is searched. */
interface Targets {
  readonly at: (round: number) => string;
  readonly itemId: string;
  readonly title: string;
}

async function stepsOf(world: World, lists: readonly string[]): Promise<readonly Step[]> {
  const api = apiClient(world.baseUrl, world.apiKey);
  const at = (round: number): string => lists[(round * 7) % lists.length] ?? "";
  const { body } = await api.get(`/watchlists/${at(0)}/items?limit=500`);
  assert(Array.isArray(body["data"]), "the watchlist has items");
  const [one = {}] = body["data"].slice(300);
  const item = { itemId: String(one.id), title: String(one.title) };
  return [...changesSteps, ...itemSteps({ at, ...item }), ...paletteSteps({ at, ...item })];
}

const changesSteps: readonly Step[] = [
  {
    name: "first view: What changed, today",
    limitSeconds: 1,
    before: (page) => open(page, "/changes"),
    act: async (page) => {
      await page.reload();
      await page.getByRole("heading", { name: /^(More than )?[\d,]+ changes?$/ }).waitFor();
    },
  },
  {
    name: "What changed: 7 days",
    limitSeconds: 0.5,
    before: async (page) => {
      await open(page, "/changes");
      await page.getByRole("heading", { name: /changes?$/ }).waitFor();
    },
    act: (page) =>
      read(page, "/v1/changes", () => page.getByRole("button", { name: "7 days" }).click()),
  },
  {
    name: "What changed: 30 days, largest percentage first",
    limitSeconds: 0.5,
    before: async (page) => {
      await open(page, "/changes?span=30");
      await rowOf(page, "Changes").waitFor();
    },
    act: (page) => read(page, "/v1/changes", () => page.getByLabel("Order").selectOption("size")),
  },
  {
    name: "What changed: price drops of 30 days",
    limitSeconds: 0.5,
    before: changes,
    act: (page) => read(page, "/v1/changes", () => open(page, "/changes?span=30&kind=price_drop")),
  },
];

const itemSteps = ({ at, itemId }: Targets): readonly Step[] => [
  {
    name: "watchlist: first items",
    limitSeconds: 1,
    before: changes,
    act: (page, round) => itemsOf(page, at(round)),
  },
  {
    name: "items: sort by price",
    limitSeconds: 0.5,
    before: async (page, round) => {
      await open(page, "/changes");
      await itemsOf(page, at(round));
    },
    act: (page) => read(page, "/items", () => page.getByLabel("Order").selectOption("price asc")),
  },
  {
    name: "items: filter by state",
    limitSeconds: 0.5,
    before: async (page, round) => {
      await open(page, "/changes");
      await itemsOf(page, at(round));
    },
    act: (page) =>
      read(page, "/items", () => page.getByRole("button", { name: "Delisted" }).click()),
  },
  {
    name: "items: search by label, with the pause after typing",
    limitSeconds: 0.5,
    before: async (page, round) => {
      await open(page, "/changes");
      await itemsOf(page, at(round));
    },
    act: (page) => read(page, "/items", () => page.getByLabel("Search by ID").fill("price match")),
  },
  {
    name: "item page: values and chart",
    limitSeconds: 0.5,
    before: changes,
    act: async (page) => {
      await open(page, `/watchlists/${at(0)}/items/${itemId}`);
      await page.getByRole("heading", { name: /^All changes/ }).waitFor();
    },
  },
];

const paletteSteps = ({ itemId, title }: Targets): readonly Step[] => [
  {
    name: "palette: open",
    limitSeconds: 0.1,
    before: close,
    act: palette,
  },
  {
    name: "palette: a watchlist by name",
    limitSeconds: 0.1,
    before: async (page) => {
      await close(page);
      await palette(page);
      await page.getByText(/^\d+ results/).waitFor();
    },
    act: async (page) => {
      await page.getByRole("combobox", { name: "Page, watchlist or item" }).fill("assortment 17");
      await page.getByRole("option", { name: /^Assortment 17/ }).waitFor();
    },
  },
  {
    name: "palette: an item by its ID, over all watchlists",
    limitSeconds: 0.1,
    before: async (page) => {
      await close(page);
      await palette(page);
    },
    act: (page) => search(page, itemId),
  },
  {
    name: "palette: items by words, over all watchlists",
    limitSeconds: 0.1,
    before: async (page) => {
      await close(page);
      await palette(page);
    },
    act: (page) => search(page, title.split(" ").slice(0, 2).join(" ")),
  },
];

/** Prints the result of `benchDashboard` to stdout as a table. */
export function printDashboard({ steps }: Record<string, unknown>): void {
  printTable("Seconds from the user's action until Chromium shows the result", steps as object[]);
  process.stdout.write(`
  within  yes: every repetition kept to the limit. p50: only the median did.
  The API, the database and the browser share this machine.
`);
}
