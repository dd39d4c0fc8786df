import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type DashboardWorld,
  expectAccessible,
  lacksChromium,
  startDashboardWorld,
} from "./dashboard-world.ts";

it.runIf(lacksChromium)(
  "the browser tests of the dashboard are skipped if no Chromium is at CHROMIUM_PATH or in /usr/bin",
  () => {},
);

describe.skipIf(lacksChromium)("a session of the dashboard", () => {
  let dashboard: DashboardWorld;
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  it("begins with an API key, keeps the key only in its browser tab, and ends when the user signs out", async () => {
    const { page, context, signIn } = await dashboard.open();
    await signIn();
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "What changed" }).waitFor();

    const other = await context.newPage();
    await other.goto(dashboard.url);
    await other.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  });

  it("does not use a key that an earlier release of the dashboard stored, and deletes that key", async () => {
    const { page } = await dashboard.open();
    await page.evaluate(() => sessionStorage.setItem("dashboard.key", "svc_live_earlier"));
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  it("does not begin with an unknown API key, and shows the error at the key field", async () => {
    const { page } = await dashboard.open();
    const field = page.getByLabel("API key");
    await page.getByText("Begins with svc_live_, or with svc_demo_ for the demo").waitFor();
    for (const key of ["svc_live_wrong", "ключ", ""]) {
      await field.fill(key);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("alert").waitFor();
      expect(await field.getAttribute("aria-invalid")).toBe("true");
    }
  });

  it("ends with a message when its API key is revoked", async () => {
    const { body } = await dashboard.world.api.send("POST", "/api_keys", { name: "short-lived" });
    const { page, signIn } = await dashboard.open();
    await signIn(String(body["key"]));
    await fetch(`${dashboard.world.ready["base_url"]}/v1/api_keys/${String(body["id"])}`, {
      method: "DELETE",
      headers: { Authorization: `Bearer ${dashboard.world.ready["api_key"]}` },
    });
    await page.evaluate(() => location.assign("#/keys"));
    await page.getByText("Your key no longer works.").waitFor();
    await signIn();
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
  });

  it("begins with one click in the demo workspace, where the user can change nothing", async () => {
    const { page, goTo } = await dashboard.open();
    await page.getByRole("button", { name: "Look around the demo workspace" }).click();
    await page.getByText("Nothing can be changed here.").waitFor();
    await goTo("/keys", "API keys");
    const button = page.getByRole("button", { name: "New key" });
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    await button.click({ force: true });
    const reason = page.locator(".button-reason");
    expect(await reason.textContent()).toMatch(/^The demo workspace is read-only\./);
    expect(await page.getByRole("dialog").count()).toBe(0);
    await expectAccessible(page);
    await goTo("/watchlists", "Watchlists");
    const link = page.getByRole("button", { name: "New watchlist" }).first();
    await link.focus();
    await page.keyboard.press("Enter");
    await reason.waitFor();
    await page.getByRole("heading", { level: 1, name: "Watchlists" }).waitFor();
  });

  it.each([
    [
      ["read"],
      { "New key": "write", Send: "spend", "New watchlist": "write", "Create watchlist": "write" },
      "Your API key cannot change anything or spend credits. The buttons for this are disabled.",
    ],
    [
      ["read", "spend"],
      {
        "New key": "write",
        Send: undefined,
        "New watchlist": "write",
        "Create watchlist": "write",
      },
      "Your API key cannot change anything. The buttons for this are disabled.",
    ],
    [
      ["read", "write"],
      {
        "New key": undefined,
        Send: "spend",
        "New watchlist": "spend",
        "Create watchlist": "spend",
      },
      "Your API key cannot spend credits. The buttons for this are disabled.",
    ],
  ] as const)(
    "disables what a key with the scopes %j cannot do, and names the missing scope",
    async (scopes, missing, limits) => {
      const { body } = await dashboard.world.api.send("POST", "/api_keys", { name: "x", scopes });
      const { page, signIn, goTo } = await dashboard.open();
      await signIn(String(body["key"]));
      // The scopes are also known after a reload.
      await page.reload();
      for (const [path, heading, name] of [
        ["/keys", "API keys", "New key"],
        ["/try", "Try it", "Send"],
        ["/watchlists", "Watchlists", "New watchlist"],
        ["/watchlists/new", "New watchlist", "Create watchlist"],
      ] as const) {
        await goTo(path, heading);
        await page.getByText(limits).waitFor();
        const button = page.getByRole("button", { name }).first();
        await button.waitFor();
        const scope = missing[name];
        expect(await button.getAttribute("title"), name).toBe(
          scope === undefined
            ? null
            : `Your API key lacks the scope '${scope}'. Sign in with a key that has it.`,
        );
      }
      await expectAccessible(page);
    },
  );

  it("limits the scopes of a new API key to those of the API key in use", async () => {
    const scopes = ["read", "write"];
    const { body } = await dashboard.world.api.send("POST", "/api_keys", { name: "x", scopes });
    const { page, signIn, goTo } = await dashboard.open();
    await signIn(String(body["key"]));
    await goTo("/keys", "API keys");
    await page.getByRole("button", { name: "New key" }).click();
    const choices = page.getByRole("dialog").getByRole("checkbox");
    expect(await choices.count()).toBe(2);
    await page.getByLabel("Name").fill("limited");
    await page.getByRole("button", { name: "Create key" }).click();
    await page
      .getByRole("dialog")
      .getByText(/^svc_live_/)
      .waitFor();
    const keys = (await dashboard.world.api.get("/api_keys")).body["data"];
    expect(keys).toContainEqual(expect.objectContaining({ name: "limited", scopes }));
  });

  it("can be controlled with the keyboard alone, from the sign-in to the pages", async () => {
    const { page } = await dashboard.open();
    await page.keyboard.press("Tab");
    await page.keyboard.type(dashboard.world.ready["api_key"] ?? "");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "What changed" }).waitFor();
    await page.getByRole("link", { name: "API keys" }).focus();
    await page.keyboard.press("Enter");
    const heading = page.getByRole("heading", { level: 1, name: "API keys" });
    await heading.waitFor();
    await expect
      .poll(() => heading.evaluate((element) => element === document.activeElement))
      .toBe(true);
    expect(await page.title()).toBe("API keys · Dashboard");
  });

  it("has the color theme of the system until the user chooses a theme, and then keeps that theme", async () => {
    const { page } = await dashboard.open({ scheme: "dark" });
    const background = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const dark = await background();
    await page.getByRole("button", { name: /^Color theme: system/ }).click();
    const light = await background();
    expect(light).not.toBe(dark);
    await page.reload();
    await page.getByRole("button", { name: /^Color theme: light/ }).waitFor();
    expect(await background()).toBe(light);
  });

  it("begins on a sign-in page that passes the accessibility check", async () => {
    const { page } = await dashboard.open();
    await page.getByRole("button", { name: "Look around the demo workspace" }).waitFor();
    await expectAccessible(page);
  });

  it("begins at a URL with a path prefix, such as '/prod', with or without a final slash", async () => {
    const prefixed = createServer((request, response) => {
      const path = request.url?.replace(/^\/prod/, "") ?? "";
      void fetch(new URL(path, dashboard.url), {
        headers: { Authorization: request.headers.authorization ?? "" },
        redirect: "manual",
      }).then(async (answer) => {
        const { status, headers } = answer;
        const names = ["content-type", "content-security-policy", "location"];
        for (const name of names) {
          const value = headers.get(name);
          if (value !== null) response.setHeader(name, value);
        }
        response.writeHead(status).end(await answer.text());
      });
    }).listen(0);
    const { port } = prefixed.address() as AddressInfo;
    const { page, signIn, faults } = await dashboard.open();
    await page.goto(`http://127.0.0.1:${port}/prod/dashboard/`);
    await page.getByRole("button", { name: "Look around the demo workspace" }).waitFor();
    expect(page.url()).toBe(`http://127.0.0.1:${port}/prod/dashboard`);
    await signIn();
    await page.getByText("Nothing changed in this time span.").waitFor();
    // An open page could send another request after the server is closed.
    await page.close();
    const asked = faults.splice(0);
    expect(
      asked.filter((fault) => !fault.startsWith(`request to http://127.0.0.1:${port}/prod/`)),
    ).toEqual([]);
    prefixed.close();
  });

  it("does not run a script or an event handler that is injected into the page", async () => {
    const { page, faults } = await dashboard.open();
    const blocked = page.waitForEvent("console", (message) =>
      /Content Security Policy/.test(message.text()),
    );
    const absent = page.waitForEvent("console", (message) =>
      message.location().url.endsWith("/dashboard/none"),
    );
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.injected = true";
      document.body.append(script);
      const image = document.createElement("img");
      image.setAttribute("onerror", "window.injected = true");
      image.src = "dashboard/none";
      document.body.append(image);
    });
    await blocked;
    // If the policy did not block the image's error handler, the handler would have run by now.
    await absent;
    expect(await page.evaluate(() => "injected" in window)).toBe(false);
    expect(faults.splice(0).filter((fault) => /Content Security Policy/.test(fault))).toHaveLength(
      2,
    );
  });
});
