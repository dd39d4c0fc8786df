import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type DashboardWorld,
  expectAccessible,
  lacksChromium,
  savedBy,
  refuseUntilTriedAgain,
  startDashboardWorld,
} from "./dashboard-world.ts";

describe.skipIf(lacksChromium)("the dashboard", () => {
  let dashboard: DashboardWorld;
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  it("shows an introduction with the first steps if the account has made no calls", async () => {
    const { page, signIn, goTo } = await dashboard.open();
    await signIn();
    await goTo("/overview", "Overview");
    await page.getByRole("heading", { name: "Make your first call" }).waitFor();
    await expectAccessible(page);
  });

  it("shows the balance, how long the credits last, and the credits per day as a chart and a table", async () => {
    const call = { platform: "retailer_d", ids: ["9000000", "9000001"] };
    await dashboard.world.api.send("POST", "/products", call);
    const { page, signIn, goTo } = await dashboard.open();
    await signIn();
    await goTo("/overview", "Overview");
    await page.getByText("2 credits in 30 days").waitFor();
    const figure = (name: string) =>
      page.locator(".stat", { hasText: name }).locator(".stat-value");
    expect(await figure("Balance").textContent()).toBe("4,998");
    await expect.poll(() => figure("Lasts for").textContent()).toBe("–");
    expect(await figure("Success rate").textContent()).toBe("100%");
    await expect.poll(() => page.locator(".chart-plot canvas").count()).toBe(1);

    await page.getByText("As a table").click();
    expect(await page.locator(".plain-table tbody tr").count()).toBe(30);
    await page.getByRole("button", { name: "90 days" }).click();
    await page.getByText("2 credits in 90 days").waitFor();
    expect(await page.locator(".plain-table tbody tr").count()).toBe(90);
    await expectAccessible(page);

    await page.getByText(/^1 charge since/).waitFor();
    const sum = page.getByRole("table", { name: "Credits by watchlist and endpoint" });
    const cells = sum.getByRole("row").nth(1);
    expect(await cells.textContent()).toBe("POST /v1/productsendpoint122100%");
    await expectAccessible(page);
    expect(await savedBy(page, page.getByRole("button", { name: "CSV", exact: true }))).toBe(
      "kind,cause,name,charges,items,credits\r\nendpoint,POST /v1/products,,1,2,2\r\n",
    );

    await page.getByLabel("Sum by").selectOption("key");
    const byKey = page.getByRole("table", { name: "Credits by API key" });
    const { body } = await dashboard.world.api.get("/account");
    const key = Object(body["api_key"]) as Readonly<Record<string, unknown>>;
    expect(await byKey.getByRole("row").nth(1).textContent()).toBe(
      `${String(key["name"])}API key122100%`,
    );
    await expectAccessible(page);
    const json = await savedBy(page, page.getByRole("button", { name: "JSON", exact: true }));
    expect(JSON.parse(json)).toEqual([
      { kind: "key", cause: key["id"], name: key["name"], charges: 1, items: 2, credits: 2 },
    ]);

    const ledger = page.getByRole("table", { name: "Ledger" }).getByRole("row");
    expect(await ledger.nth(1).textContent()).toMatch(/^Chargepaid from the hold.*204,998/);
    expect(await ledger.nth(2).textContent()).toMatch(/^Holdcredits set aside.*22−24,998/);

    await goTo("/keys", "API keys");
    const own = page.getByRole("row", { name: /this session/ });
    await expect.poll(() => own.getByRole("cell").nth(4).textContent()).toBe("2");
    await page.getByText(/^1 charge since/).waitFor();
  });

  it("sums only the newest 1,000 charges of a large account until the user reads the older ones", async () => {
    const { page, signIn, goTo } = await dashboard.open();
    await page.route(/\/credit_transactions\?type=charge/, (route) => {
      const data = Array.from({ length: 100 }, (_, n) => ({
        id: `ctx_${n}`,
        type: "charge",
        credits: 1,
        balance_before: 5,
        balance_after: 5,
        endpoint: "POST /v1/products",
        created_at: new Date().toISOString(),
      }));
      return route.fulfill({
        json: { object: "list", data, has_more: true, next_starting_after: "ctx_99" },
      });
    });
    await signIn();
    await goTo("/overview", "Overview");
    await page.getByText(/^The newest 1,000 charges since/).waitFor();
    await page.getByRole("button", { name: "Read the older charges" }).click();
    await page.getByText(/^10,000 charges since/).waitFor();
  });

  it("shows why usage could not be loaded, and loads the usage when the user chooses 'Try again'", async () => {
    const { page, signIn, goTo } = await dashboard.open();
    await refuseUntilTriedAgain(page, "**/v1/usage?**", "Not today.");
    await signIn();
    await goTo("/overview", "Overview");
    await page.getByText("Not today.").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Credits per day" }).waitFor();
  });

  it("shows that no credits are left, even without recent usage", async () => {
    const { page, signIn, goTo } = await dashboard.open();
    await page.route("**/v1/account", async (route) => {
      const response = await route.fetch();
      const account = (await response.json()) as Record<string, unknown>;
      await route.fulfill({ response, json: { ...account, credit_balance: 0 } });
    });
    await page.route("**/v1/usage?**", (route) =>
      route.fulfill({ json: { daily: [], totals: {}, days: 90 } }),
    );
    await signIn();
    await goTo("/overview", "Overview");
    await page
      .getByText("The account has no credits left. The service refuses item calls")
      .waitFor();
    expect(await page.locator(".stat", { hasText: "Lasts for" }).textContent()).toContain(
      "0 hours",
    );
  });

  it("forecasts when the credits run out, from the schedules and from past use, and leaves out paused watchlists", async () => {
    const dayMs = 86_400_000;
    const today = new Date();
    const dayBefore = (days: number): string =>
      new Date(today.getTime() - days * dayMs).toISOString().slice(0, "2026-11-21".length);
    const { page, signIn, goTo } = await dashboard.open();
    await page.route("**/v1/account", async (route) => {
      const response = await route.fetch();
      const account = (await response.json()) as { readonly forecast: object };
      const likely = new Date(today.getTime() + 20 * dayMs).toISOString();
      const forecast = { ...account.forecast, balance_runs_out_at: { likely } };
      const json = {
        ...account,
        credit_balance: 1_000,
        created_at: "2025-01-01T00:00:00Z",
        forecast,
      };
      await route.fulfill({ response, json });
    });
    const daily = Array.from({ length: 90 }, (_, n) => ({
      date: dayBefore(89 - n),
      requests: 1,
      successful: 1,
      failed: 0,
      credits: n === 88 ? 5_700 : 100,
    }));
    await page.route("**/v1/usage?**", (route) =>
      route.fulfill({ json: { daily, totals: {}, days: 90 } }),
    );
    const last = `${dayBefore(1)}T12:00:00Z`;
    await page.route("**/v1/watchlists?**", (route) =>
      route.fulfill({ json: { data: [{ id: "wl_1", status: "paused", last_run_at: last }] } }),
    );
    await page.route("**/v1/watchlists/wl_1/runs?**", (route) =>
      route.fulfill({ json: { data: [{ started_at: last, credits: 5_600 }], has_more: false } }),
    );
    await signIn();
    await goTo("/overview", "Overview");
    const note = page.locator(".stat", { hasText: "Lasts for" }).getByRole("listitem");
    await expect.poll(() => note.count()).toBe(2);
    expect(await note.nth(0).textContent()).toMatch(
      /^\d+ \w+ \d+ \((?:8|9|10) days\) from the credits used since \d+ \w+, without paused watchlists$/,
    );
    expect(await note.nth(1).textContent()).toMatch(
      /^\d+ \w+ \d+ \(19 days\) from the schedules and past runs of the active watchlists$/,
    );
    expect(await note.locator("strong").count()).toBe(1);
    expect(await note.nth(0).locator("strong").count()).toBe(1);
    await expectAccessible(page);
  });

  it("repeats a call exactly once if the service is busy, after the time in Retry-After", async () => {
    const { page, signIn, goTo } = await dashboard.open();
    let refused = 0;
    await page.route("**/v1/usage?**", (route) => {
      refused += 1;
      return refused > 1
        ? route.continue()
        : route.fulfill({ status: 429, headers: { "Retry-After": "1" }, json: {} });
    });
    await signIn();
    await goTo("/overview", "Overview");
    await page.getByRole("heading", { name: "Credits per day" }).waitFor();
    expect(refused).toBe(2);
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("creates an API key that the API accepts, shows the key exactly once, and revokes it", async () => {
    const { page, signIn, goTo } = await dashboard.open();
    await signIn();
    await goTo("/keys", "API keys");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByText(/^Name must be a string of 1 to 100 characters/).waitFor();
    await page.getByLabel("Name").fill("Nightly job");
    const scopes = page.getByRole("group", { name: "What calls with the key may do" });
    for (const box of await scopes.getByRole("checkbox").all()) await box.uncheck();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByText("Choose at least one scope for the key.").waitFor();
    expect(await scopes.getAttribute("aria-invalid")).toBe("true");
    await expectAccessible(page);
    for (const box of await scopes.getByRole("checkbox").all()) await box.check();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Copy the key" }).click();
    const key = await page.evaluate(() => navigator.clipboard.readText());
    expect(key).toBe(await page.locator("dialog code").textContent());
    const answer = await fetch(`${dashboard.world.ready["base_url"]}/v1/account`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(answer.status).toBe(200);
    await expectAccessible(page);

    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "I have copied it" }).click();
    expect(await page.getByText(key).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Revoke Nightly job" }).click();
    await page.getByRole("button", { name: "Revoke key" }).click();
    await page.getByText("The key “Nightly job” was revoked.").waitFor();
    await page.getByRole("rowheader", { name: "Nightly job" }).waitFor({ state: "detached" });
    const refused = await fetch(`${dashboard.world.ready["base_url"]}/v1/account`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(refused.status).toBe(401);
  });

  it("does not let the user revoke the API key in use, and shows the reason", async () => {
    const { page, signIn, goTo } = await dashboard.open();
    await signIn();
    await goTo("/keys", "API keys");
    const row = page.getByRole("row", { name: /this session/ });
    const button = row.getByRole("button", { name: "Revoke" });
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    await row.getByText("You are signed in with this key.").waitFor({ state: "attached" });
  });

  it("has a menu that closes on a phone when the user chooses a page", async () => {
    const { page, signIn } = await dashboard.open({ size: "phone" });
    await signIn();
    await page.getByRole("button", { name: "Open the menu" }).click();
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    await page.getByRole("link", { name: "Overview" }).waitFor({ state: "hidden" });
  });
});
