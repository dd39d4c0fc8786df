import { setTimeout as delay } from "node:timers/promises";
import type { ApiAnswer, ApiClient } from "../../tools/customer/api-client.ts";
import { demoLists } from "./lists.ts";

interface DemoWatchlist {
  readonly id: string;
  readonly name: string;
  readonly runs: number;
}

/** A watchlist of a demo workspace after the filling. */
export interface FilledWatchlist {
  readonly id: string;
  readonly name: string;
  readonly platform: string;
  /** False if the watchlist already existed. */
  readonly created: boolean;
}

const lookMs = 500;
const patienceMs = 120_000;

/**
 * Returns true if every watchlist exists and has run twice. The workspace shows changes only after
 * the second run, because the first run reports none.
 */
export async function isFilled(api: ApiClient): Promise<boolean> {
  const there = await listsOf(api);
  return demoLists.every(({ name }) => there.some((list) => list.name === name && list.runs > 1));
}

/**
 * Creates the missing watchlists of a demo workspace, and starts a second run of each watchlist
 * that has run only once. Uses the API, so its limits apply. Later runs follow the schedule.
 * Returns all watchlists.
 * @param receiver the webhook URL that receives changes; if it is undefined, the workspace has no
 * deliveries
 * @throws Error if the API refuses a call, or if a first run takes longer than two minutes
 */
export async function fillWorkspace(
  api: ApiClient,
  receiver: string | undefined,
): Promise<readonly FilledWatchlist[]> {
  if (receiver !== undefined) await register(api, receiver);
  const there = await listsOf(api);
  const lists: FilledWatchlist[] = [];
  for (const body of demoLists) {
    const { name, platform } = body;
    const before = there.find((list) => list.name === name);
    const id = before?.id ?? String((await made(api, "/watchlists", body))["id"]);
    lists.push({ id, name, platform, created: before === undefined });
  }
  for (const list of lists) await runTwice(api, list);
  return lists;
}

async function register(api: ApiClient, url: string): Promise<void> {
  const endpoints = succeeded(await api.get("/webhook_endpoints"), "GET /webhook_endpoints");
  if (entriesOf(endpoints).some((endpoint) => endpoint["url"] === url)) return;
  await made(api, "/webhook_endpoints", { url, description: "Pricing service" });
}

async function runTwice(api: ApiClient, { id, name }: FilledWatchlist): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const list = (await listsOf(api)).find((one) => one.id === id);
    if (list === undefined || list.runs > 1) return;
    if (list.runs === 1) {
      const { status } = await api.send("POST", `/watchlists/${id}/run`);
      // The API refuses this call until the first run has finished.
      if (status === 202) return;
    }
    if (Date.now() > deadline) {
      throw new Error(
        `The watchlist "${name}" did not run within two minutes. Check that the account has credits.`,
      );
    }
    await delay(lookMs);
  }
}

/** Lists at most 100 watchlists of the account to which the API key of the client belongs. */
export async function listsOf(api: ApiClient): Promise<readonly DemoWatchlist[]> {
  const body = succeeded(await api.get("/watchlists?limit=100"), "GET /watchlists");
  return entriesOf(body).map(({ id, name, run_count: runs }) => ({
    id: String(id),
    name: String(name),
    runs: Number(runs),
  }));
}

const made = async (api: ApiClient, path: string, body: unknown): Promise<ApiAnswer["body"]> =>
  succeeded(await api.send("POST", path, body), `POST ${path}`);

function succeeded({ status, body }: ApiAnswer, what: string): ApiAnswer["body"] {
  if (status >= 300) {
    throw new Error(
      `${what} must succeed (got HTTP ${status}): ${JSON.stringify(body)}. Check the account and its key.`,
    );
  }
  return body;
}

const entriesOf = (body: ApiAnswer["body"]): readonly ApiAnswer["body"][] =>
  Array.isArray(body["data"]) ? body["data"] : [];
