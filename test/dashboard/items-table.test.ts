import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/running-world.ts";
import {
  type DashboardWorld,
  expectAccessible,
  lacksChromium,
  savedBy,
  startDashboardWorld,
} from "./dashboard-world.ts";

const ids = Array.from({ length: 300 }, (_, n) => String(7_000_000 + n));

describe.skipIf(lacksChromium)("the table of a watchlist's items in the dashboard", () => {
  let dashboard: DashboardWorld;
  let list = "";
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
    const { api } = dashboard.world;
    const body = { name: "Many", platform: "retailer_d", ids: ["9000001", ...ids], every: "1d" };
    list = String((await api.send("POST", "/watchlists", body)).body["id"]);
    await ended(1);
    await api.send("POST", `/watchlists/${list}/run`, {});
    await ended(2);
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  const ended = (run: number) =>
    eventually(`run ${run}`, 60, async () => {
      const { body } = await dashboard.world.api.get(`/watchlists/${list}`);
      return body["run_count"] === run && body["last_run_status"] === "completed"
        ? body
        : undefined;
    });

  const opened = async (size: "desktop" | "phone" = "desktop"): Promise<Page> => {
    const { page, signIn, goTo } = await dashboard.open({ size });
    await signIn();
    await goTo(`/watchlists/${list}`, "Many");
    await page.getByText(/^\d{3} items$/).waitFor();
    return page;
  };

  it("has column headers and rows 44 pixels high, and shows each change in percent with its sign and its time", async () => {
    const page = await opened();
    const table = page.getByRole("table", { name: "Items" });
    await page.setViewportSize({ width: 1_600, height: 900 });
    const heads = ["", "Item", "Price and stock", "Last change", "Last read"];
    expect(await table.getByRole("columnheader").allTextContents()).toEqual(heads);
    const row = table.locator(".virtual-body").getByRole("row").nth(1);
    expect((await row.boundingBox())?.height).toBe(44);
    await page.getByLabel("Search by ID").fill("9000001");
    const kettle = page.getByRole("row", { name: /9000001/ });
    await kettle.getByText(/^[+−][\d.,]+%$/).waitFor();
    const size = kettle.getByText(/^[+−][\d.,]+%$/);
    const isRise = (await size.textContent())?.startsWith("+") === true;
    expect(await size.getAttribute("class")).toBe(isRise ? "change-bad" : "change-good");
    expect(await kettle.locator(".cell-change time").textContent()).toMatch(/ago$|^just now$/);
    await expectAccessible(page);
  });

  it("saves all items that match the filters as CSV, including items that are not loaded yet", async () => {
    const page = await opened();
    const saved = async (): Promise<string[]> => {
      const csv = await savedBy(page, page.getByRole("button", { name: /^CSV/ }));
      return csv.trim().split("\r\n");
    };
    const { body } = await dashboard.world.api.get(`/watchlists/${list}`);
    const lines = await saved();
    expect(lines).toHaveLength(1 + Number(body["item_count"]));
    expect(lines[0]).toMatch(/^id,label,title,url,state,.*,price,.*,change_percent$/);
    await page.getByLabel("Search by ID").fill("9000001");
    await page.getByText("1 item", { exact: true }).waitFor();
    const [, kettle, ...more] = await saved();
    expect(kettle).toMatch(/^9000001,/);
    expect(more).toEqual([]);
  });

  it("lets the user label and remove the selected items with the keyboard alone", async () => {
    const page = await opened();
    await page.getByLabel("Search by ID").fill("700001");
    await page.getByText("10 items", { exact: true }).waitFor();
    await page.getByLabel("Select 7000010").focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await page.getByText("2 selected").waitFor();
    await page.getByRole("button", { name: "Label", exact: true }).press("Enter");
    await page.getByLabel("Label of 7000010").fill("Toaster");
    await expectAccessible(page, undefined, "dialog");
    await page.keyboard.press("Enter");
    await page.getByText("1 labeled").waitFor();
    await page.getByRole("link", { name: "Toaster" }).waitFor();

    await page.getByLabel("Select all 10 loaded items").focus();
    await page.keyboard.press("Space");
    await page.getByText("10 selected").waitFor();
    await page.getByRole("button", { name: "Remove", exact: true }).press("Enter");
    await expectAccessible(page, undefined, "dialog");
    await page.getByRole("button", { name: "Remove 10 items" }).press("Enter");
    await page.getByText("10 removed").waitFor();
    await page.getByText("No items match the filter.").waitFor();
    const { status } = await dashboard.world.api.get(`/watchlists/${list}/items/7000010`);
    expect(status).toBe(404);
  });

  it("has rows 84 pixels high on a phone, and opens the page of an item", async () => {
    const page = await opened("phone");
    const row = page.locator(".virtual-body").getByRole("row").nth(1);
    expect((await row.boundingBox())?.height).toBe(84);
    await expectAccessible(page);
    await row.getByRole("link").click();
    await page.getByRole("heading", { level: 2, name: "About the item", exact: true }).waitFor();
  });
});
