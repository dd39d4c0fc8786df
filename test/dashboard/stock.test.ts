import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/running-world.ts";
import {
  type DashboardWorld,
  expectAccessible,
  expectAccessibleAsOpened,
  lacksChromium,
  savedBy,
  refuseUntilTriedAgain,
  startDashboardWorld,
} from "./dashboard-world.ts";

/** A sandbox item that is always sold out, and one that is always in stock. */
const [soldOut, inStock] = ["9000003", "9000000"];

describe.skipIf(lacksChromium)("the page 'Out of stock' of the dashboard", () => {
  let dashboard: DashboardWorld;
  let kettles = "";
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
    kettles = await aList("Kettles", [{ id: soldOut, label: "Zinc kettle" }, inStock]);
    await aList("Lamps", [{ id: soldOut, label: "Amber lamp" }]);
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  async function aList(name: string, ids: readonly unknown[]): Promise<string> {
    const { api } = dashboard.world;
    const body = { name, platform: "retailer_d", ids, every: "1d" };
    const id = String((await api.send("POST", "/watchlists", body)).body["id"]);
    await eventually("the first run", 60, async () => {
      const list = (await api.get(`/watchlists/${id}`)).body;
      return list["last_run_status"] === "completed" ? list : undefined;
    });
    return id;
  }

  const rows = (page: Page) =>
    page.getByRole("table", { name: "Items out of stock" }).locator("tbody tr");
  const names = (page: Page) => rows(page).getByRole("rowheader").locator("a:first-child");

  it("lists the sold-out items of all watchlists, and lets the user sort, filter and save them as CSV", async () => {
    const { page } = await dashboard.openAt("/changes?kind=sold_out", "What changed");
    await page.getByRole("link", { name: "All items that are out of stock now" }).click();
    await page.getByRole("heading", { name: "2 items out of stock" }).waitFor();
    await page.getByLabel("Order").selectOption("name asc");
    await expect.poll(() => names(page).first().textContent()).toBe("Amber lamp");
    await page.getByLabel("Order").selectOption("name desc");
    await expect.poll(() => names(page).first().textContent()).toBe("Zinc kettle");
    expect(await rows(page).first().textContent()).toMatch(/9000003.*Kettles.*or earlier/);
    await expectAccessible(page);

    await page.getByLabel("Watchlist", { exact: true }).selectOption(kettles);
    await page.getByRole("heading", { name: "1 item out of stock" }).waitFor();
    const csv = await savedBy(page, page.getByRole("button", { name: /^CSV/ }));
    const lines = csv.trim().split("\r\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^watchlist_id,watchlist_name,platform,id,label,title,price,currency/);
    expect(lines[1]).toContain(`${kettles},Kettles,retailer_d,9000003,Zinc kettle,`);

    await page.getByLabel("Search by ID, label or title").fill("amber");
    await page.getByText("No item that is out of stock matches.").waitFor();
    await page.getByLabel("Watchlist", { exact: true }).selectOption("");
    await names(page).filter({ hasText: "Amber lamp" }).click();
    await page.getByRole("heading", { level: 1, name: "Amber lamp" }).waitFor();
  });

  it("can be opened from a watchlist, and links to the items that are back in stock", async () => {
    const { page } = await dashboard.openAt(`/watchlists/${kettles}`, "Kettles");
    await page.getByRole("link", { name: "Out of stock now" }).click();
    await page.getByRole("heading", { name: "1 item out of stock" }).waitFor();
    await page.getByRole("link", { name: "Back in stock in the last 7 days" }).click();
    await page.getByRole("heading", { level: 1, name: "What changed" }).waitFor();
    expect(await page.getByLabel("Kind of change").inputValue()).toBe("back_in_stock");
    const net = page.getByRole("button", { name: "Net change" });
    expect(await net.getAttribute("aria-pressed")).toBe("true");
  });

  it("shows which parts of its URL it ignores", async () => {
    const { page } = await dashboard.openAt("/stock?order=size", "Out of stock");
    await page.getByText(/^order=size: the valid values are changed_at desc,/).waitFor();
  });

  it.each(["light", "dark"] as const)(
    "is accessible on a phone in the %s color scheme, and offers to try again after an error",
    async (scheme) => {
      const { page, signIn, goTo } = await dashboard.open({ scheme, size: "phone" });
      await signIn();
      await refuseUntilTriedAgain(page, "**/v1/watchlists/items?*stock=out*", "Not today.");
      await goTo("/stock", "Out of stock");
      await page.getByText("Not today.").waitFor();
      await page.getByRole("button", { name: "Try again" }).click();
      await rows(page).first().waitFor();
      await expectAccessibleAsOpened(page);
    },
  );
});
