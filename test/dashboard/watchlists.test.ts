import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/running-world.ts";
import {
  type DashboardWorld,
  expectAccessible,
  lacksChromium,
  refuseUntilTriedAgain,
  startDashboardWorld,
} from "./dashboard-world.ts";

interface Run {
  readonly stats: { readonly steps: Readonly<Record<string, Readonly<Record<string, number>>>> };
}

describe.skipIf(lacksChromium)("watchlists in the dashboard", () => {
  let dashboard: DashboardWorld;
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  const visit = async (size: "desktop" | "phone" = "desktop") => {
    const opened = await dashboard.open({ size });
    await opened.signIn();
    return opened;
  };

  /** Creates a watchlist through the API and waits for its first run. Returns its ID. */
  const aList = async (name: string, ids: readonly string[]): Promise<string> => {
    const { api } = dashboard.world;
    const body = { name, platform: "retailer_d", ids, every: "1d" };
    const id = String((await api.send("POST", "/watchlists", body)).body["id"]);
    await ended(id, 1);
    return id;
  };

  const ended = (id: string, run: number) =>
    eventually(`run ${run}`, 40, async () => {
      const { body } = await dashboard.world.api.get(`/watchlists/${id}`);
      return body["run_count"] === run && body["last_run_status"] === "completed"
        ? body
        : undefined;
    });

  it("can be created, show their first run in progress, and show the changes of the next run", async () => {
    const { page, goTo } = await visit();
    await goTo("/watchlists", "Watchlists");
    await page.getByText("There are no watchlists yet.").waitFor();
    await expectAccessible(page);
    await goTo("/watchlists/new", "New watchlist");
    await page.getByLabel("Name").fill("Kettles");
    await page.getByLabel("Platform").selectOption("retailer_d");
    await page.getByLabel("Item IDs").fill("9000001\n9000000, 9000001\nnonsense");
    await page.getByText("2 IDs · 1 duplicate left out · 1 malformed").waitFor();
    await page.getByText("≈ 2 credits").first().waitFor();
    await page.getByRole("button", { name: "Create watchlist" }).click();
    await page.getByText("Fix the malformed IDs").waitFor();
    await expectAccessible(page);

    await page.getByLabel("Leave out the 1 malformed ID").check();
    await page.getByRole("button", { name: "Create watchlist" }).click();
    await page.getByRole("heading", { level: 1, name: "Kettles" }).waitFor();
    const item = page.getByRole("row", { name: /9000001/ });
    await item.filter({ hasText: "USD" }).waitFor({ timeout: 40_000 });
    expect(await item.locator(".cell-change").textContent()).toBe("none");
    await ended(page.url().split("/").at(-1) ?? "", 1);

    await page.getByRole("button", { name: "Run now" }).click();
    await page.getByText(/^Run 2 completed: 1 changed/).waitFor({ timeout: 40_000 });
    const changed = item.filter({ hasText: /[+−][\d.,]+% price .+ USD → .+ USD/ });
    await changed.getByRole("link").click();
    await page.getByRole("heading", { level: 2, name: "Last known values" }).waitFor();
    await page.goBack();

    await page.getByRole("tab", { name: /Runs/ }).click();
    await page.getByRole("rowheader", { name: /Run 2/ }).waitFor();
    expect(await page.locator(".step-bars li").first().textContent()).toContain("check");
    await page.getByRole("columnheader", { name: "Items in events" }).waitFor();
    expect(await page.locator(".step-bar-words").count()).toBe(0);
    await page.route("**/runs?**", async (route) => {
      const response = await route.fetch();
      const { data, ...rest } = (await response.json()) as { readonly data: readonly Run[] };
      for (const { stats } of data)
        Object.assign(stats.steps["check"] ?? {}, { ok: 0, partial: 1 });
      await route.fulfill({ response, json: { ...rest, data } });
    });
    await page.reload();
    await page.locator(".step-bar-words", { hasText: "read: 1 partial" }).last().waitFor();
    await expectAccessible(page);
  });

  it("take their item IDs from the column of a CSV file that the user chooses", async () => {
    const { page, goTo } = await visit();
    await goTo("/watchlists/new", "New watchlist");
    await page.getByLabel("Platform").selectOption("retailer_d");
    await page.getByLabel("Or from a file").setInputFiles({
      name: "stock.csv",
      mimeType: "text/csv",
      buffer: Buffer.from('name,sku,old\n"Cup, blue",6505678,77777\nPot,6505679,\n'),
    });
    await page.getByText("2 IDs from “sku” · no duplicates · none malformed").waitFor();
    await page.getByLabel("Column with the IDs").selectOption("old");
    await page.getByText("1 ID from “old” · no duplicates · none malformed").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Remove file" }).click();
    await page.getByLabel("Item IDs").waitFor();
  });

  it("show the next runs of a schedule in its time zone, and an error at the field that caused it", async () => {
    const { page, goTo } = await visit();
    await goTo("/watchlists/new", "New watchlist");
    await page.getByRole("button", { name: "By cron expression" }).click();
    await page.getByLabel("Cron expression").fill("30 12 * * *");
    await page.getByLabel("Time zone").fill("Asia/Tokyo");
    await page
      .getByText(/, 12:30 (JST|GMT\+9)/)
      .first()
      .waitFor();
    expect(await page.locator(".next-runs li").count()).toBe(5);
    await page.getByLabel("Cron expression").fill("nonsense");
    await page.getByRole("alert").waitFor();
    expect(await page.getByLabel("Cron expression").getAttribute("aria-invalid")).toBe("true");
    await expectAccessible(page);
  });

  it("show a pipeline as a drawing and as JSON, and mark the JSON lines with errors from the API", async () => {
    const { page, goTo } = await visit();
    await goTo("/watchlists/new", "New watchlist");
    await page.getByLabel("Full refresh every N runs").fill("often");
    await page.getByText(/Full refresh every N runs must be a number/).waitFor();
    await page.getByLabel("Full refresh every N runs").fill("3");
    await page.getByRole("img", { name: /every 3rd run/ }).waitFor();
    await page.getByLabel("Template").selectOption("buybox_watch");
    await page.getByRole("img", { name: /offers: reads with retailer_a.offers/ }).waitFor();
    await page.getByRole("button", { name: "Edit the rules" }).click();
    await page.getByRole("button", { name: "JSON" }).click();
    const editor = page.getByLabel("Pipeline as JSON");
    const text = await editor.inputValue();
    await editor.fill(text.replace('"merchant"', '"merchandise"'));
    const place = /Line (\d+), steps\[1\]\.routes\[0\]\.field:/;
    const words = (await page.getByText(place).textContent()) ?? "";
    const line = Number(place.exec(words)?.[1]);
    expect(text.split("\n")[line - 1]).toContain('"merchant"');
    await page.getByRole("button", { name: `Go to line ${line}` }).click();
    expect(await page.evaluate("getSelection().toString()")).toBe('"merchandise"');
    await expectAccessible(page);

    await editor.fill("{");
    await page.getByText("This is not valid JSON").waitFor();
    await editor.fill("null");
    await page.getByText(/Line 1: A pipeline must be an object with an array 'steps'/).waitFor();
    await editor.fill('{"steps": [{"id": "only", "scraper": "retailer_a.pulse"}]}');
    await page.getByRole("img", { name: /only: reads with retailer_a.pulse/ }).waitFor();
    expect(await editor.getAttribute("aria-invalid")).toBeNull();
  });

  it("are filtered by state and name, and the URL contains the filter", async () => {
    await aList("Apples", ["9000000"]);
    const paused = await aList("Pears", ["9000000"]);
    await dashboard.world.api.send("PATCH", `/watchlists/${paused}`, { status: "paused" });
    const { page, goTo } = await visit();
    await goTo("/watchlists", "Watchlists");
    const names = async () => (await page.locator("tbody th a").allTextContents()).sort();
    await page.getByRole("link", { name: "Apples" }).waitFor();
    await page.getByRole("button", { name: "Paused" }).click();
    expect(await names()).toEqual(["Pears"]);
    await page.reload();
    await page.getByRole("link", { name: "Pears" }).waitFor();
    expect(await names()).toEqual(["Pears"]);
    await page.getByRole("button", { name: "All" }).click();
    await page.getByLabel("Filter by name").fill("appl");
    expect(await names()).toEqual(["Apples"]);
    await page.getByLabel("Filter by name").fill("no such");
    await page.getByText("No watchlists match the filter.").waitFor();
    await expectAccessible(page);
  });

  it("show items filtered by ID, by state and by time of change", async () => {
    const ids = Array.from({ length: 450 }, (_, n) => String(7_000_000 + n));
    const list = await aList("Many", ["9000001", "9000007", ...ids]);
    const { page, goTo } = await visit();
    await goTo(`/watchlists/${list}`, "Many");
    await page.getByText("452 items").waitFor();
    expect(await page.locator(".virtual-body .item-row").count()).toBeLessThan(40);
    const last = page.getByRole("row", { name: /9000007/ });
    await eventually("the last item, page by page", 20, async () => {
      await page.locator(".virtual-body").evaluate((box) => box.scrollTo(0, 1e6));
      return (await last.count()) === 1 ? true : undefined;
    });
    expect(await page.locator(".virtual-body .item-row").count()).toBeLessThan(40);
    await page.getByLabel("Search by ID").fill("900");
    await page.getByText("2 items", { exact: true }).waitFor();
    const boxes = page.getByRole("checkbox", { name: /^Select \d/ });
    const names = await boxes.evaluateAll((all) => all.map((box) => box.ariaLabel));
    expect(names).toEqual(["Select 9000001", "Select 9000007"]);
    await page.getByLabel("Search by ID").fill("555");
    await page.getByText("No items match the filter.").waitFor();
    await page.getByLabel("Search by ID").fill("");
    await page.getByText("452 items").waitFor();

    // The first run reports no changes, but it delists items that are not found.
    const { body } = await dashboard.world.api.get(`/watchlists/${list}`);
    const { delisted } = body["items_by_state"] as Readonly<Record<string, number>>;
    const gone = page.getByText(new RegExp(`^${delisted} items?$`));
    await page.getByLabel("When it changed").selectOption("day");
    await gone.waitFor();
    const states = page.getByRole("group", { name: "State" });
    await states.getByText("New").click();
    await page.getByText("No item changed or was delisted since then.").waitFor();
    await page.getByLabel("When it changed").selectOption("");
    await page.getByRole("link", { name: `${delisted} delisted` }).click();
    await gone.waitFor();
    const state = states.getByRole("button", { name: "Delisted" });
    expect(await state.getAttribute("aria-pressed")).toBe("true");
    await page.getByLabel("Search by ID").fill("9000007");
    await expectAccessible(page);
    await page
      .getByRole("row", { name: /9000007/ })
      .getByRole("link")
      .click();
    await page.getByText("not found", { exact: true }).waitFor();
    await page.goBack();
    await page.getByText("1 item", { exact: true }).waitFor();
    expect(await page.getByLabel("Search by ID").inputValue()).toBe("9000007");
    expect(await state.getAttribute("aria-pressed")).toBe("true");
  });

  it("announce to screen readers when a step of a run starts, but not each new item count", async () => {
    const list = await aList("Followed", ["9000000"]);
    const { page, goTo } = await visit();
    let credits = 10;
    await page.route("**/runs?limit=1", async (route) => {
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: object[] };
      credits += 1;
      const run = { ...data[0], run_number: 7, status: "running", credits };
      await route.fulfill({ response, json: { object: "list", data: [run], has_more: false } });
    });
    await goTo(`/watchlists/${list}`, "Followed");
    const count = page.getByText(/^Step check, \d+ credits so far/);
    await count.waitFor();
    const status = page.getByRole("status").filter({ hasText: "Run 7" });
    expect(await status.textContent()).toBe("Run 7: step check");
    await page.evaluate(`window.announced = 0;
      const status = [...document.querySelectorAll("[role=status]")]
        .find(({ textContent }) => textContent.includes("Run 7"));
      new MutationObserver(() => { window.announced += 1; })
        .observe(status, { characterData: true, childList: true, subtree: true });`);
    const shown = await count.textContent();
    await expect.poll(() => count.textContent()).not.toBe(shown);
    expect(await page.evaluate("window.announced")).toBe(0);
  });

  it("are reloaded after a run without a change of the scroll position", async () => {
    const ids = Array.from({ length: 450 }, (_, n) => String(7_000_000 + n));
    const list = await aList("Long", ids);
    const { page, goTo } = await visit();
    await goTo(`/watchlists/${list}`, "Long");
    const last = page.getByRole("row", { name: /7000449/ });
    await eventually("the last item, page by page", 20, async () => {
      await page.locator(".virtual-body").evaluate((box) => box.scrollTo(0, 1e6));
      return (await last.count()) === 1 ? true : undefined;
    });
    const place = () => page.locator(".virtual-body").evaluate((box) => box.scrollTop);
    const before = await place();
    const reloaded = page.waitForResponse((response) => response.url().includes("starting_after="));
    await page.getByRole("button", { name: "Run now" }).click();
    await reloaded;
    await page.getByText(/^Run 2 completed/).waitFor({ timeout: 40_000 });
    expect([await place(), await last.count()]).toEqual([before, 1]);

    const further = `**/watchlists/${list}/items?*starting_after=*`;
    await refuseUntilTriedAgain(page, further, "Not this page.");
    await page.getByRole("button", { name: "Run now" }).click();
    await page.getByText("Not this page.").waitFor({ timeout: 40_000 });
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Not this page.").waitFor({ state: "detached" });
    expect([await place(), await last.count()]).toEqual([before, 1]);
  });

  it("can be paused, resumed, changed and deleted, and items can be added", async () => {
    const list = await aList("Pots", ["9000000", "9000001"]);
    const { api } = dashboard.world;
    const shown = async (field: string) => (await api.get(`/watchlists/${list}`)).body[field];
    const { page, goTo } = await visit();
    await goTo(`/watchlists/${list}`, "Pots");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("The watchlist is paused.").waitFor();
    expect(await shown("status")).toBe("paused");
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByText(/Paused: no runs\..*choose Resume at the top of the page/).waitFor();
    expect(await page.getByText("Next runs").count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole("tab", { name: "Items" }).click();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("The watchlist is active again.").waitFor();

    await page.getByRole("button", { name: "Add or remove items" }).click();
    await page.getByLabel("IDs to add").fill("9000003 9000000");
    await page.getByRole("button", { name: "Add 2 items" }).click();
    await page.getByText("1 added, 1 already on the watchlist").waitFor();
    expect(await shown("item_count")).toBe(3);

    await page.getByRole("tab", { name: "Settings" }).click();
    const save = page.getByRole("button", { name: "Save changes" });
    await save.waitFor();
    expect(await save.getAttribute("aria-disabled")).toBe("true");
    await page.getByLabel("Name").fill("Pots and pans");
    await page.getByLabel("Template").selectOption("price_drops");
    await page.getByLabel("Minimum drop in percent").fill("many");
    await page
      .getByText(/^Enter a number from 0 to 1,000,000, such as 5 or 2\.5 \(got “many”\)/)
      .waitFor();
    await page.getByLabel("Minimum drop in percent").fill("0");
    await page
      .getByText(/^Minimum drop in percent must be a number greater than 0, such as 5 or 2\.5/)
      .waitFor();
    await page.getByLabel("Minimum drop in percent").fill("5%");
    await page.getByLabel("Runs every").fill("abc");
    await page.getByText('The interval must be a whole number, such as 15 (got "abc").').waitFor();
    await page.getByLabel("Runs every").fill("2");
    await expectAccessible(page);
    await save.click();
    await page.getByRole("heading", { level: 1, name: "Pots and pans" }).waitFor();
    expect(await shown("every")).toBe("2d");
    expect(await shown("default_pipeline")).toBe(false);
    expect(await shown("pipeline")).toMatchObject({
      steps: [{ routes: [{ op: "decreased", min_delta_percent: 5 }] }],
    });
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Pots and pans" }).waitFor();
    await expect.poll(() => page.getByLabel("Template").inputValue()).toBe("price_drops");
    expect(await page.getByLabel("Minimum drop in percent").inputValue()).toBe("5");
    await page.getByLabel("Name", { exact: true }).fill("");
    await save.click();
    await page.getByText("Name is empty").waitFor();

    await page.getByRole("button", { name: "Delete watchlist" }).click();
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("button", { name: "Delete watchlist" }).click();
    await page.getByRole("heading", { level: 1, name: "Watchlists" }).waitFor();
    expect((await api.get(`/watchlists/${list}`)).status).toBe(404);
    await goTo(`/watchlists/${list}`, "Watchlist");
    await page.getByText("This watchlist does not exist.").waitFor();
    await expectAccessible(page);
  });

  it("are changed without overwriting a concurrent change by another client", async () => {
    const list = await aList("Mugs", ["9000000"]);
    const { api } = dashboard.world;
    const { page, goTo } = await visit();
    await goTo(`/watchlists/${list}`, "Mugs");
    await page.getByRole("tab", { name: "Settings" }).click();
    const save = page.getByRole("button", { name: "Save changes" });
    await save.waitFor();
    await api.send("PATCH", `/watchlists/${list}`, { name: "Renamed elsewhere" });
    await page.getByRole("heading", { level: 1, name: "Renamed elsewhere" }).waitFor({
      timeout: 30_000,
    });
    expect(await save.getAttribute("aria-disabled")).toBe("true");
    await page.getByLabel("Runs every").fill("3");
    await save.click();
    await page.getByText("The changes are saved.").waitFor();
    const { body } = await api.get(`/watchlists/${list}`);
    expect([body["name"], body["every"]]).toEqual(["Renamed elsewhere", "3d"]);
    expect(await page.getByLabel("Name").inputValue()).toBe("Renamed elsewhere");

    await page.getByLabel("Name").fill("  Spaced  ");
    await save.click();
    await page.getByRole("heading", { level: 1, name: "Spaced" }).waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Spaced");
    expect(await save.getAttribute("aria-disabled")).toBe("true");
  });

  it("cannot be changed in the demo workspace, and the dashboard shows the reason", async () => {
    const { page, goTo } = await dashboard.open();
    await page.getByRole("button", { name: "Look around the demo workspace" }).click();
    await page.getByText("Nothing can be changed here.").waitFor();
    await goTo("/watchlists/new", "New watchlist");
    const button = page.getByRole("button", { name: "Create watchlist" });
    await button.waitFor();
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    await page.getByLabel("Item IDs").fill("B0SANDBOX0");
    await page.getByText("≈ 5 credits").waitFor();
    await expectAccessible(page);
  });

  it("receive the keyboard focus on their heading when they open, and are not requested again after their deletion", async () => {
    await aList("Opened", ["9000000"]);
    const { page, goTo } = await visit();
    await goTo("/watchlists", "Watchlists");
    await page.getByRole("link", { name: "Opened" }).click();
    await page.getByRole("heading", { level: 1, name: "Opened" }).waitFor();
    await page.getByText("1 item", { exact: true }).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Opened");

    let asked = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/nowhere")) asked += 1;
    });
    await goTo("/watchlists/nowhere", "Watchlist");
    await page.getByText("This watchlist does not exist.").waitFor();
    await page.waitForTimeout(3_000);
    expect(asked).toBe(1);
  });

  it("show only the error of the most recent action", async () => {
    const list = await aList("Refused", ["9000000"]);
    const { page, goTo } = await visit();
    await goTo(`/watchlists/${list}`, "Refused");
    const refused = { error: { code: "CONFLICT", message: "Not run now.", docs: "" } };
    await page.route("**/run", (route) => route.fulfill({ status: 409, json: refused }));
    await page.getByRole("button", { name: "Run now" }).click();
    await page.getByText("Not run now.").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("The watchlist is paused.").waitFor();
    expect(await page.getByText("Not run now.").count()).toBe(0);
  });

  it("show an error if one page cannot be rendered, while other pages can still be opened", async () => {
    const { page, goTo, faults } = await visit();
    await page.route("**/v1/platforms", (route) => route.fulfill({ json: { data: null } }));
    await page.evaluate("location.assign('#/watchlists/new')");
    await page.getByRole("heading", { level: 1, name: "This page stopped working" }).waitFor();
    await expect.poll(() => faults.join()).toMatch(/TypeError/);
    faults.splice(0);
    await expectAccessible(page);
    await goTo("/keys", "API keys");
    await page.unroute("**/v1/platforms");
    await goTo("/watchlists/new", "New watchlist");
    await page.getByLabel("Item IDs").waitFor();
  });

  it("show why they could not be loaded, and are loaded when the user chooses 'Try again'", async () => {
    const { page, goTo } = await visit("phone");
    await refuseUntilTriedAgain(page, "**/v1/watchlists", "Not today.");
    await goTo("/watchlists", "Watchlists");
    await page.getByText("Not today.").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
  });
});
