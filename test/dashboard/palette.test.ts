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

  const isSearch = (url: string): boolean => new URL(url).searchParams.has("search");
  const isIndex = (url: URL): boolean =>
    url.pathname.endsWith("/v1/watchlists/items") && !isSearch(url.href);

  it("shows items from its index before the service responds, and then adds new items that only the service returns", async () => {
    const { page, signIn } = await dashboard.open();
    const search = page.getByRole("combobox", { name: "Page, watchlist or item" });
    const option = (name: string) => page.getByRole("option", { name });
    const mayLoad = Promise.withResolvers<void>();
    await page.route(isIndex, async (route) => {
      await mayLoad.promise;
      await route.continue();
    });
    await signIn();
    await page.keyboard.press("Control+k");
    // Until the page has loaded its index, the service searches.
    await search.fill("office kett");
    await option("Kettle for the office").waitFor();

    const loaded = page.waitForResponse((answer) => isIndex(new URL(answer.url())));
    mayLoad.resolve();
    await (await loaded).finished();
    const mayAnswer = Promise.withResolvers<void>();
    await page.route(
      (url) => isSearch(url.href),
      async (route) => {
        await mayAnswer.promise;
        await route.continue();
      },
    );
    const { api } = dashboard.world;
    const added = await api.send("POST", `/watchlists/${list}/items`, {
      add: [{ id: "9000004", label: "Kettle, newly added" }],
    });
    expect(added.status).toBe(200);
    for (const text of ["9000001", "OFFICE kettle", "kettle"]) {
      await search.fill(text);
      await option("Kettle for the office").waitFor();
    }
    expect(await option("Kettle, newly added").count()).toBe(0);
    mayAnswer.resolve();
    await option("Kettle, newly added").waitFor();
    await page.getByText(/^2 results\./).waitFor();
  });

  it("leaves out an item that was removed, and the items of a watchlist that was deleted", async () => {
    const { api } = dashboard.world;
    const body = {
      name: "Short-lived",
      platform: "retailer_d",
      ids: [{ id: "9000006", label: "Teapot of a deleted watchlist" }],
      every: "1d",
    };
    const deleted = String((await api.send("POST", "/watchlists", body)).body["id"]);
    await api.send("POST", `/watchlists/${list}/items`, {
      add: [
        { id: "9000007", label: "Teapot to keep" },
        { id: "9000008", label: "Teapot to remove" },
      ],
    });
    const { page, signIn } = await dashboard.open();
    const loaded = page.waitForResponse((answer) => isIndex(new URL(answer.url())));
    await signIn();
    await (await loaded).finished();
    await api.send("DELETE", `/watchlists/${deleted}`);
    await api.send("POST", `/watchlists/${list}/items`, { remove: ["9000008"] });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("teapot");
    await page.getByText(/^1 result\./).waitFor();
    await page.getByRole("option", { name: "Teapot to keep" }).waitFor();
  });

  it("loads all items again when it opens a minute later, but not while a slow load is in progress", async () => {
    const { page, signIn } = await dashboard.open();
    await page.clock.install();
    const mayLoad = Promise.withResolvers<void>();
    let loads = 0;
    await page.route(isIndex, async (route) => {
      loads += 1;
      await mayLoad.promise;
      await route.continue();
    });
    const reopen = async (): Promise<void> => {
      await page.clock.fastForward("02:00");
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Search" }).waitFor();
      await page.keyboard.press("Escape");
    };
    await signIn();
    await reopen();
    await reopen();
    await expect.poll(() => loads).toBe(1);

    const loaded = page.waitForResponse((answer) => isIndex(new URL(answer.url())));
    mayLoad.resolve();
    await (await loaded).finished();
    await reopen();
    await expect.poll(() => loads).toBe(2);
  });

  it("shows the title and the ID of an item that has a label, and how many results it does not show", async () => {
    const { page, signIn } = await dashboard.open();
    const item = (n: number) => ({
      id: String(9_100_000 + n),
      object: "found_item",
      watchlist_id: list,
      watchlist_name: "Coffee and tea",
      platform: "retailer_d",
      label: n === 0 ? "For the canteen" : null,
      title: `Grinder ${n}`,
    });
    const all = Array.from({ length: 3_000 }, (_, n) => item(n));
    await page.route("**/v1/watchlists/items?**", (route) => {
      const data = isSearch(route.request().url()) ? all.slice(0, 20) : all;
      return route.fulfill({
        json: { object: "list", data, has_more: data.length === 20, next_starting_after: null },
      });
    });
    await signIn();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("grinder");
    await page.getByText(/^20 of 3,000 results\./).waitFor();
    const option = page.getByRole("option", { name: "For the canteen" });
    expect(await option.textContent()).toBe(
      "For the canteenItem · Grinder 0 · 9100000 · in Coffee and tea",
    );
    await expectAccessible(page, undefined, "dialog");
  });

  it("reports that no item matches, and restores the keyboard focus when Esc closes the search", async () => {
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

  it("does not offer to create a watchlist if the user's key cannot create one", async () => {
    const scopes = ["read", "write"];
    const { body } = await dashboard.world.api.send("POST", "/api_keys", { name: "x", scopes });
    const { page, signIn } = await dashboard.open();
    await signIn(String(body["key"]));
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: /^Coffee and tea Watchlist/ }).waitFor();
    expect(await page.getByRole("option", { name: /^New watchlist/ }).count()).toBe(0);
  });

  it("opens from the menu of a phone", async () => {
    const { page, signIn } = await dashboard.open({ scheme: "dark", size: "phone" });
    await signIn();
    await page.getByRole("button", { name: "Open the menu" }).click();
    await page.getByRole("button", { name: /^Search/ }).click();
    await expectAccessible(page, undefined, "dialog");
    await page.getByRole("option", { name: /^New watchlist/ }).waitFor();
    await page.getByRole("option", { name: /^Overview/ }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });
});
