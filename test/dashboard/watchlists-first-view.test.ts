import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { launchChromium } from "../../tools/dashboard/chromium.ts";
import { pointClientsAt } from "../../tools/local/aws-environment.ts";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import { type Item, newItem } from "../../shared/watchlists/item.ts";
import { aWatchlist } from "../support/a-watchlist.ts";
import { putWatchlist } from "../support/put-watchlist.ts";
import { type DashboardWorld, lacksChromium, startDashboardWorld } from "./dashboard-world.ts";

const lists = 100;
const items = 50_000;
const smallListItems = 100;

const at = "2026-03-01T00:00:00.000Z";
const idOf = (n: number): string => `wl_${String(n).padStart(24, "0")}`;
const largeList = idOf(lists - 1);

const itemAt = (n: number): Item => ({
  ...newItem(String(1_000_000 + n), at),
  state: "active",
  firstReadAt: at,
  lastReadStatus: "ok",
  readings: { standard: { price: n / 100, inStock: true, state: "ADD_TO_CART" } },
  snapshotAt: at,
});

async function fill(dashboard: DashboardWorld): Promise<void> {
  const { ready, api } = dashboard.world;
  pointClientsAt({ dynamodb: ready["dynamodb_endpoint"] ?? "" });
  const accountId = String((await api.get("/account")).body["id"]);
  const table = {
    client: documentClient(),
    table: ready["watchlists_table"] ?? "",
    clock: systemClock,
    random: systemRandom,
  };
  for (let n = 0; n < lists; n += 1) {
    const count = n === lists - 1 ? items - smallListItems * (lists - 1) : smallListItems;
    const list = aWatchlist({
      id: idOf(n),
      accountId,
      name: `List ${n}`,
      itemCounts: { new: 0, active: count, delisted: 0 },
      runCount: 1,
      lastRunAt: at,
      lastRunStatus: "completed",
      nextRunAt: "2099-01-01T00:00:00.000Z",
    });
    await putWatchlist(
      table,
      list,
      Array.from({ length: count }, (_, item) => itemAt(item)),
    );
  }
}

describe.skipIf(lacksChromium)(`an account with ${lists} watchlists and ${items} items`, () => {
  let dashboard: DashboardWorld;
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
    await fill(dashboard);
  }, 180_000);
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  it.each([
    { what: "overview", place: "/overview", selector: ".chart-plot canvas", count: 1 },
    { what: "list of watchlists", place: "/watchlists", selector: "tbody tr", count: lists },
    {
      what: "watchlist",
      place: `/watchlists/${largeList}`,
      selector: ".virtual-body .item-row",
      count: 10,
    },
  ])(
    "can open the dashboard page '$what' with an empty and with a full browser cache",
    async ({ what, place, selector, count }) => {
      const cold = await coldLoad(dashboard, { place, selector, count });
      const { page, signIn } = await dashboard.open();
      await signIn();
      await markShown(page, selector, count);
      const taken: number[] = [];
      for (let n = 0; n < 3; n += 1) {
        // A change after `#` alone would not reload the page, so another page is opened first.
        await page.goto("about:blank");
        taken.push(await load(page, `${dashboard.url}#${place}`, { selector, count }));
      }
      const warm = taken.map((milliseconds) => `${Math.round(milliseconds)} ms`).join(", ");
      process.stdout.write(
        `First view of the ${what}: ${Math.round(cold)} ms with an empty cache, then ${warm}\n`,
      );
      // This test sets no limit for the times, because they depend on what else the machine does.
      // It checks only that each page opens. `npm run bench -- dashboard` compares the times of
      // pages with limits.
      expect(Math.max(cold, ...taken)).toBeLessThan(Infinity);
    },
  );
});

interface Shown {
  readonly selector: string;
  /** The minimum number of elements that match the selector. */
  readonly count: number;
}

/** Makes each loaded page record when it first contains enough matching elements. */
const markShown = (page: Page, wantedSelector: string, wantedCount: number): Promise<unknown> =>
  page.addInitScript(
    ([wanted, least]) => {
      const observer = new MutationObserver(() => {
        if (document.querySelectorAll(wanted).length < least) return;
        observer.disconnect();
        requestAnimationFrame(() => performance.mark("shown"));
      });
      observer.observe(document, { childList: true, subtree: true });
    },
    [wantedSelector, wantedCount] as const,
  );

/** Loads a page. Returns the milliseconds from the start of the load to the first view. */
async function load(page: Page, address: string, { selector, count }: Shown): Promise<number> {
  await page.goto(address);
  await page
    .locator(selector)
    .nth(count - 1)
    .waitFor({ state: "attached" });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  return page.evaluate(() => performance.getEntriesByName("shown")[0]?.startTime ?? Infinity);
}

/**
 * Loads a page in a new browser, whose cache is empty. Returns the milliseconds until the first
 * view.
 */
async function coldLoad(
  { world, url }: DashboardWorld,
  { place, ...shown }: Shown & { readonly place: string },
): Promise<number> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.addInitScript(
      (key) =>
        sessionStorage.setItem(
          "dashboard.session",
          JSON.stringify({ key, scopes: ["read", "spend", "write"] }),
        ),
      world.ready["api_key"] ?? "",
    );
    await markShown(page, shown.selector, shown.count);
    return await load(page, `${url}#${place}`, shown);
  } finally {
    await browser.close();
  }
}
