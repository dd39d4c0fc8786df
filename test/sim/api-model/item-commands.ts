import fc from "fast-check";
import type { Platform } from "../../../shared/platforms/catalogue.ts";
import type { Offer } from "../../../shared/scrapers/offer.ts";
import type { ApiAnswer } from "../api.ts";
import { payFor } from "./credit-model.ts";
import type { Predicted } from "./compare.ts";
import {
  call,
  command,
  expectBody,
  expectRefusal,
  missing,
  notYet,
  type Played,
  type Refusal,
  refused,
  compare,
  type Session,
} from "./session.ts";
import { idsOf, phaseAt, shownAt } from "./shows.ts";

const tiers: readonly (readonly [Platform, string, number])[] = [
  ["retailer_a", "pulse", 1],
  ["retailer_a", "lite", 4],
  ["retailer_a", "full", 20],
  ["retailer_b", "standard", 4],
  ["retailer_c", "standard", 4],
  ["retailer_d", "standard", 4],
];

interface Charged {
  readonly endpoint: string;
  readonly scraper: string;
  readonly what: string;
  readonly reservedQuarters: number;
  /** The price of each answer, in quarters of a credit. */
  readonly quarters: readonly number[];
  readonly results: readonly Predicted[];
  readonly statuses: readonly string[];
  readonly head: Readonly<Record<string, Predicted>>;
}

/**
 * Checks a response to an item call: a charge, or a refusal for lack of credits (specification,
 * "POST /v1/products").
 */
function expectCharged({ model, service }: Session, answer: ApiAnswer, is: Charged): string {
  const { ledger } = model;
  const reserved = Math.ceil(is.reservedQuarters / 4);
  if (reserved > ledger.balance) {
    return expectRefusal(is.what, answer, { status: 402, code: "INSUFFICIENT_CREDITS" });
  }
  const charged = Math.ceil(is.quarters.reduce((sum, one) => sum + one, 0) / 4);
  const { endpoint, scraper } = is;
  const items = is.results.length;
  const source = { request_id: answer.headers["x-request-id"] ?? "", endpoint, scraper, items };
  const itemsCharged = is.statuses.filter(isCharged).length;
  payFor(ledger, { reserved, charged, itemsCharged, source, at: service.now() });
  const count = (status: string): number => is.statuses.filter((one) => one === status).length;
  expectBody(is.what, answer, {
    status: 200,
    body: {
      ...is.head,
      results: is.results,
      stats: {
        requested: is.results.length,
        ok: count("ok"),
        partial: count("partial"),
        notFound: count("not_found"),
        unavailable: count("unavailable"),
        elapsedMs: 0,
      },
      credits: charged,
    },
  });
  compare(`${is.what} X-Service-Credits`, answer.headers["x-service-credits"], `${charged}`);
  compare(`${is.what} X-Service-Balance`, answer.headers["x-service-balance"], `${ledger.balance}`);
  return "200";
}

const isCharged = (status: string): boolean => status === "ok" || status === "not_found";

/** Returns an alternative spelling of an ID, which the service normalizes. */
const written = (platform: Platform, id: string, how: number): string => {
  if (how % 4 === 1) return ` ${id}\n`;
  if (how % 4 === 2 && platform === "retailer_a") return id.toLowerCase();
  if (how % 4 === 3 && platform === "retailer_c") return `A-${id}`;
  return id;
};

const products = command<{ tier: number; ids: number[]; how: number }>({
  name: "products",
  weight: 6,
  drawn: fc.record({
    tier: fc.nat(5),
    ids: fc.array(fc.nat(19), { minLength: 1, maxLength: 9 }),
    how: fc.nat(7),
  }),
  async play(session, { tier: place, ids: places, how }) {
    const [platform, tier, quarters] = tiers[place] ?? ["retailer_a", "pulse", 1];
    const known = idsOf(platform);
    const wanted = places.map((one) => known[one] ?? "");
    const sent = wanted.map((id, at) => written(platform, id, how + at));
    const unique = [...new Set(wanted)];
    const body = productsBody(platform, tier, { sent: how === 5 ? [...sent, ""] : sent, how });
    const answer = await call(session, { method: "POST", path: "/v1/products", body });
    const now = session.service.now();
    const shown = shownAt(platform, phaseAt(now));
    const answers = unique.map((id) => shown.product(id, `${platform}.${tier}` as never));
    const results = unique.map((id, at) => {
      const { status, fields } = answers[at] as { status: string; fields?: object };
      const head = { id, status, fetchedAt: new Date(now).toISOString() };
      if (status === "not_found") return head;
      const named = platform === "retailer_a" ? { ...head, asin: id } : head;
      return status === "unavailable"
        ? named
        : { ...named, ...shownFields(platform, tier, fields) };
    });
    const statuses = answers.map(({ status }) => status);
    return expectCharged(session, answer, {
      endpoint: "POST /v1/products",
      scraper: `${platform}.${tier}`,
      what: `products ${platform} ${tier} ${sent.join(",")}`,
      reservedQuarters: unique.length * quarters,
      quarters: statuses.map((status) => (isCharged(status) ? quarters : 0)),
      results,
      statuses,
      head: {
        platform,
        marketplace: "us",
        tier,
        ...(platform === "retailer_a" && how === 4 && { include: ["delivery"] }),
      },
    });
  },
});

/** Builds a request body. `how` selects its optional parameters. */
function productsBody(
  platform: Platform,
  tier: string,
  { sent, how }: { readonly sent: readonly string[]; readonly how: number },
): object {
  const market = how === 3 ? { marketplace: "us" } : {};
  if (platform !== "retailer_a") {
    return { platform, ids: sent, ...(how % 3 === 0 && { tier }), ...market };
  }
  return {
    ...(how % 2 === 0 && { platform }),
    ...(how > 5 ? { asins: sent } : { ids: sent }),
    tier,
    ...(how === 4 && { include: ["delivery"] }),
    ...market,
  };
}

/**
 * Returns the fields that a tier shows. A pulse shows only the offer count and the lowest new
 * price.
 */
function shownFields(platform: Platform, tier: string, fields: object = {}): object {
  const all = fields as Readonly<Record<string, unknown>>;
  return tier === "pulse" ? { [platform]: all[platform] } : all;
}

const itemRefusals: readonly (readonly [string, object, Refusal])[] = [
  ["products", { tier: "lite", ids: ["B000000001", "short"] }, refused("ids[1]")],
  ["products", { tier: "lite", asins: ["", "B00000000!"] }, refused("asins[1]")],
  ["products", { tier: "lite", ids: [] }, refused("ids")],
  ["products", { tier: "lite", ids: ["", " "] }, refused("ids")],
  ["products", { tier: "lite" }, missing("ids")],
  ["products", { ids: ["B000000001"] }, missing("tier")],
  ["products", { tier: "standard", ids: ["B000000001"] }, refused("tier")],
  ["products", { platform: "retailer_d", tier: "lite", ids: ["1000001"] }, refused("tier")],
  ["products", { platform: "retailer_z", ids: ["1000001"] }, refused("platform")],
  ["products", { platform: "retailer_b", ids: ["1234"] }, refused("ids[0]")],
  ["products", { platform: "retailer_c", ids: ["12345"] }, refused("ids[0]")],
  ["products", { platform: "retailer_d", ids: ["12345678901"] }, refused("ids[0]")],
  ["products", { platform: "retailer_d", ids: "1000001" }, refused("ids")],
  ["products", { platform: "retailer_d", ids: [1_000_001] }, refused("ids[0]")],
  [
    "products",
    { platform: "retailer_d", marketplace: "xx", ids: ["1000001"] },
    refused("marketplace"),
  ],
  [
    "products",
    { platform: "retailer_b", marketplace: "ca", ids: ["1000001"] },
    refused("marketplace"),
  ],
  ["products", { platform: "retailer_d", marketplace: "ca", ids: ["1000001"] }, notYet],
  ["products", { marketplace: "de", tier: "lite", ids: ["B000000001"] }, notYet],
  ["products", { platform: "retailer_e", ids: ["1000001"] }, notYet],
  [
    "products",
    { platform: "retailer_b", ids: Array.from({ length: 101 }, (_, n) => String(10_000 + n)) },
    refused("ids"),
  ],
  ["offers", {}, missing("ids")],
  ["offers", { ids: [] }, refused("ids")],
  ["offers", { ids: ["B0"] }, refused("ids[0]")],
  ["offers", { ids: ["B000000001"], condition: "old" }, refused("condition")],
  ["offers", { platform: "retailer_b", ids: ["1000001"] }, notYet],
  ["offers", { marketplace: "uk", ids: ["B000000001"] }, notYet],
  [
    "offers",
    { ids: Array.from({ length: 101 }, (_, n) => `B${String(n).padStart(9, "0")}`) },
    refused("ids"),
  ],
  ["offers/check", {}, missing("offers")],
  ["offers/check", { offers: [] }, refused("offers")],
  ...["", "%20", "a\u0000", "a%0Db", "x".repeat(1_001)].map(
    (offerListingId) =>
      [
        "offers/check",
        { offers: [{ asin: "B000000001", offerListingId }] },
        refused("offers[0].offerListingId"),
      ] as const,
  ),
  [
    "offers/check",
    { offers: [{ asin: "B000000001" }] },
    { status: 400, code: "MISSING_PARAM", param: /^offers\[0\]\.?offerListingId$/ },
  ],
  ["offers/check", { offers: [{ asin: "B0", offerListingId: "x" }] }, refused(/^offers\[0\]/)],
  [
    "offers/check",
    { platform: "retailer_c", offers: [{ asin: "1000001", offerListingId: "x" }] },
    notYet,
  ],
];

const badItemCall = command<number>({
  name: "bad item call",
  weight: 3,
  drawn: fc.nat(itemRefusals.length - 1),
  async play(session, place) {
    const [path = "", body = {}, refusal = notYet] = itemRefusals[place] ?? [];
    const answer = await call(session, { method: "POST", path: `/v1/${path}`, body });
    return expectRefusal(`${path} ${JSON.stringify(body).slice(0, 200)}`, answer, refusal);
  },
});

const conditions = ["all", "new", "used"] as const;

/**
 * Returns the predicted result of an offers request (specification, section "Offer (offers
 * endpoints)").
 */
function offersResult(id: string, now: number, condition: string) {
  const shown = shownAt("retailer_a", phaseAt(now)).offers(id) as {
    status: string;
    totalOffers?: number;
    offers?: readonly Offer[];
  };
  const { status, totalOffers = 0, offers = [] } = shown;
  const head = { id, asin: id, status, fetchedAt: new Date(now).toISOString() };
  if (status === "unavailable") {
    return { status, quarters: 0, result: { ...head, offers: [] } };
  }
  if (status === "not_found") {
    return { status, quarters: 4, result: { ...head, totalOffers: 0, offers: [] } };
  }
  const featured = offers.find(({ isBuybox }) => isBuybox);
  const rest = offers.filter((one) => one !== featured).toSorted((a, b) => a.price - b.price);
  const all = featured === undefined ? rest : [featured, ...rest];
  const isShown = ({ condition: of }: Offer): boolean =>
    condition === "all" || (condition === "new") === (of === "new");
  const result = {
    ...head,
    ...(featured && { buyboxOfferListingId: featured.offerListingId }),
    totalOffers,
    offers: all.filter(isShown),
  };
  return { status, quarters: totalOffers <= 1 ? 4 : 12, result };
}

function expectOffers(
  session: Session,
  answer: ApiAnswer,
  {
    unique,
    condition,
    endpoint,
  }: { unique: readonly string[]; condition: string; endpoint: string },
): string {
  const now = session.service.now();
  const found = unique.map((id) => offersResult(id, now, condition));
  return expectCharged(session, answer, {
    endpoint,
    scraper: "retailer_a.offers",
    what: `offers ${unique.join(",")} ${condition}`,
    reservedQuarters: unique.length * 12,
    quarters: found.map(({ quarters }) => quarters),
    results: found.map(({ result }) => result),
    statuses: found.map(({ status }) => status),
    head: { platform: "retailer_a", marketplace: "us" },
  });
}

const drawnOffers = fc.record({
  ids: fc.array(fc.nat(19), { minLength: 1, maxLength: 6 }),
  condition: fc.nat(2),
  how: fc.nat(3),
});

const offers = command<{ ids: number[]; condition: number; how: number }>({
  name: "offers",
  weight: 3,
  drawn: drawnOffers,
  async play(session, { ids, condition: place, how }) {
    const wanted = ids.map((one) => idsOf("retailer_a")[one] ?? "");
    const condition = conditions[place] ?? "all";
    const sent = wanted.map((id, at) => written("retailer_a", id, how + at));
    const answer = await call(session, {
      method: "POST",
      path: "/v1/offers",
      body: {
        ...(how === 3 ? { asins: sent } : { ids: sent }),
        ...(place > 0 || how === 1 ? { condition } : {}),
      },
    });
    const endpoint = "POST /v1/offers";
    return expectOffers(session, answer, { unique: [...new Set(wanted)], condition, endpoint });
  },
});

const itemOffers = command<{ ids: number[]; condition: number; how: number }>({
  name: "item offers",
  weight: 2,
  drawn: drawnOffers,
  async play(session, { ids, condition: place, how }) {
    const id = idsOf("retailer_a")[ids[0] ?? 0] ?? "";
    const condition = conditions[place] ?? "all";
    const get = (path: string) => call(session, { method: "GET", path: `/v1/products/${path}` });
    if (how === 0) return expectRefusal("item offers", await get("B12/offers"), refused("asin"));
    if (how === 1) {
      const path = "1000001/offers?platform=retailer_d";
      return expectRefusal("item offers", await get(path), notYet);
    }
    const answer = await get(`${id}/offers${place === 0 ? "" : `?condition=${condition}`}`);
    const endpoint = "GET /v1/products/{id}/offers";
    return expectOffers(session, answer, { unique: [id], condition, endpoint });
  },
});

const check = command<{ offers: [number, number][]; how: number }>({
  name: "offer check",
  weight: 3,
  drawn: fc.record({
    offers: fc.array(fc.tuple(fc.nat(19), fc.nat(2)), { minLength: 1, maxLength: 9 }),
    how: fc.nat(3),
  }),
  async play(session, { offers: drawn, how }) {
    const wanted = drawn.map(([id, offer]) => ({
      asin: idsOf("retailer_a")[id] ?? "",
      offerListingId: `offer${offer + 1}`,
    }));
    const unique = [...new Map(wanted.map((one) => [JSON.stringify(one), one])).values()];
    const sent = wanted.map(({ asin, offerListingId }) => ({
      asin: how === 2 ? asin.toLowerCase() : asin,
      // Encodes one character for the URL.
      offerListingId: how === 1 ? offerListingId.replace("o", "%6F") : offerListingId,
    }));
    const answer = await call(session, {
      method: "POST",
      path: "/v1/offers/check",
      body: how === 3 ? { ids: sent } : { offers: sent },
    });
    const now = session.service.now();
    const shown = shownAt("retailer_a", phaseAt(now));
    const found = unique.map((offer) => ({ ...offer, ...shown.check(offer) }));
    return expectCharged(session, answer, {
      endpoint: "POST /v1/offers/check",
      scraper: "retailer_a.offer_check",
      what: "offer check",
      reservedQuarters: unique.length * 2,
      quarters: found.map(({ status }) => (status === "ok" ? 2 : 0)),
      results: found.map(({ asin, offerListingId, status, ...rest }) => ({
        id: offerListingId,
        asin,
        offerListingId,
        status,
        fetchedAt: new Date(now).toISOString(),
        ...(status === "ok" && { buyable: (rest as { buyable?: boolean }).buyable }),
      })),
      statuses: found.map(({ status }) => status),
      head: { platform: "retailer_a", marketplace: "us" },
    });
  },
});

export const itemCommands: readonly Played<unknown>[] = [
  products,
  badItemCall,
  offers,
  itemOffers,
  check,
];
