import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type DashboardWorld,
  expectAccessible,
  lacksChromium,
  refuseUntilTriedAgain,
  startDashboardWorld,
} from "./dashboard-world.ts";

const run = promisify(execFile);

/** Finds a value that the page shows about the response, by its name, such as `Charged`. */
const fact = (page: Page, name: string) =>
  page
    .locator(".try-answer .facts > div", { has: page.getByText(name, { exact: true }) })
    .locator("dd");

describe.skipIf(lacksChromium)("the dashboard page 'Try it'", () => {
  let dashboard: DashboardWorld;
  const key = (): string => dashboard.world.ready["api_key"] ?? "";
  beforeAll(async () => {
    dashboard = await startDashboardWorld();
  });
  afterEach(() => dashboard.closeAll());
  afterAll(() => dashboard.dispose());

  async function openPage(call?: string): Promise<Page> {
    const { page, signIn, goTo } = await dashboard.open();
    await signIn();
    await goTo(call === undefined ? "/try" : `/try?call=${call}`, "Try it");
    await page.getByRole("button", { name: "Send" }).waitFor();
    return page;
  }

  const choose = (page: Page, field: string, value: string) =>
    page.getByLabel(field, { exact: true }).selectOption(value);
  const send = (page: Page) => page.getByRole("button", { name: "Send" }).click();
  const copied = async (page: Page, what: string): Promise<string> => {
    await page.getByRole("button", { name: `Copy ${what}` }).click();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const balance = async (): Promise<number> =>
    Number((await dashboard.world.api.get("/account")).body["credit_balance"]);

  it("sends a product call, and shows the response, the charge and the remaining balance", async () => {
    const before = await balance();
    const page = await openPage();
    await page.getByText("No call sent yet.").waitFor();
    await expectAccessible(page);
    await choose(page, "Platform", "retailer_d");
    await page.getByLabel("SKUs").fill("9000000, 9000001\n9000003 9000001");
    await page.getByText("3 items, at most 3 credits.").waitFor();
    await send(page);
    await page
      .getByRole("status")
      .getByText(/^The service responded with status 200/)
      .waitFor({ state: "attached" });
    expect(await fact(page, "Status").textContent()).toBe("200");
    expect(await fact(page, "Time").textContent()).toMatch(/^[\d,]+ ms$/);
    expect(await fact(page, "Charged").textContent()).toBe("3 credits");
    expect(await balance()).toBe(before - 3);
    expect(await fact(page, "Balance after").textContent()).toBe(
      (before - 3).toLocaleString("en-US"),
    );
    await page.locator(".json").getByText('"9000000"').waitFor();
    expect(JSON.parse(await copied(page, "response"))).toMatchObject({ stats: { requested: 3 } });
    await expectAccessible(page);
  });

  it("lists the sandbox IDs of the platform with the result of a read, and adds the chosen IDs to the call", async () => {
    const page = await openPage();
    await choose(page, "Platform", "retailer_d");
    await page.getByText("IDs to try", { exact: true }).click();
    const ids = page.getByRole("list", { name: "IDs to try" });
    await ids.getByText("Found, always sold out.").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Add 9000003" }).click();
    await page.getByRole("button", { name: "Add 9000000" }).click();
    expect(await page.getByLabel("SKUs").inputValue()).toBe("9000003\n9000000");
    await choose(page, "Platform", "retailer_a");
    await page.getByRole("button", { name: "Add B0SANDBOXN" }).waitFor();
  });

  it("shows that the URL names an unknown call, and offers the product call instead", async () => {
    const page = await openPage("orders");
    await page.getByText(/^call=orders: the valid values are products, offers,/).waitFor();
    await page.getByRole("tab", { name: "Products", selected: true }).waitFor();
  });

  it("shows the tiers of a platform with their prices, and announced features as coming soon", async () => {
    const page = await openPage();
    await choose(page, "Platform", "retailer_a");
    await choose(page, "Tier", "pulse");
    await page.getByLabel("ASINs").fill("B0SANDBOX0 B0SANDBOX1 B0SANDBOX2 B0SANDBOX3 B0SANDBOX4");
    // Five items at 0.25 credits cost 1.25, which is rounded up once.
    await page.getByText("5 items, at most 2 credits.").waitFor();
    await send(page);
    await expect.poll(() => fact(page, "Charged").textContent()).toBe("2 credits");
    await page.getByRole("tab", { name: "Offers" }).click();
    const platforms = page.getByLabel("Platform", { exact: true }).locator("option");
    expect(await platforms.filter({ hasNotText: "coming soon" }).allTextContents()).toEqual([
      "Retailer A",
    ]);
  });

  it("reads the offers of an item, and then checks one of these offers", async () => {
    const page = await openPage("offers");
    await page.getByLabel("ASINs").fill("B0SANDBOX0");
    await send(page);
    await expect.poll(() => fact(page, "Status").textContent()).toBe("200");
    const answer = JSON.parse(await copied(page, "response")) as {
      results: { offers: { offerListingId: string }[] }[];
    };
    const offerListingId = answer.results[0]?.offers[0]?.offerListingId ?? "";
    expect(offerListingId).not.toBe("");

    await page.getByRole("tab", { name: "Offer check" }).click();
    await page.getByRole("textbox", { name: "Offers" }).fill("B0SANDBOX0");
    await send(page);
    await page.getByRole("alert").getByText("Offer 1 has no offerListingId.").waitFor();
    await page.getByRole("textbox", { name: "Offers" }).fill(`B0SANDBOX0 ${offerListingId}`);
    await page.getByText("1 offer, at most 1 credit.").waitFor();
    await send(page);
    await page.locator(".json").getByText("buyable").waitFor();
    await expectAccessible(page);
  });

  it("shows the error response of a refused call, and that the call was free", async () => {
    const page = await openPage();
    await choose(page, "Platform", "retailer_d");
    await send(page);
    await page.getByRole("alert").getByText("Enter at least one ID.").waitFor();
    await page.getByText("No call sent yet.").waitFor();
    await page.getByLabel("SKUs").fill("no-sku");
    expect(await page.getByRole("alert").count()).toBe(0);
    await send(page);
    await expect.poll(() => fact(page, "Status").textContent()).toBe("400");
    expect(await fact(page, "Charged").textContent()).toBe("0 credits");
    await page.locator(".json").getByText('"INVALID_PARAM"').waitFor();
    await page
      .getByRole("alert")
      .getByText(/^Entry 1 must be a SKU/)
      .waitFor();
    expect(await page.getByLabel("SKUs").getAttribute("aria-invalid")).toBe("true");
    await expectAccessible(page);
    await page.getByLabel("SKUs").fill("9000000");
    await page.getByRole("alert").waitFor({ state: "detached" });
  });

  it("shows a response that is not JSON as text, and reports a missing response", async () => {
    const { page, signIn, goTo, faults } = await dashboard.open();
    await signIn();
    await goTo("/try?call=usage", "Try it");
    await page.route("**/v1/usage?**", (route) =>
      route.fulfill({ status: 403, contentType: "text/html", body: "<h1>Not from here</h1>" }),
    );
    await send(page);
    await page.getByRole("region", { name: "Text" }).getByText("<h1>Not from here</h1>").waitFor();
    expect(await fact(page, "Status").textContent()).toBe("403");
    await page.unroute("**/v1/usage?**");
    await page.route("**/v1/usage?**", (route) => route.abort());
    await send(page);
    await page.getByRole("alert").getByText("The service could not be reached.").waitFor();
    expect(await fact(page, "Status").count()).toBe(0);
    // The browser also reports the missing response in the console.
    await expect.poll(() => faults).toEqual([expect.stringMatching(/ERR_FAILED/)]);
    faults.splice(0);
  });

  it("shows the chosen call as code that runs after the user inserts an API key", async () => {
    const page = await openPage();
    await choose(page, "Platform", "retailer_d");
    await page.getByLabel("SKUs").fill("9000000");
    const code = async (tab: string): Promise<string> => {
      await page.getByRole("tab", { name: tab }).click();
      // The label is "Copy", not "Copied", because only the code of the previous tab was copied.
      expect(await page.getByRole("button", { name: `Copy ${tab}` }).count()).toBe(1);
      const text = await copied(page, tab);
      expect(text).toContain("YOUR_API_KEY");
      expect(text).not.toContain(key());
      return text.replace("YOUR_API_KEY", key());
    };
    const answered = expect.stringMatching(/9000000/);
    const curl = await run("sh", [
      "-c",
      `command -v curl >/dev/null || exit 0; ${await code("curl")}`,
    ]);
    if (curl.stdout !== "") expect(curl.stdout).toEqual(answered);

    const dir = mkdtempSync(join(tmpdir(), "snippet-"));
    writeFileSync(join(dir, "call.mts"), await code("TypeScript"));
    expect((await run(process.execPath, [join(dir, "call.mts")])).stdout).toEqual(answered);
    rmSync(dir, { recursive: true });

    const base = dashboard.world.ready["base_url"] ?? "";
    expect(await code("Python")).toBe(`import requests

response = requests.post(
    "${base}/v1/products",
    headers={"Authorization": "Bearer ${key()}"},
    json={
      "platform": "retailer_d",
      "tier": "standard",
      "ids": [
        "9000000"
      ]
    },
    timeout=300,
)
response.raise_for_status()
print(response.json())`);
  });

  it("shows shortened code for a call with many IDs, and copies the code in full", async () => {
    const page = await openPage();
    await choose(page, "Platform", "retailer_d");
    const ids = Array.from({ length: 10_000 }, (_, n) => String(1_000_000 + n));
    // Sets the value at once, like pasting; `fill` would type it.
    await page.getByLabel("SKUs").evaluate((field: HTMLTextAreaElement, text) => {
      field.value = text;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }, ids.join("\n"));
    const block = page.getByRole("region", { name: "curl" });
    await block.getByText("… and 9988 more").waitFor();
    expect(await block.textContent()).not.toContain(ids.at(-1));
    const code = await copied(page, "curl");
    expect(code).toContain(ids.at(-1));

    // More IDs than an argument of a shell command can contain. The response counts the IDs that
    // arrived.
    const dir = mkdtempSync(join(tmpdir(), "snippet-"));
    writeFileSync(join(dir, "call.sh"), code.replace("YOUR_API_KEY", key()));
    const answered = await run("sh", [
      "-c",
      'command -v curl >/dev/null || exit 0; . "$0"',
      join(dir, "call.sh"),
    ]);
    rmSync(dir, { recursive: true });
    if (answered.stdout !== "") expect(answered.stdout).toContain("(got 10000)");
  });

  it("stores the chosen call in the URL, and keeps typed values when the user chooses another call", async () => {
    const page = await openPage();
    await choose(page, "Platform", "retailer_a");
    await page.getByLabel("ASINs").fill("B0SANDBOX0");
    await page.getByRole("tab", { name: "Usage" }).click();
    await expect.poll(() => page.url()).toMatch(/#\/try\?call=usage$/);
    await page.getByLabel("Days").fill("7");
    await send(page);
    await page.locator(".json").getByText("success_rate").waitFor();
    expect(await fact(page, "Charged").textContent()).toBe("free");
    expect(await page.getByRole("region", { name: "curl" }).textContent()).toContain(
      "/v1/usage?days=7",
    );
    await page.getByRole("tab", { name: "Offers" }).click();
    expect(await page.getByLabel("ASINs").inputValue()).toBe("B0SANDBOX0");
  });

  it("reads sandbox items free of charge in the demo workspace, and explains that the demo workspace cannot spend credits", async () => {
    const { page, goTo } = await dashboard.open();
    await page.getByRole("button", { name: "Look around the demo workspace" }).click();
    await page.locator("#main").waitFor();
    await goTo("/try", "Try it");
    const button = page.getByRole("button", { name: "Send" });
    await page.getByText("The demo key reads items of the sandbox").waitFor();
    await page.getByLabel("ASINs").fill("B0SANDBOX0");
    await send(page);
    await expect.poll(() => fact(page, "Status").textContent()).toBe("200");
    await page.locator(".json").getByText('"B0SANDBOX0"').first().waitFor();
    await expectAccessible(page);

    await page.getByRole("tab", { name: "Offers", exact: true }).click();
    await page.getByText("The demo key cannot spend credits.").first().waitFor();
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    await button.click({ force: true });
    await expectAccessible(page);

    await page.getByRole("tab", { name: "Platforms" }).click();
    await send(page);
    await expect.poll(() => fact(page, "Status").textContent()).toBe("200");
    await page.locator(".json").getByText('"retailer_b"').waitFor();
  });

  it("shows why the platforms could not be loaded, and loads them when the user chooses 'Try again'", async () => {
    const { page, signIn, goTo } = await dashboard.open();
    await signIn();
    await refuseUntilTriedAgain(page, "**/v1/platforms", "Not today.");
    await goTo("/try", "Try it");
    await page.getByText("Not today.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "Send" }).waitFor();
  });
});
