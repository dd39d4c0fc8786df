import { text } from "node:stream/consumers";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import axe from "axe-core";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import { expect, inject } from "vitest";
import { deliveryKeys } from "../../shared/aws/table/table.ts";
import { chromiumPath } from "../../tools/dashboard/chromium.ts";
import { apiClient, type ApiClient } from "../../tools/customer/api-client.ts";
import { createAccount, createApiKey } from "../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { systemClock, systemRandom } from "../../shared/base/system.ts";
import { documented } from "../support/openapi.ts";
import type { Ready } from "../support/running-world.ts";

/** True if Chromium is not installed. Browser tests are then skipped, and one test reports it. */
export const lacksChromium = chromiumPath === undefined;

export type Scheme = "light" | "dark";
export type Size = "desktop" | "phone";

const viewports = {
  desktop: { width: 1_280, height: 900 },
  phone: { width: 390, height: 844 },
} as const;

interface View {
  /**
   * The color scheme of the tab.
   * @default light
   */
  readonly scheme?: Scheme;
  /**
   * The size of the window.
   * @default desktop
   */
  readonly size?: Size;
}

/** One visitor with a separate tab. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Signs in with the form. By default, signs in with `key` of the `DashboardWorld`. */
  readonly signIn: (key?: string) => Promise<void>;
  /** Opens a page of the dashboard, such as `/keys`, and waits for the heading of the page. */
  readonly goTo: (path: string, heading: string) => Promise<void>;
  /** Requests to other hosts, errors in the console, and exceptions so far. */
  readonly faults: string[];
}

/** The local world of all test files, as the account of one file sees it. */
export interface AccountWorld {
  readonly api: ApiClient;
  /** The content of `ready.json`, with an API key of this account. */
  readonly ready: Ready;
}

/** An account in the local world, and a browser that opens the dashboard. */
export interface DashboardWorld {
  readonly world: AccountWorld;
  readonly url: string;
  /** An API key of the account. */
  readonly key: string;
  open(view?: View): Promise<Visit>;
  /** Opens a tab, signs in and opens a page. */
  openAt(path: string, heading: string): Promise<Visit>;
  /**
   * Closes every tab, and deletes the counted probes of the account, so that the limit of
   * probes does not delay the next test.
   * @throws Error if a tab has faults
   */
  closeAll(): Promise<void>;
  dispose(): Promise<void>;
}

/**
 * Connects to the browser of all test files. `close` closes only the tabs of this connection.
 * @throws Error if Chromium is not installed
 */
export async function connectBrowser(): Promise<Browser> {
  const endpoint = inject("browserEndpoint");
  if (endpoint === undefined) throw new Error("The browser did not start: no Chromium was found.");
  return chromium.connect(endpoint);
}

/**
 * Opens an account in the local world of all test files, and connects to the browser. `dispose`
 * closes the tabs.
 * @throws Error if Chromium is not installed
 */
export async function startDashboardWorld(): Promise<DashboardWorld> {
  const started = inject("localWorld");
  if (started === undefined) throw new Error("No local world was started: no Chromium was found.");
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({
      endpoint: started["dynamodb_endpoint"] ?? "",
      region: "us-east-1",
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  );
  const { accountId, key } = await openAccount(client, started);
  const world = {
    api: documented(apiClient(started["base_url"] ?? "", key)),
    ready: { ...started, api_key: key },
  };
  const browser = await connectBrowser();
  const url = `${started["base_url"] ?? ""}/dashboard`;
  const visits: Visit[] = [];
  const open = async (view: View = {}): Promise<Visit> => {
    const visit = await openVisit(browser, { url, view, key });
    visits.push(visit);
    return visit;
  };
  return {
    world,
    url,
    key,
    open,
    async openAt(path, heading) {
      const visit = await open();
      await visit.signIn();
      await visit.goTo(path, heading);
      return visit;
    },
    async closeAll() {
      const done = visits.splice(0);
      await Promise.all(done.map(close));
      await forgetProbes(client, started, accountId);
      expect(done.flatMap(({ faults }) => faults)).toEqual([]);
    },
    async dispose() {
      await browser.close();
      client.destroy();
    },
  };
}

/** Opens an account like that of `npm start`, with one API key. */
async function openAccount(
  client: DynamoDBDocumentClient,
  ready: Ready,
): Promise<{ readonly accountId: string; readonly key: string }> {
  const time = { clock: systemClock, random: systemRandom };
  const accounts = dynamoAccountStore(client, { accounts: ready["accounts_table"] ?? "" }, time);
  const dependencies = { accounts, ...time };
  const account = await createAccount({ name: "Local", email: "you@local.invalid" }, dependencies);
  const { key } = await createApiKey({ account, name: "local world" }, dependencies);
  return { accountId: account.id, key };
}

/** Deletes the row that counts the probes of an account. */
async function forgetProbes(
  client: DynamoDBDocumentClient,
  ready: Ready,
  accountId: string,
): Promise<void> {
  const TableName = ready["deliveries_table"] ?? "";
  await client.send(new DeleteCommand({ TableName, Key: deliveryKeys.probes(accountId) }));
}

/** Closes a tab. Ignores the errors of intercepted calls that are not answered yet. */
async function close({ page, context }: Visit): Promise<void> {
  if (!page.isClosed()) await page.unrouteAll({ behavior: "ignoreErrors" });
  await context.close();
}

interface Opening {
  readonly url: string;
  readonly view: View;
  readonly key: string;
}

async function openVisit(browser: Browser, { url, view, key }: Opening): Promise<Visit> {
  const context = await browser.newContext({
    viewport: viewports[view.size ?? "desktop"],
    colorScheme: view.scheme ?? "light",
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  const faults = watch(page, new URL(url).origin);
  await page.goto(url);
  return {
    page,
    context,
    faults,
    async signIn(other = key) {
      await page.getByLabel("API key").fill(other);
      // On a busy machine the service may answer 503. A person then signs in again.
      for (let status = 503, attempt = 1; status === 503 && attempt <= 3; attempt += 1) {
        const answer = page.waitForResponse((response) => response.url().includes("/v1/account"));
        await page.getByRole("button", { name: "Sign in" }).click();
        status = (await answer).status();
      }
      await page.locator("#main").waitFor();
    },
    async goTo(path, heading) {
      await page.evaluate((place) => location.assign(`#${place}`), path);
      await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
    },
  };
}

/**
 * Answers calls with 400 until the user presses "Try again". The number of calls does not
 * matter, because pages also repeat calls automatically.
 * @param calls glob of the calls' URLs
 * @param message the message of the error
 */
export async function refuseUntilTriedAgain(
  page: Page,
  calls: string,
  message: string,
): Promise<void> {
  await page.evaluate(() => {
    const note = ({ target }: Event): void => {
      const isAgain = (target as Element).closest("button")?.textContent === "Try again";
      if (isAgain) Reflect.set(window, "isTriedAgain", true);
    };
    addEventListener("click", note, { capture: true });
  });
  const json = { error: { code: "INVALID_PARAM", message, docs: "" } };
  await page.route(calls, async (route) => {
    const isTriedAgain = await page.evaluate(() => "isTriedAgain" in window);
    await (isTriedAgain ? route.continue() : route.fulfill({ status: 400, json }));
  });
}

/** The browser reports every refused call in the console, which is not a fault of the page. */
const refusedCall = /^Failed to load resource: the server responded with a status of 4\d\d/;

function watch(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on("request", (request) => {
    const asked = new URL(request.url());
    if (asked.origin !== origin && asked.protocol !== "data:") {
      faults.push(`request to ${asked.href}`);
    }
    if (/svc_(live|demo)_/.test(asked.href)) faults.push(`a key in the address ${asked.pathname}`);
  });
  page.on("console", (message) => {
    const logged = message.text();
    const isRefusal = refusedCall.test(logged) && message.location().url.includes("/v1/");
    if (message.type() === "error" && !isRefusal) faults.push(logged);
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  return faults;
}

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly {
    readonly target: readonly unknown[];
    readonly failureSummary?: string;
  }[];
}

/** Presses a button that saves a file, and returns the text of the file. */
export async function savedBy(page: Page, button: Locator): Promise<string> {
  const download = page.waitForEvent("download");
  await button.click();
  return text(await (await download).createReadStream());
}

/** Waits until the page has loaded all of its data. */
export const expectLoaded = (page: Page): Promise<void> =>
  expect.poll(() => page.locator(".skeleton").count()).toBe(0);

/**
 * Returns the serious and critical violations that axe finds in the element that matches a
 * selector, one line for each.
 */
async function violationsIn(page: Page, root: string): Promise<readonly string[]> {
  await expectLoaded(page);
  // The debugger adds the script, because the Content-Security-Policy does not apply to the
  // debugger. The script is large, so it is added only once to a document.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run(${JSON.stringify(root)}, { resultTypes: ['violations'] }).then((found) => found.violations)`,
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
    );
}

/**
 * The views that `expectAccessible` checks. The first two views together have both color schemes
 * and both sizes. The other two would double the processor time, so only NIGHTLY=1 checks them.
 */
const views: readonly Required<View>[] = [
  { scheme: "light", size: "desktop" },
  { scheme: "dark", size: "phone" },
  ...(process.env["NIGHTLY"] === "1"
    ? ([
        { scheme: "light", size: "phone" },
        { scheme: "dark", size: "desktop" },
      ] as const)
    : []),
];

/** Expects that a page has no serious violation, and is not wider than the window. */
async function expectViewAccessible(page: Page, root: string, view: string): Promise<void> {
  expect(await violationsIn(page, root), view).toEqual([]);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(
    overflow,
    `${view}: pixels by which the page is wider than the window`,
  ).toBeLessThanOrEqual(0);
}

/**
 * Checks a page like `expectAccessible`, but only with the color scheme and size with which the
 * page was opened.
 */
export const expectAccessibleAsOpened = (page: Page): Promise<void> =>
  expectViewAccessible(page, "html", "as opened");

/**
 * Expects a page to have no serious violation in both color schemes, on a desktop and a phone. Also
 * expects that the page is not wider than the window.
 * @param settled waits until the page shows a color scheme
 * @param root selects the part of the page to check, such as a dialog that makes the rest inert
 */
export async function expectAccessible(
  page: Page,
  settled: (scheme: Scheme) => Promise<void> = async () => {},
  root = "html",
): Promise<void> {
  const before = page.viewportSize();
  for (const { scheme, size } of views) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize(viewports[size]);
    await settled(scheme);
    await expectViewAccessible(page, root, `${scheme}, ${size}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  if (before) await page.setViewportSize(before);
}
