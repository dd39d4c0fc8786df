/** Searches a store's catalog, for commands that are not part of the service. */
import { systemClock, systemRandom } from "../../../shared/base/system.ts";
import type { SourceClient } from "../../../shared/sources/http/source-client.ts";
import { tryOnce } from "../../../shared/sources/http/try-once.ts";
import type { CatalogProduct } from "../../../shared/sources/storefront/product.ts";
import { type StoreReply, toolCaller } from "../../../shared/sources/storefront/exchange.ts";
import { contextOf } from "../../../shared/sources/storefront/tool-call.ts";
import manifest from "../../../package.json" with { type: "json" };
import { startProfileServer } from "./profile-server.ts";

/** A search of one page. */
export interface StoreSearch {
  /** The store's address. */
  readonly store: string;
  /** The words to search for; "" for any products. */
  readonly query: string;
  readonly limit: number;
  readonly marketplace: string;
  /** The address of the agent profile to send; by default the one for trials. */
  readonly profileUrl?: string | undefined;
}

/**
 * The agent profile that local commands send to public stores, which cannot read a document of this
 * machine. A platform publishes it for trials.
 */
export const trialProfileUrl = manifest.config.trialAgentProfile;

const secondsMax = 20;
const bytesMax = 5 * 1024 * 1024;

/** Returns true for an address of this machine. */
export const isLoopback = (address: string): boolean =>
  ["127.0.0.1", "localhost", "[::1]"].includes(new URL(address).hostname);

/**
 * Parses the address of a store. Adds `https://` to a bare host name.
 * @throws Error if the text is no address of a store
 */
export function parseStore(text: string): string {
  const address = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(address));
  if (url !== undefined && isSafe && /^\/?$/.test(url.pathname) && url.search === "") {
    return url.origin;
  }
  throw new Error(
    `The store must be its https:// address without a path, such as https://store.example (got "${text}").`,
  );
}

/**
 * Searches a store. Returns its products.
 * @throws Error with the reason why the store did not return products, and what to do
 */
export async function searchStore(search: StoreSearch): Promise<readonly CatalogProduct[]> {
  const { store, profileUrl } = search;
  if (profileUrl !== undefined || !isLoopback(store)) {
    return searchWith(search, profileUrl ?? trialProfileUrl);
  }
  // A store on this machine can read a profile of this machine.
  const profiles = await startProfileServer();
  try {
    return await searchWith(search, profiles.profileUrl);
  } finally {
    await profiles.close();
  }
}

async function searchWith(
  { store, query, limit, marketplace }: StoreSearch,
  profileUrl: string,
): Promise<readonly CatalogProduct[]> {
  let failure = "timeout";
  const client: SourceClient = {
    async send({ method, url, headers, body }, deadline) {
      const own = typeof headers === "function" ? headers() : headers;
      const text = typeof body === "function" ? body(secondsMax * 1_000) : body;
      const signal = AbortSignal.timeout(Math.max(1, deadline.getTime() - Date.now()));
      const sent = { method, url, ...(text !== undefined && { body: text }) };
      const outcome = await tryOnce(sent, { headers: { ...own }, signal, bytesMax });
      if (outcome.kind === "broken") failure = outcome.error;
      return outcome;
    },
  };
  const call = toolCaller(
    { baseUrl: store },
    { client, clock: systemClock, random: systemRandom, profileUrl },
  );
  const context = contextOf(marketplace);
  const replied = await call(
    "search_catalog",
    { ...(query !== "" && { query }), ...(context && { context }), pagination: { limit } },
    new Date(Date.now() + secondsMax * 1_000),
  );
  if (replied?.catalog && replied.catalog.errors.length === 0) return replied.catalog.products;
  throw new Error(problemOf(replied, { store, profileUrl, failure }));
}

interface Attempt {
  readonly store: string;
  readonly profileUrl: string;
  readonly failure: string;
}

function problemOf(replied: StoreReply | null, { store, profileUrl, failure }: Attempt): string {
  if (replied === null)
    return `${store} supports no version of the protocol that this command knows.`;
  const { reply, parsed, catalog } = replied;
  if (reply.kind !== "answered") {
    return `${store} does not answer (${failure}). Check the address and the network.`;
  }
  if (parsed.kind === "error") {
    const { code, text } = parsed;
    if (code === profileRefused) {
      return `${store} cannot use the agent profile ${profileUrl} (${text.trim()}). Name another one with --profile.`;
    }
    return `${store} refuses the search (${code === undefined ? "" : `${code}: `}${text.trim()}).`;
  }
  const [error] = catalog?.errors ?? [];
  if (error !== undefined) return `${store} refuses the search (${error.code}: ${error.text}).`;
  return (
    `${store} offers no catalog by the Universal Commerce Protocol (status ${reply.status}). ` +
    "Check the address: a store that redirects needs the address of its target."
  );
}

const profileRefused = -32_001;
