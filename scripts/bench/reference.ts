import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import type { ValuesOf } from "../../tools/command-line/command-line.ts";
import { progressOf } from "../../tools/command-line/progress.ts";
import { startWorld } from "../../tools/local/world.ts";
import { launchChromium } from "../../tools/dashboard/chromium.ts";
import { printTable } from "../measure/print-table.ts";
import { positiveInteger } from "./bench-options.ts";
import { median } from "./median.ts";

/**
 * The times and the loaded files of one view of the page. Times are in milliseconds since the
 * navigation to the page.
 */
interface View {
  /**
   * The time of the first paint, which shows the list of operations that the page itself contains.
   */
  readonly listMs: number;
  /** The time at which the renderer shows the first operation. */
  readonly renderedMs: number;
  readonly files: number;
  readonly kilobytes: number;
}

const first = "Read products";
export const referenceOptions = {
  views: {
    type: "string",
    value: "<n>",
    default: "5",
    about: "the views, each in a new browser profile",
  },
} as const;

/**
 * Measures the first view of the API reference page, each time in a new browser profile with an
 * empty cache. Returns the number of views, and the median of each measurement in `View`.
 * @throws Error if the option `views` is invalid, or if Chromium was not found
 */
export async function benchReference(
  values: ValuesOf<typeof referenceOptions>,
): Promise<Record<string, unknown>> {
  const views = positiveInteger("views", values.views);
  process.env["POWERTOOLS_LOG_LEVEL"] ??= "SILENT";
  const dir = mkdtempSync(join(tmpdir(), "reference-"));
  // Launched first, because this fails on a machine without Chromium.
  const browser = await launchChromium();
  const world = await startWorld({ dir, port: 0, fresh: true });
  try {
    const address = `${world.baseUrl}/docs/reference`;
    const found: View[] = [];
    const progress = progressOf(views);
    for (let view = 1; view <= views; view += 1) {
      progress.begin(`view ${view}`);
      found.push(await firstView(browser, address));
    }
    return {
      views,
      listMs: median(found.map(({ listMs }) => listMs)),
      renderedMs: median(found.map(({ renderedMs }) => renderedMs)),
      files: median(found.map(({ files }) => files)),
      kilobytes: median(found.map(({ kilobytes }) => kilobytes)),
    };
  } finally {
    await browser.close();
    await world.stop();
    rmSync(dir, { recursive: true });
  }
}

async function firstView(browser: Browser, address: string): Promise<View> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(address, { waitUntil: "commit" });
  await page.locator("#reference").getByText(first, { exact: true }).first().waitFor();
  const renderedMs = await page.evaluate<number>("Math.round(performance.now())");
  const listMs = await page.evaluate<number>(
    "Math.round(performance.getEntriesByName('first-contentful-paint')[0].startTime)",
  );
  await page.waitForLoadState("networkidle");
  const sizes = await page.evaluate<readonly number[]>(
    "['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))" +
      ".map(({ transferSize }) => transferSize)",
  );
  await context.close();
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return { listMs, renderedMs, files: sizes.length, kilobytes: Math.round(bytes / 1_000) };
}

/** Prints the result of `benchReference` to stdout as a table. */
export function printReference(metrics: Record<string, unknown>): void {
  printTable("First view of the API reference, medians", [metrics]);
}
