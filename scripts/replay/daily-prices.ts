import { assert } from "../../shared/base/assert.ts";
import type { Scraper } from "../../shared/scrapers/scraper.ts";
import { fieldsOf } from "./watchlists.ts";

/** A simulated source. Its answers contain the prices that the replay has set. */
export interface DailyPrices extends Scraper {
  /** Sets `fetchedAt` of the next answers, ISO 8601. */
  setTime(at: string): void;
  /** Sets the price that later reads of an item return; null if the price is unknown. */
  setPrice(itemId: string, price: number | null): void;
  /**
   * Sets a factor that multiplies the prices of later reads.
   * @param everyNth Multiplies only one price in this many items, in the order of their first
   * prices.
   * @default 1, which multiplies all prices
   */
  setFactor(factor: number, everyNth?: number): void;
}

/**
 * Creates a simulated source that has no prices yet. Its reads throw an Error for an item whose
 * price was never set. An item whose price was set to null is read without a price.
 */
export function dailyPrices(): DailyPrices {
  const prices = new Map<string, number | null>();
  let fetchedAt = "";
  const places = new Map<string, number>();
  let factor = 1;
  let every = 1;
  return {
    setTime: (at) => {
      fetchedAt = at;
    },
    setPrice(itemId, price) {
      prices.set(itemId, price);
      if (!places.has(itemId)) places.set(itemId, places.size);
    },
    setFactor(times, everyNth = 1) {
      factor = times;
      every = everyNth;
    },
    async read({ ids }) {
      return ids.map((id) => {
        const price = prices.get(id);
        assert(price !== undefined, "every item must have a price before it is read");
        const isMultiplied = (places.get(id) ?? 0) % every === 0;
        const answered = price !== null && isMultiplied ? price * factor : price;
        return { id, status: "ok", fetchedAt, fields: fieldsOf(answered) };
      });
    },
  };
}
