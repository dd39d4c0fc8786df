import type { FieldValue } from "../scrapers/catalog.ts";
import type { DerivedPriceField } from "../scrapers/fields.ts";
import { areEqual } from "./compare.ts";

/** Entries of a trace, ascending by UTC day. The first number of an entry is its day since 1970. */
type Entries = readonly (readonly number[])[];

/**
 * The data about the earlier prices of one item from which a derived field is calculated. A trace
 * changes only with the price, and has at most one entry for each UTC day of the field's window.
 */
export interface PriceTrace {
  /** UTC day of the first price, in days since 1970. */
  readonly since: number;
  /** For `previousPrice`: the last price that differed from the current price. */
  readonly previous?: number;
  /**
   * For `previousPrice`: the last price before the price became null; absent while the price is not
   * null.
   */
  readonly last?: number;
  /** For `average30d`: the time of the last change of the price, in milliseconds since 1970. */
  readonly at?: number;
  /**
   * One entry for each UTC day: the day in days since 1970, then values that depend on the derived
   * field.
   */
  readonly days?: Entries;
}

/** A read of the price. */
export interface PriceRead {
  /** Last known price; undefined if this is the first price of the item. */
  readonly was: FieldValue | undefined;
  /** Price of this read. If it differs from `was` by at most half a cent, it equals `was`. */
  readonly is: FieldValue;
  /** Time of the read, in milliseconds since 1970. */
  readonly at: number;
}

const dayMs = 86_400_000;

const dayOf = (at: number): number => Math.floor(at / dayMs);

interface DerivedPrice {
  /**
   * Number of days before the day of the read that the field covers; null for a field without a
   * window.
   */
  readonly window: number | null;
  /** Returns the trace after the read of the first price, without the member `since`. */
  readonly start: (read: PriceRead) => Omit<PriceTrace, "since">;
  /** Returns the trace after a read that changed the price. */
  readonly changed: (trace: PriceTrace, read: PriceRead) => PriceTrace;
  /**
   * Returns the field's value at a read, from the trace before the read; undefined if no price was
   * known before.
   */
  readonly value: (trace: PriceTrace, read: PriceRead) => number | undefined;
}

const derivedPrices: Readonly<Record<DerivedPriceField, DerivedPrice>> = {
  previousPrice: { window: null, start: () => ({}), changed: withPrevious, value: previousAt },
  lowest30d: lowestOf(30),
  lowest90d: lowestOf(90),
  average30d: averageOf(30),
  changedCount7d: countOf(7),
};

/**
 * Returns the first trace of an item's prices, from which a derived field such as a 30-day minimum
 * is calculated.
 * @param read the item's first read with a price
 */
export const startTrace = (field: DerivedPriceField, read: PriceRead): PriceTrace => ({
  since: dayOf(read.at),
  ...derivedPrices[field].start(read),
});

/**
 * Returns the trace of an item's prices after a read. Returns `trace` itself if the price did not
 * change.
 */
export const traceAfter = (
  field: DerivedPriceField,
  trace: PriceTrace,
  read: PriceRead,
): PriceTrace => (read.is === read.was ? trace : derivedPrices[field].changed(trace, read));

/**
 * Returns the value of a derived price field at a read. Returns undefined if the prices in the
 * trace do not go back to the first day of the field's time span (such as 30 days), or if no price
 * was known in this span.
 * @param trace the trace before the read
 */
export function derivedPrice(
  field: DerivedPriceField,
  trace: PriceTrace,
  read: PriceRead,
): number | undefined {
  const { window, value } = derivedPrices[field];
  const isOldEnough = window === null || trace.since <= dayOf(read.at) - window;
  return isOldEnough ? value(trace, read) : undefined;
}

/** Returns the trace of `previousPrice` after a read that changed the price. */
function withPrevious({ since, previous, last }: PriceTrace, { was, is }: PriceRead): PriceTrace {
  const before = typeof was === "number" ? was : last;
  if (before === undefined) return { since };
  const earlier = previous === undefined ? { since } : { since, previous };
  if (is === null) return { ...earlier, last: before };
  return areEqual("price", before, is) ? earlier : { since, previous: before };
}

/** Returns the last price that differs from the price of the read; undefined if unknown. */
function previousAt(trace: PriceTrace, read: PriceRead): number | undefined {
  const { previous, last } = traceAfter("previousPrice", trace, read);
  return last ?? previous;
}

/**
 * Creates the calculation of the lowest price of the last `window` days. Each entry of its trace
 * has a price and the last day on which the price applied. Later entries have higher prices.
 */
function lowestOf(window: number): DerivedPrice {
  return {
    window,
    start: () => ({}),
    changed({ since, days = [] }, { was, is, at }) {
      const held = typeof was === "number" ? withLowest(days, [dayOf(at), was]) : days;
      const first = dayOf(at) - window;
      // Drops prices that are not below the current price. None of them can become the lowest,
      // because the current price stays in the window longer.
      const isBelow = (price: number): boolean => typeof is !== "number" || price < is;
      const left = held.filter(([day = 0, price = 0]) => day >= first && isBelow(price));
      return { since, ...(left.length > 0 && { days: left }) };
    },
    value({ days = [] }, { was, at }) {
      const first = dayOf(at) - window;
      const held = days.filter(([day = 0]) => day >= first).map(([, price = 0]) => price);
      const prices = typeof was === "number" ? [...held, was] : held;
      return prices.length === 0 ? undefined : Math.min(...prices);
    },
  };
}

/**
 * Adds a price that applied until `day`. Drops the entries that are not lower, because they leave
 * the window earlier and so cannot become the lowest price.
 */
function withLowest(days: Entries, [day, price]: readonly [number, number]): Entries {
  const lower = days.filter(([, earlier = 0]) => earlier < price);
  return lower.at(-1)?.[0] === day ? lower : [...lower, [day, price]];
}

/**
 * Creates the calculation of the average price of `window` days, weighted by time. Each entry of
 * its trace has the day, the milliseconds of the day with a price, and the sum of each price times
 * its milliseconds.
 */
function averageOf(window: number): DerivedPrice {
  const closed = ({ at: from = 0, days = [] }: PriceTrace, { was, at }: PriceRead): Entries => {
    const first = dayOf(at) - window;
    const keptDays = days.filter(([day = 0]) => day >= first);
    if (typeof was !== "number") return keptDays;
    return dailyParts(Math.max(from, first * dayMs), at).reduce<Entries>(
      (sums, part) => withPart(sums, { ...part, price: was }),
      keptDays,
    );
  };
  return {
    window,
    start: ({ at }) => ({ at }),
    changed: (trace, read) => ({
      since: trace.since,
      at: Math.max(trace.at ?? 0, read.at),
      days: closed(trace, read),
    }),
    value(trace, read) {
      const days = closed(trace, read);
      const time = days.reduce((total, [, ms = 0]) => total + ms, 0);
      const sum = days.reduce((total, [, , weighted = 0]) => total + weighted, 0);
      // The average is rounded. Otherwise, the average of a price that never changed could differ
      // from the price.
      return time === 0 ? undefined : Math.round((sum / time) * 10_000) / 10_000;
    },
  };
}

interface DailyPart {
  /** The UTC day, in days since 1970. */
  readonly day: number;
  /** Duration of the part, in milliseconds. */
  readonly ms: number;
}

/** Splits the time from `from` to `to` (milliseconds since 1970) at the starts of UTC days. */
function dailyParts(from: number, to: number): readonly DailyPart[] {
  const parts: DailyPart[] = [];
  for (let at = from; at < to; at = (dayOf(at) + 1) * dayMs) {
    const end = Math.min(to, (dayOf(at) + 1) * dayMs);
    parts.push({ day: dayOf(at), ms: end - at });
  }
  return parts;
}

/** Adds the time during which a price applied on a day to the entry of that day. */
function withPart(
  days: Entries,
  { day, ms, price }: DailyPart & { readonly price: number },
): Entries {
  const last = days.at(-1);
  const [lastDay, lastMs = 0, lastSum = 0] = last ?? [];
  const weighted = Math.round(price * ms);
  return lastDay === day
    ? [...days.slice(0, -1), [day, lastMs + ms, lastSum + weighted]]
    : [...days, [day, ms, weighted]];
}

/**
 * Creates the calculation of the number of price changes in `window` days. Each entry of its trace
 * has the day and the number of changes on that day.
 */
function countOf(window: number): DerivedPrice {
  const counted = ({ days = [] }: PriceTrace, { was, is, at }: PriceRead): Entries => {
    const today = dayOf(at);
    const keptDays = days.filter(([day = 0]) => day >= today - window);
    if (is === was) return keptDays;
    const [lastDay, count = 0] = keptDays.at(-1) ?? [];
    return lastDay === today
      ? [...keptDays.slice(0, -1), [today, count + 1]]
      : [...keptDays, [today, 1]];
  };
  return {
    window,
    start: () => ({}),
    changed: (trace, read) => ({ since: trace.since, days: counted(trace, read) }),
    value: (trace, read) => counted(trace, read).reduce((total, [, count = 0]) => total + count, 0),
  };
}
