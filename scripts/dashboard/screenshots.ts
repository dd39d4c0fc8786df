/**
 * Takes screenshots of the dashboard and the documentation, light and dark, for desktop and phone.
 * They show a separate local world with invented data.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { apiClient } from "../../tools/customer/api-client.ts";
import type { ApiClient } from "../../tools/customer/api-client.ts";
import { runCommand } from "../../tools/command-line/command-line.ts";
import { type Progress, progressOf } from "../../tools/command-line/progress.ts";
import { startWorld } from "../../tools/local/world.ts";
import type { World } from "../../tools/local/world.ts";
import { launchChromium } from "../../tools/dashboard/chromium.ts";
import { inventUse } from "./invented-use.ts";

interface Screenshot {
  /** The name of the screenshots' files. */
  readonly name: string;
  readonly place: string;
  /** Performs the user's actions before the screenshot. */
  readonly act?: (page: Page) => Promise<void>;
}

/**
 * Returns all pages of the dashboard. A page about one resource shows an invented resource with a
 * known name.
 */
async function placesOf(api: ApiClient): Promise<readonly Screenshot[]> {
  const watchlistId = await idOf(api, "/watchlists", "Key items");
  const endpointId = await idOf(api, "/webhook_endpoints", "Pricing service");
  return [
    { name: "changes", place: "/changes" },
    { name: "search", place: "/changes?span=7", act: search },
    { name: "overview", place: "/overview" },
    { name: "sources", place: "/sources" },
    { name: "watchlists", place: "/watchlists" },
    { name: "watchlist", place: `/watchlists/${watchlistId}` },
    { name: "item", place: `/watchlists/${watchlistId}/items/9000001` },
    { name: "rules", place: `/watchlists/${watchlistId}?tab=settings`, act: editRules },
    { name: "new-watchlist", place: "/watchlists/new" },
    { name: "webhooks", place: "/webhooks" },
    { name: "webhook", place: `/webhooks/${endpointId}` },
    { name: "delivery", place: "/webhooks?event_type=watchlist.product.changed", act: openEvent },
    { name: "exports", place: "/exports" },
    { name: "try", place: "/try", act: sendCall },
    { name: "keys", place: "/keys" },
  ];
}

/**
 * Returns the ID of the resource whose name or description is `name`.
 * @throws Error if there is none
 */
async function idOf(api: ApiClient, path: string, name: string): Promise<string> {
  const { body } = await api.get(path);
  const entries: readonly Readonly<Record<string, unknown>>[] = Array.isArray(body["data"])
    ? body["data"]
    : [];
  const foundEntry = entries.find(
    (entry) => entry["name"] === name || entry["description"] === name,
  );
  if (foundEntry === undefined)
    throw new Error(
      `GET ${path} returned no entry with the name or description "${name}". Check that the demo data contains the entry.`,
    );
  return String(foundEntry["id"]);
}

async function sendCall(page: Page): Promise<void> {
  await page.getByLabel("Platform", { exact: true }).selectOption("retailer_d");
  await page.getByLabel("SKUs").fill("6505678\n6505679");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Balance after").waitFor();
  await page.evaluate("scrollTo(0, 0)");
}

async function search(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.keyboard.type("900000");
  await page
    .getByRole("option", { name: /9000001/ })
    .first()
    .waitFor();
}

async function openEvent(page: Page): Promise<void> {
  await page.getByRole("link", { name: "watchlist.product.changed" }).first().click();
  await page.getByRole("heading", { name: "Why this event was sent" }).waitFor();
}

async function editRules(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Edit the rules" }).click();
  await page.getByRole("heading", { name: "Pipeline" }).scrollIntoViewIfNeeded();
}

const sizes = {
  desktop: { width: 1_280, height: 860 },
  phone: { width: 390, height: 844 },
} as const;

const commandLine = {
  name: "npm run dashboard:screenshots",
  about: "Takes screenshots of the dashboard with invented data. CHROMIUM_PATH names the browser.",
  argument: "[folder]",
  options: {},
  examples: ["", "./pictures"],
} as const;

async function main([folder = "screenshots"]: readonly string[]): Promise<void> {
  process.env["POWERTOOLS_LOG_LEVEL"] ??= "SILENT";
  mkdirSync(folder, { recursive: true });
  const dir = mkdtempSync(join(tmpdir(), "screenshots-"));
  const world = await startWorld({ dir, port: 0, fresh: true });
  const browser = await launchChromium();
  try {
    const api = apiClient(world.baseUrl, world.apiKey);
    await inventUse(world, api);
    const places = await placesOf(api);
    // Each view has one more screenshot, of the sign-in page.
    const progress = progressOf(views.length * (places.length + documents.length + 1));
    for (const view of views) await takeAll(browser, world, { folder, places, view, progress });
  } finally {
    await browser.close();
    await world.stop();
    rmSync(dir, { recursive: true });
  }
}

const laterMinutes = 7;

const views = (["light", "dark"] as const).flatMap((colorScheme) =>
  (["desktop", "phone"] as const).map((size) => ({ colorScheme, size })),
);

interface Taking {
  readonly folder: string;
  readonly places: readonly Screenshot[];
  readonly view: (typeof views)[number];
  readonly progress: Progress;
}

async function takeAll(
  browser: Browser,
  world: World,
  { folder, places, view: { colorScheme, size }, progress }: Taking,
): Promise<void> {
  const context = await browser.newContext({
    viewport: sizes[size],
    colorScheme,
    deviceScaleFactor: 2,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  // The dashboard asks whether to discard the edited rules.
  page.on("dialog", (dialog) => void dialog.accept());
  const take = async (name: string): Promise<void> => {
    progress.begin(`${name}, ${size}, ${colorScheme}`);
    await waitUntilLoaded(page);
    await page.mouse.move(0, 0);
    await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) });
  };
  // Sets the browser's clock ahead, so that the runs appear to have ended some minutes ago.
  await page.clock.setSystemTime(Date.now() + laterMinutes * 60_000);
  await page.goto(`${world.baseUrl}/dashboard`);
  await take("sign-in");
  await page.getByLabel("API key").fill(world.apiKey);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("#main").waitFor();
  for (const { name, place, act } of places) {
    await open(page, place);
    await waitUntilLoaded(page);
    await act?.(page);
    await take(name);
  }
  for (const { name, place, heading } of documents) {
    await page.goto(world.baseUrl + place);
    await page.getByRole("heading", { name: heading }).first().waitFor();
    await page.locator(".introduction").waitFor({ state: "detached" });
    await take(name);
  }
  await context.close();
}

/** Pages of the documentation. A page is complete when it shows the heading `heading`. */
const documents = [
  { name: "docs", place: "/docs", heading: "Documentation" },
  { name: "errors", place: "/docs/errors", heading: "Errors" },
  {
    name: "reference",
    place: "/docs/reference#tag/items/POST/v1/products",
    heading: "Read products",
  },
];

/** Waits until the page has finished loading. */
async function waitUntilLoaded(page: Page): Promise<void> {
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
}

/** Opens a page of the dashboard. */
async function open(page: Page, place: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  await page.locator("h1").waitFor();
}

await runCommand(commandLine, ({ positionals }) => main(positionals));
