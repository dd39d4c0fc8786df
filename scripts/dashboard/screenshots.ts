/**
 * Takes pictures of the dashboard's main pages, each light and dark, on a desktop and a phone:
 * `npm run dashboard:screenshots -- <folder>`. They show a local world of its own with invented use.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { apiClient } from "../tour/api-client.ts";
import { startWorld } from "../local/world.ts";
import type { World } from "../local/world.ts";
import { launchChromium } from "./chromium.ts";
import { inventUse } from "./invented-use.ts";

/** What is shown, by the name of its pictures. */
const places: Readonly<Record<string, string>> = {
  overview: "/overview",
  watchlists: "/watchlists",
  "new-watchlist": "/watchlists/new",
  webhooks: "/webhooks",
  exports: "/exports",
  try: "/try",
  keys: "/keys",
};

const sizes = {
  desktop: { width: 1_280, height: 860 },
  phone: { width: 390, height: 844 },
} as const;

async function main(): Promise<void> {
  process.env["POWERTOOLS_LOG_LEVEL"] ??= "SILENT";
  const folder = process.argv[2] ?? "screenshots";
  mkdirSync(folder, { recursive: true });
  const dir = mkdtempSync(join(tmpdir(), "screenshots-"));
  const world = await startWorld({ dir, port: 0, fresh: true });
  const browser = await launchChromium();
  try {
    await inventUse(world, apiClient(world.baseUrl, world.apiKey));
    await takeAll(browser, world, folder);
  } finally {
    await browser.close();
    await world.stop();
    rmSync(dir, { recursive: true });
  }
}

async function takeAll(browser: Browser, world: World, folder: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [size, viewport] of Object.entries(sizes)) {
      const context = await browser.newContext({
        viewport,
        colorScheme,
        deviceScaleFactor: 2,
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      const take = async (name: string): Promise<void> => {
        await page.waitForLoadState("networkidle");
        await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) });
      };
      await page.goto(`${world.baseUrl}/dashboard`);
      await take("sign-in");
      await page.getByLabel("API key").fill(world.apiKey);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.locator("#main").waitFor();
      for (const [name, place] of Object.entries(places)) {
        await open(page, place);
        await take(name);
      }
      await context.close();
    }
  }
}

/** Follows a link of the dashboard. */
async function open(page: Page, place: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  await page.locator("h1").waitFor();
}

await main();
