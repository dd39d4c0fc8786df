import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type DashboardWorld,
  expectAccessible,
  lacksChromium,
  startDashboardWorld,
} from "./dashboard-world.ts";

describe.skipIf(lacksChromium)("the search of the dashboard", () => {
  let dashboard: DashboardWorld;
  let list = "";
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
    const { api } = dashboard.world;
    const ids = [{ id: "9000001", label: "Kettle for the office" }, "9000005"];
    const body = { name: "Coffee and tea", platform: "retailer_d", ids, every: "1d" };
    list = String((await api.send("POST", "/watchlists", body)).body["id"]);
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  it("opens with Ctrl-K on every page, and opens a page, a watchlist and an item with the keyboard alone", async () => {
    const { page } = await dashboard.openAt("/keys", "API keys");
    const search = page.getByRole("combobox", { name: "Page, watchlist or item" });
    const option = (name: RegExp) => page.getByRole("option", { name, selected: true });

    await page.keyboard.press("Control+k");
    await page.keyboard.type("watchl");
    await page.keyboard.press("ArrowDown");
    await option(/^New watchlist/).waitFor();
    await page.keyboard.press("ArrowUp");
    await option(/^Watchlists/).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Watchlists" }).waitFor();

    await page.keyboard.press("Control+k");
    await search.fill("tea coff");
    await option(/^Coffee and tea/).waitFor();
    await expectAccessible(page, undefined, "dialog");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Coffee and tea" }).waitFor();

    await page.keyboard.press("Meta+k");
    await search.fill("900000");
    await page.getByRole("option", { name: /^9000005/ }).waitFor();
    await option(/^Kettle for the office/).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Kettle for the office" }).waitFor();
    expect(page.url()).toContain(`/watchlists/${list}/items/9000001`);
  });

  it("finds loaded items by ID and by words without a request, and asks the service for other items", async () => {
    const { page, signIn } = await dashboard.open();
    const isSearch = (url: string): boolean => new URL(url).searchParams.has("search");
    const searches: string[] = [];
    page.on("request", (request) => {
      const url = request.url();
      if (url.includes("/v1/watchlists/items?") && isSearch(url)) searches.push(url);
    });
    const mayLoad = Promise.withResolvers<void>();
    await page.route(
      (url) => url.pathname.endsWith("/v1/watchlists/items") && !isSearch(url.href),
      async (route) => {
        await mayLoad.promise;
        await route.continue();
      },
    );
    const search = page.getByRole("combobox", { name: "Page, watchlist or item" });
    const kettle = page.getByRole("option", { name: /^Kettle for the office/ });
    await signIn();
    await page.keyboard.press("Control+k");
    await search.fill("office kett");
    await kettle.waitFor();
    expect(searches).toHaveLength(1);

    const loaded = page.waitForResponse(
      (answer) => answer.url().includes("/v1/watchlists/items?") && !isSearch(answer.url()),
    );
    mayLoad.resolve();
    await (await loaded).finished();
    searches.length = 0;
    for (const text of ["9000001", "kettle OFFICE", "90000"]) {
      await search.fill(text);
      await kettle.waitFor();
    }
    expect(searches).toEqual([]);

    const { api } = dashboard.world;
    const added = await api.send("POST", `/watchlists/${list}/items`, {
      add: [{ id: "9000004", label: "Newly added teapot" }],
    });
    expect(added.status).toBe(200);
    await search.fill("teapot");
    await page.getByRole("option", { name: /^Newly added teapot/ }).waitFor();
    expect(searches).toHaveLength(1);
  });

  it("reports that nothing matches, and restores the keyboard focus when Esc closes the search", async () => {
    const { page } = await dashboard.openAt("/keys", "API keys");
    const button = page.getByRole("button", { name: /^Search/ });
    await button.click();
    await page.keyboard.type("no such thing");
    await page.getByText(/^No results/).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => button.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
  });

  it("opens from the menu on a phone", async () => {
    const { page, signIn } = await dashboard.open({ scheme: "dark", size: "phone" });
    await signIn();
    await page.getByRole("button", { name: "Open the menu" }).click();
    await page.getByRole("button", { name: /^Search/ }).click();
    await expectAccessible(page, undefined, "dialog");
    await page.getByRole("option", { name: /^Overview/ }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });
});
