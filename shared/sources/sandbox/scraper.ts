import type { Clock } from "../../base/clock.ts";
import { currencyOf } from "../../platforms/catalog.ts";
import { type ProductScraperId, scrapers } from "../../scrapers/catalog.ts";
import type { Answer, ProductFields, Scraper } from "../../scrapers/scraper.ts";
import type { ItemMoment } from "./catalog.ts";
import { type DrawSeed, drawsOf } from "./draw.ts";
import { itemStateA } from "./retailer-a.ts";
import { fullFields, liteFields, pulseFields } from "./retailer-a-fields.ts";
import { retailerBFields } from "./retailer-b.ts";
import { retailerCFields } from "./retailer-c.ts";
import { retailerDFields } from "./retailer-d.ts";
import { behaviorOf } from "./script.ts";
import { readTiming, statusAt } from "./status.ts";

/** An item of a scraper at a given time. */
export interface SandboxMoment extends DrawSeed {
  readonly scraper: ProductScraperId;
  readonly at: Date;
}

/**
 * Creates the product scraper of the sandbox, which invents the items and needs no network. An
 * answer depends only on the seed, the scraper, the marketplace, the item ID and the time.
 */
export function sandboxScraper({
  seed,
  clock,
}: {
  readonly seed: string;
  readonly clock: Clock;
}): Scraper {
  return {
    async read({ scraper, marketplace, ids, deadline }) {
      const { platform } = scrapers[scraper];
      const { at, isLate } = await readTiming(platform, { ids, deadline }, clock);
      const fetchedAt = at.toISOString();
      return ids.map((id) =>
        isLate(id)
          ? { id, status: "unavailable", fetchedAt }
          : answerAt({ scraper, marketplace, id, at, seed }, fetchedAt),
      );
    },
  };
}

/** Returns the answer for one item at a given time. Pure: does not simulate slow reads. */
export const sandboxAnswer = (moment: SandboxMoment): Answer =>
  answerAt(moment, moment.at.toISOString());

/**
 * Returns the answer for an item at a given time.
 * @param fetchedAt `moment.at` in ISO 8601
 */
function answerAt(moment: SandboxMoment, fetchedAt: string): Answer {
  const { scraper, id } = moment;
  const { platform, marketplace } = { ...scrapers[scraper], ...moment };
  const draw = drawsOf(moment);
  const status = statusAt({ platform, kind: scraper }, moment, draw);
  if (status === "not_found" || status === "unavailable") return { id, status, fetchedAt };
  const item = { platform, id, at: moment.at, currency: currencyOf(platform, marketplace), draw };
  const fields = fieldReaders[scraper](item, moment);
  if (status === "ok") return { id, status, fetchedAt, fields };
  const isReserved = behaviorOf(platform, id) !== undefined;
  return { id, status, fetchedAt, fields: withoutPrice(fields, isReserved) };
}

type FieldReader = (item: ItemMoment, moment: DrawSeed) => ProductFields;

const stateAt = (
  { at }: ItemMoment,
  { seed, marketplace, id }: DrawSeed,
): Parameters<typeof pulseFields>[0] => itemStateA({ seed, marketplace, id, at });

const fieldReaders: Readonly<Record<ProductScraperId, FieldReader>> = {
  "retailer_a.pulse": (item, moment) => pulseFields(stateAt(item, moment)),
  "retailer_a.lite": (item, moment) => liteFields(stateAt(item, moment), item),
  "retailer_a.full": (item, moment) => fullFields(stateAt(item, moment), item),
  "retailer_b.standard": (item) => retailerBFields(item, behaviorOf("retailer_b", item.id)),
  "retailer_c.standard": (item) => retailerCFields(item, behaviorOf("retailer_c", item.id)),
  "retailer_d.standard": (item) => retailerDFields(item, behaviorOf("retailer_d", item.id)),
};

/** The fields of a retailer's object from which the price could be calculated. */
const priceKeys = new Set(["newMinPrice", "buybox", "savings", "usedMinPrice"]);
const objectNames = ["retailer_a", "retailer_b", "retailer_c", "retailer_d"] as const;

/**
 * Simulates a `partial` read: removes the price, and the fields that reveal it. Also removes the
 * availability if `keepsStock` is false.
 */
function withoutPrice(
  { price: _price, availability, ...fields }: ProductFields,
  keepsStock: boolean,
): ProductFields {
  const shown: Record<string, unknown> = { ...fields };
  if (keepsStock && availability !== undefined) shown["availability"] = availability;
  for (const name of objectNames) {
    const object = shown[name];
    if (typeof object !== "object" || object === null) continue;
    shown[name] = Object.fromEntries(Object.entries(object).filter(([key]) => !priceKeys.has(key)));
  }
  return shown;
}
