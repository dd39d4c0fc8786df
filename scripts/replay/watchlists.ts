import * as v from "valibot";
import { assertNever } from "../../shared/base/assert.ts";
import type { SerializedEvent } from "../../shared/events/event.ts";
import type { ProductFields } from "../../shared/scrapers/scraper.ts";
import { settings } from "./settings.ts";

/** A rule whose decisions by the service are compared with the expected decisions. */
export type RuleName =
  | "changed"
  | "percent"
  | "drop"
  | "confirm"
  | "cooldown"
  | "once"
  | "stable"
  | "lowest30d"
  | "lowest90d"
  | "average30d"
  | "changedCount7d"
  | "previousPrice";

/** A decision of a rule to notify about an item. */
export interface Decision {
  readonly rule: RuleName;
  readonly itemId: string;
  /**
   * Values that the event reports. For a derived field, `before` is null and `after` is the field's
   * value. Absent if the event has no value to compare.
   */
  readonly change?: { readonly before: number | null; readonly after: number | null };
}

/** The definition of a watchlist that the replay creates for every shop (file of prices). */
interface ListDefinition {
  readonly routes: readonly object[];
  /** The rule of each field of a changed event; null for a field that is not compared. */
  readonly changedRules: Readonly<Record<string, RuleName | null>>;
  /** The rules of each `branch` that a product of a matched event can have. */
  readonly matchedRules: Readonly<Record<string, readonly RuleName[]>>;
}

/**
 * A `changed` route without limits, and routes that test fields derived from earlier prices. The
 * plain route is in a separate watchlist, because its events show every tracked field that changed.
 */
const changes: ListDefinition = {
  routes: [
    { when: "changed", field: "price", notify: true },
    { when: "ok", field: "price", op: "below", value: { field: "lowest30d" }, notify: true },
    sampleRoute({ lowest90d: 0, average30d: 0, changedCount7d: -1 }),
  ],
  changedRules: { price: "changed", newMinPrice: null, usedMinPrice: null, listPrice: null },
  matchedRules: { ok: ["lowest30d"], always: ["lowest90d", "average30d", "changedCount7d"] },
};

/**
 * Routes with limits. Each `changed` route tests a different field, and the source returns the same
 * price in all of these fields. An event shows only the fields whose routes match, so one read a
 * day tests all routes.
 */
const limited: ListDefinition = {
  routes: [
    changedRoute("price", { min_delta_percent: settings.percent }),
    changedRoute("newMinPrice", { op: "decreased", min_delta_percent: settings.dropPercent }),
    changedRoute("usedMinPrice", { confirm: settings.confirm }),
    changedRoute("listPrice", { cooldown: `${settings.cooldownDays}d` }),
    {
      when: "ok",
      field: "price",
      op: "below",
      value: settings.below,
      once: true,
      notify: true,
    },
    { when: "unchanged", confirm: settings.stableReads, once: true, notify: true },
    sampleRoute({ previousPrice: 0 }),
  ],
  changedRules: {
    price: "percent",
    newMinPrice: "drop",
    usedMinPrice: "confirm",
    listPrice: "cooldown",
  },
  matchedRules: { ok: ["once"], unchanged: ["stable"], always: ["previousPrice"] },
};

function changedRoute(field: string, keys: object): object {
  return { when: "changed", field, ...keys, notify: true };
}

/**
 * Returns a route that reports an item at most once in `settings.sampleDays` days, with its derived
 * fields.
 * @param above by field: the item matches only while the value is above this number
 */
function sampleRoute(above: Readonly<Record<string, number>>): object {
  const where = Object.entries(above).map(([field, value]) => ({ field, op: "above", value }));
  return { when: "always", where, cooldown: `${settings.sampleDays}d`, notify: true };
}

/**
 * The definitions of watchlists, by name. The replay creates one of each for every shop, which is
 * one file of recorded prices.
 */
export const watchlists = { changes, limited } as const;
export type WatchlistName = keyof typeof watchlists;
export const watchlistNames = ["changes", "limited"] as const satisfies readonly WatchlistName[];

/**
 * The scraper of every pipeline. All watchlists of a shop read the same fields, so that each can be
 * back-tested with the pipeline of another watchlist.
 */
const scraper = "retailer_a.lite";

/**
 * Returns the data that the source returns for an item with this price. Every field that a route
 * tests contains the price.
 */
export const fieldsOf = (price: number | null): ProductFields => ({
  price: price === null ? null : { amount: price, currency: "USD" },
  retailer_a: { newMinPrice: price, usedMinPrice: price, listPrice: price },
});

/** ID of the only step of each pipeline. */
export const stepId = "check";

/** Returns the pipeline of a watchlist, as a client sends it. */
export const pipelineBody = (name: WatchlistName): object => ({
  steps: [{ id: stepId, scraper, routes: watchlists[name].routes }],
});

/**
 * Returns the body of `POST /v1/watchlists` for a watchlist of a shop. The watchlist runs once a
 * day.
 */
export const watchlistBody = (
  name: WatchlistName,
  shop: string,
  ids: readonly string[],
): object => ({
  name: `${shop} ${name}`,
  platform: "retailer_a",
  ids: [...ids],
  every: "1d",
  pipeline: pipelineBody(name),
});

const change = v.object({
  before: v.nullable(v.number()),
  after: v.nullable(v.number()),
});

const eventSchema = v.object({
  data: v.object({
    changes: v.optional(
      v.array(v.object({ id: v.string(), changes: v.record(v.string(), change) })),
      [],
    ),
    products: v.optional(
      v.array(
        v.object({ id: v.string(), branch: v.string(), values: v.record(v.string(), v.unknown()) }),
      ),
      [],
    ),
  }),
});

/**
 * Returns the decisions to notify that an event reports:
 * - `watchlist.product.changed`: one for each item and compared field.
 * - `watchlist.product.matched`: one for each item and rule.
 * - `watchlist.run.completed`: none.
 * @throws Error for an event type that no run of the replay sends.
 * @throws Error if no rule of the watchlist covers a field or branch in the event.
 */
export function decisionsIn(
  name: WatchlistName,
  { type, body }: SerializedEvent,
): readonly Decision[] {
  const { changedRules, matchedRules } = watchlists[name];
  switch (type) {
    case "watchlist.product.changed":
    case "watchlist.product.matched": {
      const { data } = v.parse(eventSchema, JSON.parse(body));
      const changed = data.changes.flatMap(({ id, changes: fields }) =>
        Object.entries(fields).flatMap(([field, foundChange]) => {
          const rule = ofEvent(changedRules, field);
          return rule === null ? [] : [{ rule, itemId: id, change: foundChange }];
        }),
      );
      const matched = data.products.flatMap(({ id, branch, values }) =>
        ofEvent(matchedRules, branch).map((rule) => matchOf(rule, id, values[rule])),
      );
      return [...changed, ...matched];
    }
    case "watchlist.run.completed":
      return [];
    case "watchlist.product.delisted":
    case "webhook.test":
      throw new Error(
        `The replay cannot compare an event of the type ${type} (expected changed, matched or completed). Correct the pipelines of the replay, or compare this type too.`,
      );
    default:
      return assertNever(type);
  }
}

/**
 * Returns true if all events of this type in this watchlist depend only on the last two reads of an
 * item. The routes of these events have no state, and test no field that is derived from earlier
 * prices.
 */
export const isWithoutRouteState = (name: WatchlistName, type: SerializedEvent["type"]): boolean =>
  name === "changes" && type === "watchlist.product.changed";

function ofEvent<Rules>(rules: Readonly<Record<string, Rules>>, name: string): Rules {
  const foundRule = rules[name];
  if (foundRule === undefined)
    throw new Error(
      `The replay has no rule named '${name}'. Add it, or use one of: ${Object.keys(rules).join(", ")}.`,
    );
  return foundRule;
}

/**
 * Returns the decision of a rule about an item whose route matched.
 * @param derived the new value of the derived field that has the name of the rule; if it is not a
 * number, the decision contains no change
 */
function matchOf(rule: RuleName, itemId: string, derived: unknown): Decision {
  if (typeof derived !== "number") return { rule, itemId };
  return { rule, itemId, change: { before: null, after: derived } };
}
