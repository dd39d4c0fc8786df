import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type DashboardWorld,
  expectAccessible,
  lacksChromium,
  type Scheme,
  startDashboardWorld,
} from "./dashboard-world.ts";

interface Opened {
  readonly page: Page;
  /** The section of the operation. */
  readonly operation: Locator;
}

describe.skipIf(lacksChromium)("the API reference", () => {
  let dashboard: DashboardWorld;
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
  });
  /** Fails if the page sent a request to another host or violated the Content-Security-Policy. */
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  async function openDocs(path: string): Promise<Page> {
    const { page } = await dashboard.open();
    await page.goto(dashboard.url.replace("/dashboard", path));
    return page;
  }

  /** Opens the reference at an operation, and waits until the renderer shows it. */
  async function openOperation(name: string, anchor: string): Promise<Opened> {
    const page = await openDocs(`/docs/reference#${anchor}`);
    const operation = page.getByRole("region", { name, exact: true }).first();
    await operation.getByRole("heading", { name, exact: true }).first().waitFor();
    return { page, operation };
  }
  const openProducts = (): Promise<Opened> =>
    openOperation("Read products", "tag/items/POST/v1/products");

  /** Waits until the renderer has changed all colors, which takes several frames. */
  async function colorsOf(page: Page, scheme: Scheme): Promise<void> {
    await page.locator(`body.${scheme}-mode`).waitFor();
    await expect.poll(() => page.evaluate(() => document.getAnimations().length)).toBe(0);
  }

  it("passes the accessibility check in both color schemes, at desktop and phone width", async () => {
    const { page } = await openProducts();
    await expectAccessible(page, (scheme) => colorsOf(page, scheme));
  });

  it("passes the accessibility check while the client that sends test calls is open", async () => {
    const { page, operation } = await openOperation(
      "Get the account",
      "tag/account/GET/v1/account",
    );
    await operation.getByRole("button", { name: /^Test Request/ }).click();
    await page.getByRole("dialog", { name: "API Client" }).waitFor();
    await expectAccessible(page, (scheme) => colorsOf(page, scheme), "[role=dialog]");
  });

  it("scrolls to the operation that the link names", async () => {
    const { page, operation } = await openOperation("Get usage by day", "tag/account/GET/v1/usage");
    await expect
      .poll(async () => (await operation.getByRole("heading").first().boundingBox())?.y ?? -1)
      .toBeGreaterThanOrEqual(0);
    await expect
      .poll(async () => (await operation.getByRole("heading").first().boundingBox())?.y ?? 900)
      .toBeLessThan(900);
    expect(page.url()).toMatch(/#tag\/account\/GET\/v1\/usage$/);
  });

  it("finds an operation by a word of its summary, and opens it", async () => {
    const page = await openDocs("/docs/reference");
    await page.getByRole("button", { name: /^Open Search/ }).click();
    await page.getByRole("combobox", { name: "Enter search query" }).fill("rotate");
    await page
      .getByRole("option", { name: /Rotate the secret of a webhook endpoint/ })
      .first()
      .click();
    const heading = page.getByRole("heading", { name: "Rotate the secret of a webhook endpoint" });
    await heading.first().waitFor();
    expect(page.url()).toContain("/v1/webhook_endpoints/");
  });

  it("shows every variant of a request body", async () => {
    const { page, operation } = await openProducts();
    await operation.getByRole("button", { name: /^Any of/ }).click();
    const variants = page.getByRole("listbox", { name: /^Any of/ }).getByRole("option");
    await expect.poll(() => variants.allTextContents()).toHaveLength(5);
    await variants.filter({ hasText: "ReadRetailerDProducts" }).click();
    await operation.getByRole("button", { name: "ReadRetailerDProducts" }).first().waitFor();
  });

  it.each([
    ["curl", 'curl -X POST "$BASE_URL/v1/products"'],
    ["TypeScript", 'await client.call("readProducts"'],
    ["Python", 'client.call("read_products"'],
  ])("has an example call in %s that the user can copy", async (language, code) => {
    const { page, operation } = await openProducts();
    const sample = operation.getByRole("group", { name: /^Request Example/ });
    // The page may render the sample again while it loads, which selects the first language again.
    await vi.waitFor(async () => {
      await sample.getByRole("button", { name: /^(curl|TypeScript|Python)$/ }).click();
      await page.getByRole("option", { name: language }).click();
      const shown = sample.locator("code").first();
      await expect.poll(() => shown.innerText(), { timeout: 5_000 }).toContain(code);
    }, 60_000);
    await sample.locator("code").first().hover();
    await sample.locator(".scalar-code-copy").click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(code);
  });

  it("shows an example response and an example of each error", async () => {
    const { operation } = await openProducts();
    const answers = operation.getByRole("region", { name: /^Status: 200/ });
    await expect.poll(() => answers.innerText()).toContain("Norvane Espresso Machine");
    await answers.getByRole("tab", { name: "Status: 401" }).click();
    await expect.poll(() => answers.innerText()).toContain('"UNAUTHORIZED"');
  });

  it.each([
    ["Tracked fields of items changed", "watchlist.product.changed"],
    ["Items matched a route that notifies", "watchlist.product.matched"],
    ["Items were delisted", "watchlist.product.delisted"],
    ["A run ended", "watchlist.run.completed"],
    ["A test delivery", "webhook.test"],
  ])(
    "shows the payload of the webhook “%s”, and how to verify its signature",
    async (name, type) => {
      const { operation } = await openOperation(name, `tag/webhooks/webhook/POST/${type}`);
      await expect.poll(() => operation.innerText()).toContain(`"type": "${type}"`);
      expect(await operation.innerText()).toContain("Verify the signature");
    },
  );

  it("sends a test call, and stores the API key only in the current browser tab", async () => {
    const { page, operation } = await openOperation(
      "Get the account",
      "tag/account/GET/v1/account",
    );
    await operation.getByRole("button", { name: /^Test Request/ }).click();
    const client = page.getByRole("dialog", { name: "API Client" });
    await client.getByRole("textbox", { name: "Bearer Token" }).fill(dashboard.key);
    await client.getByRole("button", { name: /^Send get request/ }).click();
    await expect.poll(() => client.innerText()).toContain("200 OK");
    await expect.poll(() => client.innerText()).toContain('"credits_held"');
    const stored = (): Promise<readonly string[]> =>
      page.evaluate(() => [
        JSON.stringify(localStorage) + document.cookie,
        JSON.stringify(sessionStorage),
      ]);
    const [shared, ofTab] = await stored();
    expect(ofTab).toContain(dashboard.key);
    expect(shared).not.toContain(dashboard.key);
    await page.reload();
    await operation.getByRole("button", { name: /^Test Request/ }).click();
    await expect
      .poll(() => client.getByRole("textbox", { name: "Bearer Token" }).inputValue())
      .toBe(dashboard.key);
  });

  it("loads fewer files than an IP address may request per second", async () => {
    const page = await openDocs("/docs");
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(dashboard.url.replace("/dashboard", "/docs/reference"));
    await page.getByRole("heading", { name: "Retail product data service" }).first().waitFor();
    expect(requests.filter((one) => one.includes("/docs/")).length).toBeLessThan(40);
  });
});

describe.skipIf(lacksChromium)("the documentation guides", () => {
  let dashboard: DashboardWorld;
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  it.each(["/docs", "/docs/errors", "/docs/webhooks", "/docs/sandbox", "/docs/upstream"])(
    "pass the accessibility check at %s in both color schemes, at desktop and phone width",
    async (path) => {
      const { page } = await dashboard.open();
      await page.goto(dashboard.url.replace("/dashboard", path));
      await expectAccessible(page);
    },
  );

  it("can be searched for a word of a section, and the search result links to the section", async () => {
    const { page } = await dashboard.open();
    await page.goto(dashboard.url.replace("/dashboard", "/docs"));
    await page.getByLabel("Search the guides").fill("concurrency_limit");
    await page.getByRole("link", { name: "Errors: CONCURRENCY_LIMIT" }).click();
    await expect.poll(() => page.url()).toMatch(/\/docs\/errors#CONCURRENCY_LIMIT$/);
  });

  it("load the search index at the next typed character if the first attempt failed", async () => {
    const { page, faults } = await dashboard.open();
    await page.goto(dashboard.url.replace("/dashboard", "/docs"));
    const index = "**/docs/assets/*.json";
    await page.route(index, (route) => route.abort());
    const search = page.getByLabel("Search the guides");
    await search.fill("concurrency");
    await page.getByText("The search could not load its index.").waitFor();
    await expect.poll(() => faults).toEqual([expect.stringMatching(/ERR_FAILED/)]);
    faults.splice(0);
    await page.unroute(index);
    await search.fill("concurrency_limit");
    await page.getByRole("link", { name: "Errors: CONCURRENCY_LIMIT" }).waitFor();
  });
});
