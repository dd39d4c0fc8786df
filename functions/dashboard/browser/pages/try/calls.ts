import type { Platform } from "../../api/resources.ts";

/** The IDs of the calls that the page can send, in the order of its tabs. */
export const callIds = [
  "products",
  "offers",
  "offer_check",
  "account",
  "usage",
  "platforms",
] as const;
export type CallId = (typeof callIds)[number];

/**
 * A call that reads and charges for items. Its ID is also an endpoint ID of `GET /v1/platforms`.
 */
type ItemCallId = "products" | "offers" | "offer_check";

interface Call {
  readonly label: string;
  readonly method: "GET" | "POST";
  /** The path, relative to `/v1/`. */
  readonly path: string;
  readonly about: string;
  /** The time that a client should wait for the response (specification, section "Limits"). */
  readonly timeoutSeconds: number;
}

/** The calls that the page can send, by ID. */
export const calls: Readonly<Record<CallId, Call>> = {
  products: {
    label: "Products",
    method: "POST",
    path: "products",
    about: "Current price, stock and details of items.",
    timeoutSeconds: 300,
  },
  offers: {
    label: "Offers",
    method: "POST",
    path: "offers",
    about: "All offers of a listing, the buy box offer first.",
    timeoutSeconds: 180,
  },
  offer_check: {
    label: "Offer check",
    method: "POST",
    path: "offers/check",
    about: "Whether a specific offer can be bought now.",
    timeoutSeconds: 120,
  },
  account: {
    label: "Account",
    method: "GET",
    path: "account",
    about: "Balance, credits spent and concurrency of your account.",
    timeoutSeconds: 30,
  },
  usage: {
    label: "Usage",
    method: "GET",
    path: "usage",
    about: "Requests and credits per day.",
    timeoutSeconds: 30,
  },
  platforms: {
    label: "Platforms",
    method: "GET",
    path: "platforms",
    about: "Platforms and their marketplaces, tiers and prices.",
    timeoutSeconds: 30,
  },
};

/** Returns true for a call that reads items and charges for them. */
export const isItemCall = (call: CallId): call is ItemCallId =>
  call === "products" || call === "offers" || call === "offer_check";

/** Returns true if a string is the ID of a call. */
export const isCallId = (name: string): name is CallId => callIds.some((call) => call === name);

/** The state of the form. All calls share one draft, so the user can try the same IDs in each. */
export interface Draft {
  readonly platform: string;
  /** The marketplace; empty for the default of the platform. */
  readonly marketplace: string;
  readonly tier: string;
  readonly condition: string;
  /** The text as the user typed it. */
  readonly ids: string;
  /** The text as the user typed it: an item ID and an offer listing ID in each line. */
  readonly offers: string;
  readonly days: string;
}

/** The values of the form before the user enters any. */
export const emptyDraft: Draft = {
  platform: "",
  marketplace: "",
  tier: "",
  condition: "all",
  ids: "",
  offers: "",
  days: "30",
};

/** A call to send or to show as code. */
export interface CallRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: CallBody | undefined;
  readonly timeoutSeconds: number;
}

/** An offer to check: the item ID and the ID of the offer listing. */
export interface OfferReference {
  readonly asin: string;
  readonly offerListingId: string;
}

/**
 * A request body. Contains only strings, and arrays of strings and of objects with strings. Its
 * JSON is therefore also a valid literal in TypeScript and Python.
 */
export type CallBody = Readonly<Record<string, string | readonly (string | OfferReference)[]>>;

/**
 * Returns the IDs in pasted text, separated by newlines, commas, semicolons or blanks. Removes a
 * quotation mark at the start and at the end of an ID.
 */
export const idsIn = (text: string): readonly string[] =>
  text
    .split(/[\s,;]+/)
    .map((id) => id.replaceAll(/^["']|["']$/g, ""))
    .filter((id) => id !== "");

/**
 * Returns an item ID and an offer listing ID for every line that is not empty. A missing ID is an
 * empty string.
 */
export const offersIn = (text: string): readonly OfferReference[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [asin = "", offerListingId = ""] = idsIn(line);
      return { asin, offerListingId };
    });

/**
 * Returns true for a call that a key of the demo workspace can send without a charge: `products`,
 * which then reads the sandbox, and every call that reads no items.
 */
export const isForDemo = (call: CallId): boolean => call === "products" || !isItemCall(call);

/**
 * Returns the API request for a call. Does not check the values of the draft.
 * @param isDemo true for a key of the demo workspace, which reads products of the sandbox
 */
export function requestOf(call: CallId, draft: Draft, isDemo: boolean): CallRequest {
  const { method, path: plainPath, timeoutSeconds } = calls[call];
  const path = isDemo && call === "products" ? "products/sandbox" : plainPath;
  return {
    method,
    path,
    query: call === "usage" ? { days: draft.days } : {},
    body: isItemCall(call) ? bodyOf(call, draft) : undefined,
    timeoutSeconds,
  };
}

function bodyOf(call: ItemCallId, draft: Draft): CallBody {
  const shop = {
    platform: draft.platform,
    ...(draft.marketplace !== "" && { marketplace: draft.marketplace }),
  };
  if (call === "offer_check") return { ...shop, offers: offersIn(draft.offers) };
  const ids = idsIn(draft.ids);
  return call === "offers"
    ? { ...shop, condition: draft.condition, ids }
    : { ...shop, tier: draft.tier, ids };
}

type PlatformEndpoint = Platform["endpoints"][number];

/**
 * Returns the entry for a call in the `endpoints` of a platform. Returns undefined if `platform` is
 * undefined, or if the platform does not support the call.
 */
export const endpointOf = (
  platform: Platform | undefined,
  call: ItemCallId,
): PlatformEndpoint | undefined => platform?.endpoints.find(({ id }) => id === call);

/**
 * Returns the draft with values that the call supports. Replaces an unsupported platform or tier
 * with the first supported one. Replaces an unsupported marketplace with an empty string, which
 * means the default marketplace of the platform. If no platform supports the call, all three values
 * are empty. Returns the draft unchanged for a call that reads no items.
 */
export function completed(draft: Draft, call: CallId, platforms: readonly Platform[]): Draft {
  if (!isItemCall(call)) return draft;
  const able = platforms.filter((one) => endpointOf(one, call)?.status === "live");
  const platform = chosen(able, draft.platform);
  const shop = platform?.marketplaces.find(({ code }) => code === draft.marketplace);
  return {
    ...draft,
    platform: platform?.id ?? "",
    tier: chosen(endpointOf(platform, call)?.tiers ?? [], draft.tier)?.id ?? "",
    marketplace: shop?.endpoints[call] === "live" ? shop.code : "",
  };
}

/** Returns the entry with an ID, or else the first entry; undefined if there are no entries. */
const chosen = <One extends { readonly id: string }>(
  all: readonly One[],
  id: string,
): One | undefined => all.find((one) => one.id === id) ?? all[0];
