import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/running-world.ts";
import {
  type DashboardWorld,
  expectAccessible,
  expectAccessibleAsOpened,
  expectLoaded,
  lacksChromium,
  savedBy,
  refuseUntilTriedAgain,
  startDashboardWorld,
} from "./dashboard-world.ts";

const kettle = { id: "9000001", label: "Kettle, for the office" };
/** Sandbox items whose price and stock change with every read or every minute. */
const movingIds = ["9000001", "9000002", "9000004"];
const runs = 4;

describe.skipIf(lacksChromium)("the page 'What changed' of the dashboard", () => {
  let dashboard: DashboardWorld;
  let kettles = "";
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
    kettles = await aListWithChanges("Kettles", [kettle]);
    await aListWithChanges("Mixed", movingIds);
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  async function aListWithChanges(name: string, items: readonly unknown[]): Promise<string> {
    const { api } = dashboard.world;
    const body = { name, platform: "retailer_d", ids: items, every: "1d" };
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
    return id;
  }

  const shown = async (query: string): Promise<readonly Record<string, unknown>[]> =>
    (await dashboard.world.api.get(`/changes?limit=100&${query}`)).body["data"] as readonly Record<
      string,
      unknown
    >[];
  const rows = (page: Page) => page.getByRole("table", { name: "Changes" }).locator("tbody tr");
  const saved = (page: Page, name: "CSV" | "JSON"): Promise<string> =>
    savedBy(page, page.getByRole("button", { name: new RegExp(`^${name}`) }));

  it("opens after sign-in, and lists the changes of all watchlists with their kind and size", async () => {
    const { page, signIn } = await dashboard.open();
    await signIn();
    await page.getByRole("heading", { level: 1, name: "What changed" }).waitFor();
    const row = rows(page).filter({ hasText: "Kettle, for the office" });
    const price = row.filter({ hasText: /Price (drop|rise)price/ }).first();
    await price.waitFor();
    const change = (await shown("field=price")).find((one) => one["watchlist_id"] === kettles);
    const isDrop = change?.["kind"] === "price_drop";
    expect(await price.textContent()).toMatch(
      isDrop
        ? /Kettlesretailer_d.*Price drop.*−[\d.,]+%−[\d.,]+ USD/
        : /Kettlesretailer_d.*Price rise.*\+[\d.,]+%\+[\d.,]+ USD/,
    );
    expect(await price.locator("strong").getAttribute("class")).toBe(
      isDrop ? "change-good" : "change-bad",
    );
    await expectAccessible(page);
    await price.getByRole("link", { name: "Kettle, for the office" }).click();
    await page.getByRole("heading", { level: 1, name: "Kettle, for the office" }).waitFor();
  });

  it("filters and sorts changes on the server, and saves the same changes as CSV", async () => {
    const { page } = await dashboard.openAt("/changes", "What changed");
    const found = await shown("field=price");
    const isDrop = (one: Record<string, unknown>): boolean => one["kind"] === "price_drop";
    // The sandbox decides by the time whether more prices rise or fall.
    const kind = found.filter(isDrop).length > found.length / 2 ? "price_drop" : "price_rise";
    const all = await shown(`sort=amount&kind=${kind}&min_delta_percent=1`);
    expect(all.length).toBeGreaterThan(0);
    await page.getByLabel("Kind of change").selectOption(kind);
    await page.getByLabel("Order").selectOption("amount");
    await page.getByLabel("Minimum change in percent").fill("1");
    await expect.poll(() => rows(page).count()).toBe(all.length);
    await page.reload();
    await expectLoaded(page);
    await expect.poll(() => rows(page).count()).toBe(all.length);

    expect(JSON.parse(await saved(page, "JSON"))).toEqual(all);
    const lines = (await saved(page, "CSV")).trim().split("\r\n");
    expect(lines[0]).toMatch(/^changed_at,watchlist_id,watchlist_name,item_id,label,title,/);
    expect(lines).toHaveLength(all.length + 1);
    for (const [n, change] of all.entries()) {
      expect(lines[n + 1]).toContain(`,${kind},${String(change["field"])},`);
      const name = await rows(page).nth(n).getByRole("rowheader").textContent();
      expect(name).toContain(String(change["item_id"]));
    }

    await page.getByLabel("Watchlist", { exact: true }).selectOption(kettles);
    await page.getByLabel("Minimum change in percent").fill("100000");
    await page.getByText("No change matches the filters.").waitFor();
    await expectAccessible(page);
  });

  it("saves all changes that match the filters, including changes that are not loaded yet", async () => {
    const { page, signIn, goTo } = await dashboard.open();
    // Short pages, so that the list and the download have several of them.
    await page.route("**/v1/changes?*", (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set("limit", url.searchParams.get("limit") === "50" ? "2" : "3");
      return route.continue({ url: String(url) });
    });
    await signIn();
    await goTo("/changes?span=7", "What changed");
    await page.getByRole("heading", { name: "More than 2 changes" }).waitFor();
    const all = await shown("");
    expect(all.length).toBeGreaterThan(3);
    expect(JSON.parse(await saved(page, "JSON"))).toEqual(all);
    expect((await saved(page, "CSV")).trim().split("\r\n")).toHaveLength(all.length + 1);
  });

  it("shows the loaded changes at the same scroll position after the user returns from an item", async () => {
    const { page, signIn, goTo } = await dashboard.open({ size: "phone" });
    // Short pages, so that the list has several of them.
    await page.route("**/v1/changes?*", (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set("limit", "2");
      return route.continue({ url: String(url) });
    });
    await signIn();
    await goTo("/changes?span=7", "What changed");
    await page.getByRole("heading", { name: "More than 2 changes" }).waitFor();
    await page.getByRole("button", { name: "Load more" }).click();
    await expect.poll(() => rows(page).count()).toBe(4);
    const link = rows(page).nth(3).getByRole("rowheader").getByRole("link").first();
    await link.scrollIntoViewIfNeeded();
    const position = await page.evaluate(() => scrollY);
    expect(position).toBeGreaterThan(0);
    await link.click();
    await page.getByRole("heading", { level: 2, name: "About the item", exact: true }).waitFor();
    await page.goBack();
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(position);
    expect(await rows(page).count()).toBe(4);
    await goTo("/keys", "API keys");
    await goTo("/changes?span=7", "What changed");
    await expect.poll(() => rows(page).count()).toBe(2);
  });

  it("accepts a minimum size with a percent sign or a decimal comma, and shows an error for an invalid size before it calls the service", async () => {
    const { page } = await dashboard.openAt("/changes", "What changed");
    await expectLoaded(page);
    const sent: string[] = [];
    page.on("request", (request) => {
      const size = new URL(request.url()).searchParams.get("min_delta_percent");
      if (size !== null) sent.push(size);
    });
    const percent = page.getByLabel("Minimum change in percent");
    for (const [text, number] of [
      ["5%", "5"],
      ["5,5", "5.5"],
      ["6.5", "6.5"],
    ] as const) {
      await percent.fill(text);
      await expect.poll(() => sent.at(-1)).toBe(number);
    }
    for (const text of ["-5", "many"]) {
      await percent.fill(text);
      await page
        .getByRole("alert")
        .filter({ hasText: `got “${text}”` })
        .waitFor();
      expect(await percent.getAttribute("aria-invalid")).toBe("true");
      await page.getByText("Correct it to list changes.").waitFor();
      expect(await rows(page).getByRole("rowheader").count()).toBe(0);
    }
    await expectAccessible(page);
    await percent.fill("7");
    await expect.poll(() => sent.at(-1)).toBe("7");
    expect(new Set(sent)).toEqual(new Set(["5", "5.5", "6.5", "7"]));
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("shows the net change of a time span, with one row for each item and field", async () => {
    const { page } = await dashboard.openAt("/changes?span=7", "What changed");
    await rows(page).first().waitFor();
    const net = await shown("compare=period&sort=size");
    const single = await shown("sort=size");
    expect(net.length).toBeGreaterThan(0);
    expect(net.length).toBeLessThan(single.length);
    await page.getByRole("button", { name: "Net change" }).click();
    await page.getByText("its value at the start of the time span (7 days ago)").waitFor();
    await page.getByLabel("Order").selectOption("size");
    await expect.poll(() => rows(page).count()).toBe(net.length);
    expect(JSON.parse(await saved(page, "JSON"))).toEqual(net);
    await expectAccessible(page);
  });

  it("offers exactly the fields that exist for the chosen kind of change", async () => {
    const { page } = await dashboard.openAt("/changes?kind=price_drop", "What changed");
    const field = page.getByLabel("Field", { exact: true });
    expect(await field.locator("option").allTextContents()).toEqual([
      "All fields",
      "price",
      "buyboxPrice",
      "lowestPrice",
      "newMinPrice",
    ]);
    const prices = await shown("kind=price_drop&field=price");
    await field.selectOption("price");
    await expect.poll(() => rows(page).count()).toBe(prices.length);
    expect(page.url()).toContain("field=price");
    await page.getByLabel("Kind of change").selectOption("sold_out");
    await expect.poll(() => page.url()).not.toContain("field=price");
  });

  it("shows which parts of its URL it ignores", async () => {
    const { page } = await dashboard.openAt("/changes?span=400&period=7&sort=date", "What changed");
    const notice = page.getByRole("status").filter({ hasText: "The page ignores a part" });
    await notice.waitFor();
    const text = await notice.textContent();
    expect(text).toContain("span=400: the valid values are 1, 7, 30.");
    expect(text).toContain("sort=date: the valid values are time, size, amount.");
    expect(text).toContain("period=7: this page has only span, compare,");
    await expectAccessible(page);
    await page.getByRole("button", { name: "30 days" }).click();
    await notice.waitFor({ state: "detached" });
  });

  it("offers no size filter for a kind of change without a size", async () => {
    const { page } = await dashboard.openAt("/changes?sort=size&percent=5", "What changed");
    await page.getByLabel("Kind of change").selectOption("sold_out");
    await page.getByLabel("Order").waitFor({ state: "detached" });
    const count = (await shown("kind=sold_out")).length;
    await expect.poll(() => rows(page).count()).toBe(count);
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.getByRole("button", { name: "30 days" }).click();
    await expect.poll(() => rows(page).count()).toBe(count);
    expect(page.url()).toContain("span=30");
  });

  it("shows an empty list of new sellers, and no error, for a platform without sellers", async () => {
    const { page } = await dashboard.openAt(
      `/changes?kind=new_seller&watchlist=${kettles}`,
      "What changed",
    );
    await page.getByText("No change matches the filters.").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it.each(["light", "dark"] as const)(
    "is accessible on a phone in the %s color scheme, and offers to try again after an error",
    async (scheme) => {
      const { page, signIn, goTo } = await dashboard.open({ scheme, size: "phone" });
      await signIn();
      await rows(page).first().waitFor();
      await expectAccessibleAsOpened(page);
      await goTo("/keys", "API keys");
      await refuseUntilTriedAgain(page, "**/v1/changes?*", "Not today.");
      await goTo("/changes", "What changed");
      await page.getByText("Not today.").waitFor();
      await page.getByRole("button", { name: "Try again" }).click();
      await rows(page).first().waitFor();
    },
  );
});
