/**
 * Reference model of the fields that are derived from earlier prices, by
 * docs/watchlists-and-pipelines.md, section "Derived fields". Stores every price; the service
 * stores only a summary for each day.
 */
import type { Snapshot } from "../../shared/scrapers/catalog.ts";
import { isSame, type KnownPrice } from "./fields.ts";

export const derivedPriceNames = [
  "previousPrice",
  "lowest30d",
  "lowest90d",
  "average30d",
  "changedCount7d",
] as const;

const dayMs = 86_400_000;
const startOfDay = (at: number): number => at - (at % dayMs);

/** A time span in which an item had a price. Times are in milliseconds since 1970. */
interface Held {
  readonly from: number;
  readonly to: number;
  readonly price: number;
}

/**
 * Returns the derived fields at a read. Omits fields that need more earlier prices than there are.
 * @param known the prices of earlier reads, oldest first
 */
export function derivedPrices(known: readonly KnownPrice[], read: KnownPrice): Snapshot {
  const [first] = known;
  if (first === undefined) return {};
  const values: Record<string, number | undefined> = { previousPrice: previousPrice(known, read) };
  const since = (days: number): number | null => {
    const start = startOfDay(read.at) - days * dayMs;
    return startOfDay(first.at) <= start ? start : null;
  };
  for (const [name, days] of [
    ["lowest30d", 30],
    ["lowest90d", 90],
  ] as const) {
    const start = since(days);
    if (start !== null) values[name] = lowest(heldSince(known, read, start));
  }
  const month = since(30);
  if (month !== null) values["average30d"] = average(heldSince(known, read, month));
  const week = since(7);
  if (week !== null) values["changedCount7d"] = changesSince([...known, read], week);
  const observed = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(observed) as Snapshot;
}

function previousPrice(known: readonly KnownPrice[], read: KnownPrice): number | undefined {
  let current: number | undefined;
  let previous: number | undefined;
  for (const { price } of [...known, read]) {
    if (typeof price !== "number") continue;
    if (current !== undefined && !isSame("price", current, price)) previous = current;
    current = price;
  }
  return read.price === null ? current : previous;
}

function heldSince(known: readonly KnownPrice[], read: KnownPrice, start: number): readonly Held[] {
  return known.flatMap(({ at, price }, n) => {
    const to = known[n + 1]?.at ?? read.at;
    const from = Math.max(at, start);
    return typeof price === "number" && to >= start ? [{ from, to, price }] : [];
  });
}

const lowest = (held: readonly Held[]): number | undefined =>
  held.length === 0 ? undefined : Math.min(...held.map(({ price }) => price));

function average(held: readonly Held[]): number | undefined {
  let [time, sum] = [0, 0];
  for (const { from, to, price } of held) {
    time += to - from;
    sum += price * (to - from);
  }
  return time === 0 ? undefined : Math.round((sum / time) * 10_000) / 10_000;
}

const changesSince = (reads: readonly KnownPrice[], start: number): number =>
  reads.filter(({ at, price }, n) => n > 0 && at >= start && price !== reads[n - 1]?.price).length;
