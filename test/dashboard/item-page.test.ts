import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/running-world.ts";
import {
  type DashboardWorld,
  expectAccessible,
  expectAccessibleAsOpened,
  lacksChromium,
  refuseUntilTriedAgain,
  startDashboardWorld,
} from "./dashboard-world.ts";

const item = "9000001";
const label = "Kettle for the office";

describe.skipIf(lacksChromium)("the page of an item in the dashboard", () => {
  let dashboard: DashboardWorld;
  let list = "";
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
    list = await aListWithChanges();
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  /** Creates a watchlist with one item, whose price changes in its second run. */
  async function aListWithChanges(): Promise<string> {
    const { api } = dashboard.world;
    const { body } = await api.send("POST", "/watchlists", {
      name: "Kettles",
      platform: "retailer_d",
      ids: [{ id: item, label, metadata: { target_price: 70 } }],
      every: "1d",
    });
    const id = String(body["id"]);
    await ended(id, 1);
    await api.send("POST", `/watchlists/${id}/run`, {});
    await ended(id, 2);
    return id;
  }

  const ended = (id: string, run: number) =>
    eventually(`run ${run}`, 40, async () => {
      const { body } = await dashboard.world.api.get(`/watchlists/${id}`);
      return body["run_count"] === run && body["last_run_status"] === "completed"
        ? body
        : undefined;
    });

  it("shows the item's details, price and changes, its events, and the rules that caused the events", async () => {
    const { page, goTo } = await dashboard.openAt("/watchlists", "Watchlists");
    await goTo(`/watchlists/${list}/items/${item}`, label);
    const about = page.getByRole("region", { name: "About the item", exact: true });
    expect(await about.textContent()).toMatch(/9000001.*retailer_d · us.*active.*target_price70/);
    const links = about.getByRole("link", { name: "Open in the shop" });
    expect(await links.getAttribute("rel")).toBe("noreferrer noopener");
    await page.locator(".chart-plot canvas").waitFor();

    const changes = page.getByRole("table", { name: "All changes of the item" });
    await changes.getByRole("row").nth(2).waitFor();
    expect(await changes.getByRole("row").count()).toBe(3);
    const newest = changes.getByRole("row").nth(1);
    await newest.getByText("watchlist.product.changed").waitFor();
    expect(await newest.textContent()).toMatch(/price \d+\.\d\d USD.*check2$/);

    const rules = page.getByRole("table", { name: "Rules that report items of this watchlist" });
    const changed = rules.getByRole("row", { name: /^changed/ });
    await changed.locator("time").waitFor();
    expect(await rules.getByRole("row", { name: /^delisted/ }).textContent()).toContain(
      "none found",
    );
    const events = page.getByRole("table", { name: "Events about the item" });
    expect(await events.getByRole("row").count()).toBe(2);
    await events
      .getByText("No webhook delivery: when the event was created, no enabled endpoint")
      .waitFor();
    await page.getByRole("rowheader", { name: "price", exact: true }).waitFor();
    await expectAccessible(page);
  });

  it("links an event to its webhook delivery", async () => {
    const { api, ready } = dashboard.world;
    const url = `${ready["webhook_receiver_url"] ?? ""}/hooks/kettles`;
    const { body } = await api.send("POST", "/webhook_endpoints", { url });
    await api.send("POST", `/watchlists/${list}/run`, {});
    await ended(list, 3);
    const { page, goTo } = await dashboard.openAt("/watchlists", "Watchlists");
    await goTo(`/watchlists/${list}/items/${item}`, label);
    const events = page.getByRole("table", { name: "Events about the item" });
    const newest = events.getByRole("row").nth(1);
    await newest.getByRole("link", { name: /^Delivery dlv_/ }).click();
    await page.getByRole("dialog").waitFor();
    await api.send("DELETE", `/webhook_endpoints/${String(body["id"])}`);
  });

  it("lets the user choose another time span of the chart with the keyboard", async () => {
    const { page, goTo } = await dashboard.openAt("/watchlists", "Watchlists");
    await goTo(`/watchlists/${list}/items/${item}`, label);
    const span = page.getByRole("button", { name: "400 days" });
    await span.focus();
    await page.keyboard.press("Enter");
    expect(await span.getAttribute("aria-pressed")).toBe("true");
    await page.locator(".chart-plot canvas").waitFor();
  });

  it.each(["light", "dark"] as const)(
    "passes the accessibility check on a phone in the %s color scheme",
    async (scheme) => {
      const { page, signIn, goTo } = await dashboard.open({ scheme, size: "phone" });
      await signIn();
      await goTo(`/watchlists/${list}/items/${item}`, label);
      await page.locator(".chart-plot canvas").waitFor();
      await expectAccessibleAsOpened(page);
    },
  );

  it("shows a message for an item that is not on the watchlist, and after an error", async () => {
    const { page, goTo } = await dashboard.openAt("/watchlists", "Watchlists");
    await goTo(`/watchlists/${list}/items/9999999`, "9999999");
    await page.getByText("The item 9999999 is not on the watchlist.").waitFor();
    await page.getByText(/whether it is an ID of retailer_d.*If it was removed/).waitFor();
    await expectAccessible(page);
    await refuseUntilTriedAgain(page, "**/history?*", "Not today.");
    await goTo(`/watchlists/${list}/items/${item}`, label);
    await page.getByText("Not today.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("table", { name: "All changes of the item" }).waitFor();
  });
});
