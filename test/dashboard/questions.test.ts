import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/running-world.ts";
import { type DashboardWorld, lacksChromium, startDashboardWorld } from "./dashboard-world.ts";

/** A sandbox item whose price changes with every minute, and whose stock changes often. */
const kettle = { id: "9000001", label: "Kettle, for the office" };
/** Sandbox items that change, and one that is always sold out. */
const items = [kettle, "9000002", "9000003", "9000004", "6505678", "6505679"];
const runs = 3;

/**
 * A question of a category manager. `clicks` is what the manager does from the first page on, and
 * `answer` waits for the element that shows the answer.
 */
interface Question {
  readonly question: string;
  readonly clicks: readonly ((page: Page) => Promise<unknown>)[];
  readonly answer: (page: Page) => Promise<unknown>;
}

const goTo = (name: string) => (page: Page) =>
  page.getByRole("navigation").getByRole("link", { name, exact: true }).first().click();
const press = (name: string | RegExp) => (page: Page) =>
  page
    .getByRole("button", { name, exact: typeof name === "string" })
    .first()
    .click();
const choose = (label: string, value: string) => (page: Page) =>
  page.getByLabel(label, { exact: true }).selectOption(value);
const type = (label: string, text: string) => (page: Page) => page.getByLabel(label).fill(text);
const follow = (name: string | RegExp) => (page: Page) =>
  page.getByRole("link", { name }).first().click();
const openList = [goTo("Watchlists"), follow("Office kitchen")];
/** Opens the page of the kettle with the search. */
const openKettle = [
  (page: Page) => page.keyboard.press("Control+k"),
  (page: Page) =>
    page.getByRole("combobox", { name: "Page, watchlist or item" }).fill("office kettle"),
  (page: Page) => page.getByRole("option", { name: /^Kettle, for the office/ }).click(),
];
const rowsOf = (page: Page, table: string) =>
  page.getByRole("table", { name: table, exact: true }).getByRole("row");

const questions: readonly Question[] = [
  {
    question: "Which of my products got cheaper by more than 5 % this week?",
    clicks: [
      press("7 days"),
      press("Net change"),
      choose("Kind of change", "price_drop"),
      type("Minimum change in percent", "5%"),
    ],
    answer: (page) => page.getByText(/^(?:More than )?\d+ changes?$/).waitFor(),
  },
  {
    question: "Why did I get this event?",
    clicks: openKettle,
    answer: async (page) => {
      await rowsOf(page, "Events about the item").nth(1).waitFor();
      await rowsOf(page, "Rules that report items of this watchlist").nth(1).waitFor();
    },
  },
  {
    question: "What did the kettle cost before, and since when does it cost what it costs now?",
    clicks: openKettle,
    answer: async (page) => {
      await page.getByText("Values since").waitFor();
      await rowsOf(page, "All changes of the item").nth(2).waitFor();
    },
  },
  {
    question: "What is sold out now at a competitor?",
    clicks: [goTo("Out of stock")],
    answer: (page) => rowsOf(page, "Items out of stock").nth(1).waitFor(),
  },
  {
    question: "Which product of this assortment is the most expensive?",
    clicks: [...openList, choose("Order", "price desc")],
    answer: async (page) => {
      const prices = async (): Promise<readonly number[]> => {
        const texts = await page.locator(".virtual-body .cell-values").allTextContents();
        return texts
          .map((text) => Number.parseFloat(text.replaceAll(",", "")))
          .filter((price) => !Number.isNaN(price));
      };
      await expect
        .poll(async () => {
          const shown = await prices();
          return shown.length > 2 && shown.join() === shown.toSorted((a, b) => b - a).join();
        })
        .toBe(true);
    },
  },
  {
    question: "Which products have disappeared from the shop?",
    clicks: [...openList, press("Delisted")],
    answer: (page) => page.getByText(/No items match the filter|^\d+ items?$/).waitFor(),
  },
  {
    question: "How long do my credits last?",
    clicks: [goTo("Overview")],
    answer: (page) => page.getByText("Lasts for", { exact: true }).waitFor(),
  },
  {
    question: "Which watchlist costs the most?",
    clicks: [goTo("Overview")],
    answer: (page) =>
      rowsOf(page, "Credits by watchlist and endpoint")
        .filter({ hasText: "Office kitchen" })
        .waitFor(),
  },
  {
    question: "Did the last run read everything?",
    clicks: [...openList, (page) => page.getByRole("tab", { name: "Runs" }).click()],
    answer: (page) =>
      page
        .getByRole("row", { name: /completed/ })
        .first()
        .waitFor(),
  },
  {
    question: "Does the shop answer at the moment?",
    clicks: [goTo("Sources")],
    answer: (page) => page.getByRole("row", { name: /retailer_d\.standard/ }).waitFor(),
  },
];

describe.skipIf(lacksChromium)("the dashboard, for a category manager,", () => {
  let dashboard: DashboardWorld;
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
    const { api } = dashboard.world;
    const body = { name: "Office kitchen", platform: "retailer_d", ids: items, every: "1d" };
    const id = String((await api.send("POST", "/watchlists", body)).body["id"]);
    const ended = (run: number) =>
      eventually(`run ${run}`, 60, async () => {
        const list = (await api.get(`/watchlists/${id}`)).body;
        const isEnded = list["run_count"] === run && list["last_run_status"] === "completed";
        return isEnded ? list : undefined;
      });
    await ended(1);
    for (let run = 2; run <= runs; run += 1) {
      await api.send("POST", `/watchlists/${id}/run`, {});
      await ended(run);
    }
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  it.each(questions)("answers the question “$question” within five clicks", async (asked) => {
    const { page, signIn } = await dashboard.open();
    await signIn();
    await page.getByRole("heading", { level: 1, name: "What changed" }).waitFor();
    expect(asked.clicks.length).toBeLessThanOrEqual(5);
    for (const click of asked.clicks) await click(page);
    await asked.answer(page);
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("is tested with ten different questions", () => {
    expect(new Set(questions.map(({ question }) => question)).size).toBe(10);
  });
});
