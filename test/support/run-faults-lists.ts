import type { Pipeline } from "../../shared/pipelines/definition.ts";
import { compareIds } from "../../shared/watchlists/page.ts";
import type { Watchlist } from "../../shared/watchlists/watchlist.ts";
import type { Random } from "./faulty-random.ts";

/** Three steps one after the other, offers and an offer check among them. */
export const offersPipeline: Pipeline = {
  entry: "look",
  baseline: null,
  refresh: null,
  steps: [
    {
      id: "look",
      scraper: "retailer_a.lite",
      routes: [
        { when: "changed", notify: true, run: "offers" },
        { when: "new", run: "offers" },
        { when: "failed", notify: true },
        { when: "ok", field: "inStock", op: "is", value: true, run: "check" },
      ],
    },
    {
      id: "offers",
      scraper: "retailer_a.offers",
      routes: [
        { when: "changed", field: "lowestPrice", op: "decreased", notify: true },
        { when: "ok", field: "offerCount", op: "above", value: 1, run: "check", notify: true },
      ],
    },
    {
      id: "check",
      scraper: "retailer_a.offer_check",
      routes: [
        { when: "ok", field: "buyable", op: "is", value: false, notify: true },
        { when: "changed", notify: true },
      ],
    },
  ],
};

export interface FaultyList {
  readonly settings: Partial<Watchlist>;
  /** The list's at first, ascending. */
  readonly ids: readonly string[];
  /** Others that users may add. */
  readonly others: readonly string[];
}

const kinds: readonly Partial<Watchlist>[] = [
  { platform: "retailer_a", refreshEveryRuns: 3 },
  { platform: "retailer_d" },
  { platform: "retailer_a", pipeline: offersPipeline },
];

export function anyList(random: Random, itemsMax: number): FaultyList {
  const settings = random.pick(kinds);
  const numbers = Array.from({ length: itemsMax + 4 }, (_, n) => String(n + 1).padStart(8, "0"));
  const all = numbers.map((number) =>
    settings.platform === "retailer_a" ? `B0${number}` : number,
  );
  const shuffled = all
    .map((id) => ({ id, place: random.fraction() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ id }) => id);
  const size = random.between(3, itemsMax);
  return {
    settings,
    ids: shuffled.slice(0, size).sort(compareIds),
    others: shuffled.slice(size),
  };
}
