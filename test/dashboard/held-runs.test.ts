import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/running-world.ts";
import {
  type DashboardWorld,
  expectAccessible,
  lacksChromium,
  startDashboardWorld,
} from "./dashboard-world.ts";

/** An item of the sandbox whose price changes at every read. */
const changingItem = "9000001";

describe.skipIf(lacksChromium)("the dashboard's pages for held runs and limits", () => {
  let dashboard: DashboardWorld;
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  const list = async (id: string) => (await dashboard.world.api.get(`/watchlists/${id}`)).body;

  const status = (id: string, run: number, wanted: string) =>
    eventually(`run ${run} ${wanted}`, 40, async () => {
      const { run_count: runs, last_run_status: last } = await list(id);
      return runs === run && last === wanted ? true : undefined;
    });

  /** Creates a watchlist whose second run is held, through the API. Returns its ID. */
  const heldList = async (name: string): Promise<string> => {
    const { api } = dashboard.world;
    const brake = { max_changed_percent: 50, min_items: 1 };
    const body = { name, platform: "retailer_d", ids: [changingItem], every: "1d", brake };
    const id = String((await api.send("POST", "/watchlists", body)).body["id"]);
    await status(id, 1, "completed");
    await api.send("POST", `/watchlists/${id}/run`);
    await status(id, 2, "held");
    return id;
  };

  const counts = /^1 of 1 items changed or were delisted, more than the 50% that the brake allows/;

  it("show why a run is held, and let the user release it with the keyboard", async () => {
    const id = await heldList("Released");
    const { page, goTo } = await dashboard.openAt("/watchlists", "Watchlists");
    await page
      .getByRole("row", { name: /Released/ })
      .getByText("held")
      .waitFor();
    await goTo(`/watchlists/${id}`, "Released");
    const card = page.getByRole("region", { name: "Run 2 is held" });
    await card.getByText(counts).waitFor();
    await card.getByText(/discarded automatically in \d+ days/).waitFor();
    const run = page.getByRole("button", { name: "Run now" });
    expect(await run.getAttribute("aria-disabled")).toBe("true");
    await page.getByRole("tab", { name: /Runs/ }).click();
    await page.getByRole("row", { name: /Run 2/ }).getByText("held").waitFor();
    await expectAccessible(page);

    await card.getByRole("button", { name: "Release" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Run 2 is released. Its events are sent now.").waitFor();
    await card.waitFor({ state: "detached" });
    const row = page.getByRole("row", { name: /Run 2/ });
    await row.getByText(/that the brake allows\. Released\.$/).waitFor();
    await expect.poll(() => run.getAttribute("aria-disabled"), { timeout: 20_000 }).toBeNull();
    expect((await list(id))["last_run_status"]).toBe("completed");
  });

  it("ask the user for a reason before a held run is discarded, and then show the reason", async () => {
    const id = await heldList("Discarded");
    const { page } = await dashboard.openAt(`/watchlists/${id}?tab=runs`, "Discarded");
    const discard = page.getByRole("button", { name: "Discard", exact: true });
    await discard.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Discard run 2?" }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect((await list(id))["last_run_status"]).toBe("held");

    await discard.click();
    const reason = dialog.getByLabel("Reason");
    await reason.fill("x".repeat(501));
    await dialog.getByRole("button", { name: "Discard run" }).click();
    await dialog.getByText(/must be a string of 1 to 500 characters/).waitFor();
    await expectAccessible(page);
    await reason.fill("Prices in cents.");
    await dialog.getByRole("button", { name: "Discard run" }).click();
    await page.getByText(/^Run 2 is discarded\./).waitFor();
    await page
      .getByRole("row", { name: /Run 2/ })
      .getByText(/ Discarded: Prices in cents\.$/)
      .waitFor();
    await status(id, 2, "completed");
  });

  it("report that another client has already discarded the run that the user wants to release", async () => {
    const id = await heldList("Raced");
    const { page } = await dashboard.openAt(`/watchlists/${id}`, "Raced");
    const release = page.getByRole("button", { name: "Release" });
    await release.waitFor();
    await dashboard.world.api.send("POST", `/watchlists/${id}/runs/2/discard`);
    await release.click();
    await page.getByText(/^Run 2 was discarded at .+ The decision cannot be changed\.$/).waitFor();
    await page.getByRole("tab", { name: /Runs/ }).click();
    await page
      .getByRole("row", { name: /Run 2/ })
      .getByText(/ Discarded\.$/)
      .waitFor();
  });

  it("let the user set the brake and the credit limits of a new watchlist, and change them later", async () => {
    const { page, goTo } = await dashboard.openAt("/watchlists/new", "New watchlist");
    await page.getByLabel("Name").fill("Limited");
    await page.getByLabel("Platform").selectOption("retailer_d");
    await page.getByLabel("Item IDs").fill("9000000");
    expect(await page.getByLabel("Changed items, in percent").inputValue()).toBe("95");
    await page.getByLabel("Credits per run").fill("many");
    await page
      .getByText("Credits per run must be a whole number of at least 1, or empty")
      .waitFor();
    await page.getByLabel("Credits per run").fill("20");
    expect(await page.getByText(/likely to leave out items/).count()).toBe(0);
    await page.getByLabel("Item IDs").fill("9000000, 9000001, 9000002");
    await page.getByLabel("Credits per run").fill("2");
    await page
      .getByText(
        /^Runs are likely to leave out items of the step check: the step costs about 3 credits, and the credits per run leave 2 credits for it\. /,
      )
      .waitFor();
    await page.getByLabel("Credits per run").fill("20");
    await page.getByText(/likely to leave out items/).waitFor({ state: "detached" });
    await page.getByLabel("Item IDs").fill("9000000");
    await page.getByLabel("Changed items, in percent").fill("101");
    await page.getByText("Changed items, in percent must be a number above 0").waitFor();
    expect(await page.getByLabel("Changed items, in percent").getAttribute("aria-invalid")).toBe(
      "true",
    );
    await expectAccessible(page);
    await page.getByLabel("Changed items, in percent").fill("30");
    await page.getByRole("button", { name: "Create watchlist" }).click();
    await page.getByRole("heading", { level: 1, name: "Limited" }).waitFor();
    const id = page.url().split("/").at(-1) ?? "";
    expect(await list(id)).toMatchObject({
      max_credits_per_run: 20,
      daily_credit_budget: null,
      brake: { max_changed_percent: 30, min_items: 50 },
    });

    await goTo(`/watchlists/${id}?tab=settings`, "Limited");
    await page.getByLabel("Credits per run").fill("");
    await page.getByLabel("Credits per day").fill("70");
    await page.getByLabel("Hold a run in which too many items change").uncheck();
    expect(await page.getByLabel("Minimum number of items").count()).toBe(0);
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("The changes are saved.").waitFor();
    expect(await list(id)).toMatchObject({
      max_credits_per_run: null,
      daily_credit_budget: 70,
      brake: null,
    });
  });

  it("let the user set the daily budget of the account, and remove it", async () => {
    const { page } = await dashboard.openAt("/overview", "Overview");
    const card = page.getByRole("region", { name: "Daily budget" });
    await card.getByText(/^No limit\. /).waitFor();
    const change = card.getByRole("button", { name: "Change budget" });
    const save = page.getByRole("button", { name: "Save budget" });
    const field = page.getByRole("textbox", { name: "Credits per day" });
    await change.click();
    await field.fill("0");
    await save.click();
    await page
      .getByText("Credits per day must be a whole number of at least 1, or empty")
      .waitFor();
    await expectAccessible(page);
    await field.fill("4000");
    await page.keyboard.press("Enter");
    await page.getByText("The daily budget is 4,000 credits now.").waitFor();
    await card.getByText(/ of 4,000 credits left today\. /).waitFor();
    const account = async () => (await dashboard.world.api.get("/account")).body;
    expect((await account())["daily_credit_budget"]).toBe(4_000);

    await change.click();
    expect(await field.inputValue()).toBe("4000");
    await field.fill("");
    await save.click();
    await page.getByText("The account has no daily budget now.").waitFor();
    expect((await account())["daily_credit_budget"]).toBeNull();
  });
});
