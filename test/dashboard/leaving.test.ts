import type { Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { localCustomer } from "../../tools/customer/bucket.ts";
import { eventually } from "../support/running-world.ts";
import { type DashboardWorld, lacksChromium, startDashboardWorld } from "./dashboard-world.ts";

describe.skipIf(lacksChromium)("the dashboard", () => {
  let dashboard: DashboardWorld;
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  const place = (page: Page): string => new URL(page.url()).hash;
  const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
  /** Answers the page's questions in this order, then "no". Returns the questions so far. */
  const answering = (page: Page, answers: readonly boolean[]): readonly string[] => {
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.message());
      void (answers[asked.length - 1] === true ? dialog.accept() : dialog.dismiss());
    });
    return asked;
  };
  /** Holds calls back until the test releases them. */
  const holding = async (page: Page, method: string, path: string) => {
    const held: Route[] = [];
    let isHolding = true;
    await page.route(`**/v1/${path}`, (route) => {
      if (!isHolding || route.request().method() !== method) return route.continue();
      held.push(route);
      return undefined;
    });
    return {
      begun: () => eventually("the call", 20, async () => held[0]),
      letGo: async () => {
        isHolding = false;
        const answers = held.splice(0).map((route) => {
          const answered = page.waitForResponse((one) => one.request() === route.request());
          return route.continue().then(() => answered);
        });
        await Promise.all(answers);
      },
    };
  };
  const setDestination = async (): Promise<void> => {
    const { status } = await dashboard.world.api.send("PUT", "/s3_destination", {
      bucket: dashboard.world.ready["export_bucket"],
      endpoint: dashboard.world.ready["s3_endpoint"],
      access_key_id: localCustomer.accessKeyId,
      secret_access_key: localCustomer.secretAccessKey,
    });
    expect(status).toBeLessThan(300);
  };
  const aList = async (name: string): Promise<string> => {
    const body = { name, platform: "retailer_d", ids: ["9000000"], every: "7d" };
    return String((await dashboard.world.api.send("POST", "/watchlists", body)).body["id"]);
  };

  it("keeps the dialog open while a secret is rotated, and asks for confirmation before the user leaves the page with the new secret", async () => {
    const { body } = await dashboard.world.api.send("POST", "/webhook_endpoints", {
      url: `${dashboard.world.ready["webhook_receiver_url"]}/hooks/slow`,
      description: "Slow",
    });
    const { page } = await dashboard.openAt("/webhooks", "Webhooks");
    await page.getByRole("link", { name: "hooks/slow" }).click();
    await heading(page, "Slow").waitFor();
    const asked = answering(page, [false, false]);
    const calls = await holding(page, "POST", "webhook_endpoints/*/rotate");
    await page.getByRole("button", { name: "Rotate secret" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
    await calls.begun();
    await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    await page.evaluate(() => history.back());
    await eventually("a question", 20, async () => asked[0]);
    await calls.letGo();
    const secret = page.getByRole("dialog", { name: "Signing secret" });
    await secret.getByText(/^whsec_/).waitFor();
    await page.evaluate(() => history.back());
    await eventually("another question", 20, async () => asked[1]);
    expect(asked).toEqual([
      "A new secret is about to appear. It is shown only once. Leave without it?",
      "This secret will not be shown again. Leave without copying it?",
    ]);
    await expect.poll(() => place(page)).toBe(`#/webhooks/${String(body["id"])}`);
    await secret.getByRole("button", { name: "I have copied it" }).click();
    await page.goBack();
    await heading(page, "Webhooks").waitFor();
    expect(asked).toHaveLength(2);
  });

  it("keeps the dialog open while an API key is created, and then shows the key", async () => {
    const { page } = await dashboard.openAt("/keys", "API keys");
    const calls = await holding(page, "POST", "api_keys");
    await page.getByRole("button", { name: "New key" }).click();
    await page.keyboard.type("Typed at once");
    await page.keyboard.press("Enter");
    await calls.begun();
    for (let n = 0; n < 3; n += 1) await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Cancel" }).click({ force: true });
    await calls.letGo();
    await page.getByText(/^svc_live_\w+$/).waitFor();
    expect(await page.locator("dialog h2 bdi").textContent()).toBe("Typed at once");
    await page.getByRole("button", { name: "I have copied it" }).click();
    // After both dialogs, the focus is on the button that opened the first dialog.
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("New key");
  });

  it("asks for confirmation before the browser's Back button, a link or the sign-out discards the form of a new watchlist", async () => {
    const { page, goTo } = await dashboard.openAt("/watchlists", "Watchlists");
    await goTo("/watchlists/new", "New watchlist");
    await page.getByLabel("Name").waitFor();
    const asked = answering(page, [false, false, false, true]);
    await page.getByLabel("Name").fill("Kettles");
    await page.evaluate(() => history.back());
    await eventually("a question", 20, async () => asked[0]);
    await expect.poll(() => place(page)).toBe("#/watchlists/new");
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    expect(asked).toHaveLength(3);
    await expect.poll(() => place(page)).toBe("#/watchlists/new");
    expect(await page.getByLabel("Name").inputValue()).toBe("Kettles");
    await page.goBack();
    await heading(page, "Watchlists").waitFor();
    expect(new Set(asked)).toEqual(new Set(["You have unsaved changes. Leave without saving?"]));
    await page.goForward();
    await heading(page, "New watchlist").waitFor();
    await page.goBack();
    await heading(page, "Watchlists").waitFor();
    expect(asked).toHaveLength(4);
  });

  it("does not ask before the form of a new watchlist is discarded if the user's key cannot create a watchlist", async () => {
    const scopes = ["read", "write"];
    const { body } = await dashboard.world.api.send("POST", "/api_keys", { name: "x", scopes });
    const { page, signIn, goTo } = await dashboard.open();
    await signIn(String(body["key"]));
    await goTo("/watchlists/new", "New watchlist");
    const asked = answering(page, []);
    await page.getByLabel("Name", { exact: true }).fill("Never saved");
    await page.getByRole("link", { name: "API keys" }).click();
    await heading(page, "API keys").waitFor();
    expect(asked).toEqual([]);
  });

  it("asks before the user discards unsaved settings by choosing another tab, and does not ask after they are saved", async () => {
    const id = await aList("Settings");
    const { page } = await dashboard.openAt(`/watchlists/${id}?tab=settings`, "Settings");
    const asked = answering(page, [false, true]);
    await page.getByLabel("Name").fill("Renamed");
    await page.getByRole("tab", { name: /Runs/ }).click();
    expect(await page.getByLabel("Name").inputValue()).toBe("Renamed");
    await page.getByLabel("Name").fill("Settings");
    await page.getByRole("tab", { name: /Runs/ }).click();
    await page.getByRole("tab", { name: "Settings" }).click();
    expect(asked).toHaveLength(1);
    await page.getByLabel("Name").fill("Renamed");
    await page.getByRole("button", { name: "Save changes" }).click();
    await heading(page, "Renamed").waitFor();
    await page.getByRole("tab", { name: /Items/ }).click();
    await page.getByRole("tabpanel", { name: /Items/ }).waitFor();
    expect(asked).toHaveLength(1);
  });

  it("keeps the values in the export form when a test ends or a filter changes", async () => {
    await setDestination();
    const { page } = await dashboard.openAt("/exports", "S3 export");
    const asked = answering(page, [false]);
    const calls = await holding(page, "POST", "s3_destination/test");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await calls.begun();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Prefix").pressSequentially(" my folder/ ");
    const read = page.waitForResponse("**/v1/s3_destination");
    await calls.letGo();
    await read;
    await page.getByRole("button", { name: "Failed" }).click();
    await page.getByText("No export is in this state.").waitFor();
    expect(await page.getByLabel("Prefix").inputValue()).toBe("my folder/");
    expect(asked).toEqual([]);
    await page.getByRole("link", { name: "Overview" }).click();
    await eventually("a question", 20, async () => asked[0]);
    await expect.poll(() => place(page)).toMatch(/^#\/exports/);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Prefix must consist of letters").waitFor();
    await page.getByLabel("Prefix").fill(" my-folder/ ");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Edit" }).waitFor();
    const { body } = await dashboard.world.api.get("/s3_destination");
    expect(body["prefix"]).toBe("my-folder/");
    await page.getByRole("link", { name: "Overview" }).click();
    await heading(page, "Overview").waitFor();
    expect(asked).toHaveLength(1);
  });

  it("stays on the current page when a late response to a call of an earlier page arrives", async () => {
    const { page, goTo } = await dashboard.openAt("/watchlists/new", "New watchlist");
    answering(page, [true]);
    const calls = await holding(page, "POST", "watchlists");
    await page.getByLabel("Name").fill("Late");
    await page.getByLabel("Platform").selectOption("retailer_d");
    await page.getByLabel("Item IDs").fill("9000001");
    await page.getByText("1 ID", { exact: false }).first().waitFor();
    await page.getByRole("button", { name: "Create watchlist" }).click();
    await calls.begun();
    await goTo("/keys", "API keys");
    await calls.letGo();
    await page.getByText("“Late” was created. Its first run starts now.").waitFor();
    expect(place(page)).toBe("#/keys");
  });

  it("keeps the new session when a late response refuses a call of the previous session", async () => {
    const { api, ready } = dashboard.world;
    const { body } = await api.send("POST", "/api_keys", { name: "old session" });
    const { page, signIn } = await dashboard.open();
    await signIn(String(body["key"]));
    await heading(page, "What changed").waitFor();
    const calls = await holding(page, "POST", "webhook_endpoints");
    await page.evaluate(() => location.assign("#/webhooks"));
    await page.getByRole("button", { name: "New endpoint" }).click();
    await page.getByLabel("URL").fill("https://example.com/hook");
    await page.getByRole("button", { name: "Create endpoint" }).click();
    await calls.begun();
    await fetch(`${ready["base_url"]}/v1/api_keys/${String(body["id"])}`, {
      method: "DELETE",
      headers: { Authorization: `Bearer ${ready["api_key"]}` },
    });
    // The service refuses the calls of the next page, which ends the session.
    answering(page, [true]);
    await page.evaluate(() => location.assign("#/keys"));
    await page.getByText("Your key no longer works.").waitFor();
    await signIn();
    await page.getByRole("button", { name: "New key" }).waitFor();
    await calls.letGo();
    await page.getByRole("link", { name: "Overview" }).click();
    await heading(page, "Overview").waitFor();
    expect(await page.getByText("Your key no longer works.").count()).toBe(0);
  });
});
