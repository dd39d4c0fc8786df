/** Searches a store's catalog, for commands that are not part of the service. */
import { isLoopbackHost } from "../../../shared/base/loopback.ts";
import { systemClock, systemRandom } from "../../../shared/base/system.ts";
import { sourceClient, temporaryStatuses } from "../../../shared/sources/http/polite-client.ts";
import { localRateBudget } from "../../../shared/sources/http/rate-budget.ts";
import type { CatalogProduct } from "../../../shared/sources/storefront/product.ts";
import { type StoreReply, toolCaller } from "../../../shared/sources/storefront/exchange.ts";
import { contextOf } from "../../../shared/sources/storefront/tool-call.ts";
import {
  rpcCodes,
  storeWait,
  versionUnsupported,
} from "../../../shared/sources/storefront/tool-reply.ts";
import manifest from "../../../package.json" with { type: "json" };
import { startProfileServer } from "./profile-server.ts";

/** A search of one page. */
export interface StoreSearch {
  /** The store's address. */
  readonly store: string;
  /** The words to search for. The protocol requires at least one word. */
  readonly query: string;
  /** The maximum number of products to return. */
  readonly limit: number;
  readonly marketplace: string;
  /** The path that accepts tool calls. If absent, the store's own profile names it. */
  readonly endpointPath?: string | undefined;
  /** The address of the agent profile to send; by default the profile for trials. */
  readonly profileUrl?: string | undefined;
}

/**
 * The agent profile that local commands send to public stores, because such stores cannot read a
 * document of this machine. A store platform publishes this profile for trials.
 */
export const trialProfileUrl = manifest.config.trialAgentProfile;

const secondsMax = 20;
const bytesMax = 5 * 1024 * 1024;

/** Returns true for an address of this machine. */
export const isLoopback = (address: string): boolean => isLoopbackHost(new URL(address).hostname);

/** Removes the user name and password from an address, because a password must not reach a log. */
const shownStore = (text: string): string => text.replace(/\/\/[^/@]*@/, "//…@");

/**
 * Parses the address of a store. Adds `https://` to a bare host name.
 * @throws Error if the text is not the address of a store
 */
export function parseStore(text: string): string {
  const address = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(address));
  if (url !== undefined && isSafe && url.href === `${url.origin}/`) return url.origin;
  throw new Error(
    `The store must be an https:// URL without a path or user name, such as https://store.example (got "${shownStore(text)}").`,
  );
}

/**
 * Searches the catalog of a store, and returns the products.
 * @throws Error with the reason why the store returned no products, and what to do
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
  { store, query, limit, marketplace, endpointPath }: StoreSearch,
  profileUrl: string,
): Promise<readonly CatalogProduct[]> {
  let failure = "timeout";
  const client = sourceClient(
    {
      name: store,
      callsPerSecond: 4,
      burst: 4,
      callsAtOnce: 1,
      tryTimeoutMs: secondsMax * 1_000,
      bytesMax,
      isTemporary: (status) => temporaryStatuses.has(status),
      asksToWait: storeWait,
      userAgent: `${manifest.name}/${manifest.version}`,
    },
    {
      clock: systemClock,
      random: systemRandom,
      budget: localRateBudget(),
      note: (event) => {
        if (event.kind === "call") failure = event.reply;
      },
    },
  );
  const call = toolCaller(
    { baseUrl: store, endpointPath, profileUrl },
    { client, clock: systemClock },
  );
  const context = contextOf(marketplace);
  const replied = await call(
    "search_catalog",
    { query, ...(context && { context }), pagination: { limit } },
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
    return `The store ${store} supports no version of the protocol that this command supports. Choose another store.`;
  const { reply, parsed, catalog } = replied;
  if (reply.kind !== "answered") {
    return `The store ${store} does not respond (${failure}). Check the address and the network.`;
  }
  if (parsed.kind === "error") {
    const { code, reason, text } = parsed;
    if (code === rpcCodes.negotiationFailed) {
      const problem =
        reason === versionUnsupported
          ? "does not support the protocol version of the agent profile"
          : "cannot use the agent profile";
      return `The store ${store} ${problem} ${profileUrl} (${text.trim()}). Name another profile with --profile.`;
    }
    return `The store ${store} refuses the search (${code === undefined ? "" : `${code}: `}${text.trim()}). Change the words or the options.`;
  }
  const [error] = catalog?.errors ?? [];
  if (error !== undefined)
    return `The store ${store} refuses the search (${error.code}: ${error.text}). Change the words or the options.`;
  return (
    `The store ${store} offers no catalog by the Universal Commerce Protocol (status ${reply.status}). ` +
    "Check the address. If the store redirects, use the address to which it redirects."
  );
}
