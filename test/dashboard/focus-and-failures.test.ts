import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type DashboardWorld,
  lacksChromium,
  refuseUntilTriedAgain,
  startDashboardWorld,
} from "./dashboard-world.ts";

describe.skipIf(lacksChromium)("in the dashboard", () => {
  let dashboard: DashboardWorld;
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  const focused = (page: Page): Promise<string> =>
    page.evaluate(
      () => `${document.activeElement?.tagName} ${document.activeElement?.textContent}`,
    );
  const refusal = (message: string) => ({
    status: 409,
    json: { error: { code: "CONFLICT", message } },
  });
  const anEndpoint = async (description: string): Promise<string> => {
    const { body } = await dashboard.world.api.send("POST", "/webhook_endpoints", {
      url: `${dashboard.world.ready["webhook_receiver_url"]}/hooks/${description}`,
      description,
    });
    return String(body["id"]);
  };

  it("the keyboard focus moves to the page heading when the focused element is removed", async () => {
    const name = "turned \u05D0\u05D1\u05D2 around";
    await dashboard.world.api.send("POST", "/api_keys", { name });
    const { page } = await dashboard.openAt("/keys", "API keys");
    const row = page.getByRole("row", { name: /turned/ });
    await row.getByRole("button").click();
    expect(await page.locator("dialog h2 bdi").textContent()).toBe(name);
    await page.getByRole("button", { name: "Revoke key" }).click();
    expect(await page.locator(".toast bdi").textContent()).toBe(name);
    await row.waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toBe("H1 API keys");
  });

  it("the keyboard focus stays on the heading of a watchlist's page when the watchlist's name is loaded", async () => {
    const body = { name: "Named late", platform: "retailer_d", ids: ["9000000"], every: "7d" };
    const made = await dashboard.world.api.send("POST", "/watchlists", body);
    const { page } = await dashboard.openAt("/watchlists", "Watchlists");
    const { promise: looked, resolve: goOn } = Promise.withResolvers<void>();
    await page.route("**/v1/watchlists/wl_*", async (route) => {
      await looked;
      await route.continue();
    });
    await page.evaluate((id) => location.assign(`#/watchlists/${id}`), String(made.body["id"]));
    await expect.poll(() => focused(page)).toBe("H1 Watchlist");
    goOn();
    await expect.poll(() => focused(page)).toBe("H1 Named late");
  });

  it("no API key can be revoked until the dashboard has loaded which key is in use", async () => {
    await dashboard.world.api.send("POST", "/api_keys", { name: "Another" });
    const { page, signIn, goTo } = await dashboard.open();
    await signIn();
    await refuseUntilTriedAgain(page, "**/v1/account", "Not now.");
    await goTo("/keys", "API keys");
    await page.getByText("Not now.").waitFor();
    const revoke = page.getByRole("button", { name: "Revoke Another" });
    expect(await revoke.getAttribute("aria-disabled")).toBe("true");
    await revoke.click({ force: true });
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("this session", { exact: true }).waitFor();
    await revoke.click();
    await page.getByRole("dialog").waitFor();
  });

  it("an endpoint's page saves the URL without surrounding spaces, and shows why the endpoint was not enabled", async () => {
    const id = await anEndpoint("Off");
    const { page } = await dashboard.openAt(`/webhooks/${id}`, "Off");
    await page.getByRole("button", { name: "Edit" }).click();
    const url = page.getByLabel("URL");
    await url.fill(`  ${dashboard.world.ready["webhook_receiver_url"]}/hooks/pasted  `);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The endpoint was saved.").waitFor();
    await page.locator(".endpoint-url", { hasText: "/hooks/pasted" }).first().waitFor();

    await dashboard.world.api.send("PATCH", `/webhook_endpoints/${id}`, { enabled: false });
    await page.reload();
    await page.route(`**/v1/webhook_endpoints/${id}`, (route) =>
      route.request().method() === "PATCH"
        ? route.fulfill(refusal("It cannot be enabled."))
        : route.continue(),
    );
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByRole("alert").getByText("It cannot be enabled.").waitFor();
  });

  it("an alert shows why a delivery was not sent again, on the page and in the delivery's dialog", async () => {
    const id = await anEndpoint("Again");
    const { page } = await dashboard.openAt(`/webhooks/${id}`, "Again");
    const delivery = {
      id: "dlv_1",
      object: "webhook_delivery",
      endpoint_id: id,
      event_id: "evt_1",
      event_type: "watchlist.run.completed",
      watchlist_id: null,
      run_id: "run_1",
      state: "failed",
      attempt_count: 1,
      last_attempt_at: "2026-11-20T10:00:00.000Z",
      last_status: 500,
      last_error: null,
      next_attempt_at: null,
      created_at: "2026-11-19T10:00:00.000Z",
    };
    const list = { object: "list", data: [delivery], has_more: false, next_starting_after: null };
    await page.route("**/deliveries?**", (route) => route.fulfill({ json: list }));
    await page.route("**/v1/webhook_deliveries/dlv_1", (route) =>
      route.fulfill({ json: { ...delivery, request_body: null, attempts: [] } }),
    );
    await page.route("**/v1/webhook_deliveries/dlv_1/redeliver", (route) =>
      route.fulfill(refusal("Its run was deleted.")),
    );
    await page.getByRole("button", { name: "Failed" }).click();
    await page.getByRole("button", { name: /^Redeliver/ }).click();
    const alert = page.getByRole("alert").getByText("Its run was deleted.");
    await alert.waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
    expect(await alert.count()).toBe(0);

    await page.getByRole("link", { name: "watchlist.run.completed" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: /^Redeliver/ }).click();
    await dialog.getByRole("alert").getByText("Its run was deleted.").waitFor();
  });
});
