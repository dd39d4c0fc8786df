import type { Page } from "playwright-core";
import { assert } from "../../../shared/base/assert.ts";
import { apiClient } from "../../../tools/customer/api-client.ts";
import type { World } from "../../../tools/local/world.ts";

/** What a user does, and how long the dashboard may take until it shows the result. */
export interface Step {
  readonly name: string;
  /** The longest accepted duration of the step; undefined if the user does not wait for it. */
  readonly limitSeconds?: number;
  /** Brings the page into the state before the step. Not measured. */
  readonly before: (page: Page, round: number) => Promise<void>;
  /** Performs the user's action. Resolves when the page shows the result. */
  readonly act: (page: Page, round: number) => Promise<void>;
}

async function open(page: Page, place: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
}

/** The first row of the body of a table. */
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
/**
 * Performs a user action, and resolves when the page shows the list that the action read again.
 * @param path The API path of the list.
 * @param act The user action.
 */
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
/** The watchlist to open in each round, and the item to search for. */
interface Targets {
  readonly at: (round: number) => string;
  readonly itemId: string;
  readonly title: string;
}

/**
 * Returns the user actions that the benchmark measures, in their order.
 * @param watchlists The IDs of the watchlists to open.
 */
export async function stepsOf(
  world: World,
  watchlists: readonly string[],
): Promise<readonly Step[]> {
  const api = apiClient(world.baseUrl, world.apiKey);
  const at = (round: number): string => watchlists[(round * 7) % watchlists.length] ?? "";
  const { body } = await api.get(`/watchlists/${at(0)}/items?limit=500`);
  assert(Array.isArray(body["data"]), "the watchlist must have items");
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
  {
    name: "What changed: net price drops of 7 days, by 5 % or more",
    limitSeconds: 0.5,
    before: changes,
    act: (page) =>
      read(page, "/v1/changes", () =>
        open(page, "/changes?span=7&compare=period&kind=price_drop&percent=5"),
      ),
  },
  {
    name: "What changed: net changes of 30 days",
    limitSeconds: 0.5,
    before: changes,
    act: (page) => read(page, "/v1/changes", () => open(page, "/changes?span=30&compare=period")),
  },
  {
    name: "out of stock: first items of all watchlists",
    limitSeconds: 1,
    before: changes,
    act: (page) => read(page, "stock=out", () => open(page, "/stock")),
  },
  {
    name: "out of stock: sort by name",
    limitSeconds: 0.5,
    before: async (page) => {
      await open(page, "/stock");
      await rowOf(page, "Items out of stock").waitFor();
    },
    act: (page) => read(page, "stock=out", () => page.getByLabel("Order").selectOption("name asc")),
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
    name: "palette: loading of all items, once after sign-in, in the background",
    before: (page) => open(page, "/keys"),
    act: async (page) => {
      const last = page.waitForResponse(
        async (answer) =>
          answer.url().includes("/v1/watchlists/items?") &&
          Object(await answer.json()).next_starting_after === null,
      );
      await page.reload();
      await (await last).finished();
    },
  },
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
      await page.getByText(/^(\d+ of )?\d+ results/).waitFor();
    },
    act: async (page) => {
      await page.getByRole("combobox", { name: "Page, watchlist or item" }).fill("assortment 17");
      await page.getByRole("option", { name: /^Assortment 17/ }).waitFor();
    },
  },
  {
    name: "palette: an item by its ID, once all items are loaded",
    limitSeconds: 0.1,
    before: async (page) => {
      await close(page);
      await palette(page);
    },
    act: (page) => search(page, itemId),
  },
  {
    name: "palette: items by words, once all items are loaded",
    limitSeconds: 0.1,
    before: async (page) => {
      await close(page);
      await palette(page);
    },
    act: (page) => search(page, title.split(" ").slice(0, 2).join(" ")),
  },
];
