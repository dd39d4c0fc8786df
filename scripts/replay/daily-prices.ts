import { assert } from "../../shared/base/assert.ts";
import type { Scraper } from "../../shared/scrapers/scraper.ts";
import { fieldsOf } from "./watchlists.ts";

/** A simulated source. Its answers contain the prices that the replay has set. */
export interface DailyPrices extends Scraper {
  /** Sets `fetchedAt` of the next answers, ISO 8601. */
  setTime(at: string): void;
  /** Sets the price that later reads of an item return; null if the price is unknown. */
  setPrice(itemId: string, price: number | null): void;
  /** Sets the number by which all prices are multiplied from now on. */
  setFactor(factor: number): void;
}

/** Creates a source without prices. Its reads fail for an item whose price was never set. */
export function dailyPrices(): DailyPrices {
  const prices = new Map<string, number | null>();
  let fetchedAt = "";
  let factor = 1;
  return {
    setTime: (at) => {
      fetchedAt = at;
    },
    setPrice: (itemId, price) => void prices.set(itemId, price),
    setFactor: (times) => {
      factor = times;
    },
    async read({ ids }) {
      return ids.map((id) => {
        const price = prices.get(id);
        assert(price !== undefined, "every item has a price when it is read");
        const answered = price === null ? null : price * factor;
        return { id, status: "ok", fetchedAt, fields: fieldsOf(answered) };
      });
    },
  };
}
