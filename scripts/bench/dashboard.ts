import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert } from "../../shared/base/assert.ts";
import { type ValuesOf } from "../../tools/command-line/command-line.ts";
import { progressOf } from "../../tools/command-line/progress.ts";
import { type ApiClient, apiClient } from "../../tools/customer/api-client.ts";
import { launchChromium } from "../../tools/dashboard/chromium.ts";
import { startWorld, type World } from "../../tools/local/world.ts";
import { planPast, type WrittenPast, writePast } from "../../tools/past/write-past.ts";
import { printTable } from "../measure/print-table.ts";
import { positiveInteger } from "./bench-options.ts";
import { stepsOf } from "./dashboard/steps.ts";
import { median } from "./median.ts";

export const dashboardOptions = {
  watchlists: {
    type: "string",
    value: "<count>",
    default: "50",
    about: "watchlists of the account",
  },
  items: { type: "string", value: "<count>", default: "2000", about: "items of each watchlist" },
  days: {
    type: "string",
    value: "<count>",
    default: "365",
    about: "days of history, one run each",
  },
  rounds: { type: "string", value: "<count>", default: "7", about: "repetitions of each step" },
  dir: {
    type: "string",
    value: "<folder>",
    about: "keeps the data in this folder, so that the next call does not write them again",
  },
} as const;

const changedShare = 0.02;
const labeledShare = 0.3;
/** The number of first rounds, which only warm up the functions and the browser. */
const warmRounds = 1;

/**
 * Measures how long the dashboard takes in Chromium to show the results of user actions. The
 * dashboard runs in a local world, whose tables are filled directly. Prints the progress to stderr.
 * @throws Error if Chromium is missing, or if the dashboard does not show a result within 30 s.
 */
export async function benchDashboard(
  options: ValuesOf<typeof dashboardOptions>,
): Promise<Record<string, unknown>> {
  process.env["POWERTOOLS_LOG_LEVEL"] ??= "SILENT";
  process.env["POWERTOOLS_METRICS_DISABLED"] ??= "true";
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), "dashboard-bench-"));
  const world = await startWorld({ dir, port: 0, fresh: options.dir === undefined });
  try {
    const watchlists = await filledWatchlists(world, options);
    const rounds = positiveInteger("rounds", options.rounds);
    return { steps: await measure(world, { watchlists, rounds }) };
  } finally {
    await world.stop();
    if (options.dir === undefined) rmSync(dir, { recursive: true });
  }
}

const platforms = ["retailer_b", "retailer_c", "retailer_d"] as const;

/** Writes the missing watchlists of the bench. Returns the IDs of all its watchlists. */
async function filledWatchlists(
  world: World,
  options: ValuesOf<typeof dashboardOptions>,
): Promise<readonly string[]> {
  const api = apiClient(world.baseUrl, world.apiKey);
  const [watchlists, items, days] = (["watchlists", "items", "days"] as const).map((name) =>
    positiveInteger(name, options[name]),
  );
  assert(
    watchlists !== undefined && items !== undefined && days !== undefined,
    "the numbers of watchlists, items and days must be known",
  );
  const accountId = String((await api.get("/account")).body["id"]);
  const missing = watchlists - (await watchlistsOf(api)).length;
  const progress = progressOf(Math.max(0, missing), { everyMs: 10_000 });
  for (let n = 0; n < missing; n += 1) {
    progress.begin("writing a watchlist");
    const wanted: WrittenPast = {
      accountId,
      name: `Assortment ${String(n + 1).padStart(2, "0")}`,
      platform: platforms[n % platforms.length] ?? "retailer_d",
      ids: Array.from({ length: items }, (_, k) => String(10_000_000 + n * 1_000_000 + k * 417)),
      days,
      runsPerDay: 1,
      changedShare,
      labeledShare,
    };
    await writePast(world, planPast(wanted));
  }
  return watchlistsOf(api);
}

async function watchlistsOf(api: ApiClient): Promise<readonly string[]> {
  const { body } = await api.get("/watchlists?limit=100");
  return Array.isArray(body["data"]) ? body["data"].map(({ id }) => String(id)) : [];
}

interface Measuring {
  readonly watchlists: readonly string[];
  readonly rounds: number;
}

async function measure(
  world: World,
  { watchlists, rounds }: Measuring,
): Promise<readonly object[]> {
  const steps = await stepsOf(world, watchlists);
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
    await page.goto(`${world.baseUrl}/dashboard`);
    await page.getByLabel("API key").fill(world.apiKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("#main").waitFor();
    const progress = progressOf(steps.length, { everyMs: 0 });
    const rows: object[] = [];
    for (const { name, limitSeconds, before, act } of steps) {
      progress.begin(name);
      const seconds: number[] = [];
      for (let round = 0; round < rounds + warmRounds; round += 1) {
        await before(page, round);
        const start = performance.now();
        await act(page, round);
        if (round >= warmRounds) seconds.push((performance.now() - start) / 1_000);
      }
      const [p50, max] = [median(seconds), Math.max(...seconds)];
      rows.push({
        step: name,
        "p50 s": rounded(p50),
        "max s": rounded(max),
        "limit s": limitSeconds ?? "",
        within: limitSeconds === undefined ? "" : within({ p50, max, limitSeconds }),
      });
    }
    return rows;
  } finally {
    await browser.close();
  }
}

const within = ({
  p50,
  max,
  limitSeconds,
}: {
  readonly p50: number;
  readonly max: number;
  readonly limitSeconds: number;
}): string => (p50 > limitSeconds ? "no" : max > limitSeconds ? "p50" : "yes");

const rounded = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;

/** Prints the result of `benchDashboard` to stdout as a table. */
export function printDashboard({ steps }: Record<string, unknown>): void {
  printTable("Seconds from the user's action until Chromium shows the result", steps as object[]);
  process.stdout.write(`
  within  yes: all repetitions were within the limit. p50: only the median was.
  The API, the database and the browser share this machine.
`);
}
