import { presentPipeline } from "../../../shared/pipelines/default.ts";
import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import type { Random } from "../random.ts";

/** A pipeline of three steps in sequence, which read products, read offers and check an offer. */
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

/**
 * A pipeline with two scrapers that report changes of the same fields, in one run or in different
 * runs.
 */
export const twiceSeenPipeline: Pipeline = {
  entry: "scan",
  baseline: "lite",
  refresh: { everyRuns: 2, entry: "lite" },
  steps: [
    {
      id: "scan",
      scraper: "retailer_a.pulse",
      routes: [
        { when: "changed", field: "newMinPrice", notify: true },
        { when: "changed", field: "newCount", run: "lite" },
      ],
    },
    {
      id: "lite",
      scraper: "retailer_a.lite",
      routes: [
        { when: "changed", field: "newMinPrice", op: "decreased", notify: true },
        { when: "changed", field: "price", op: "decreased", notify: true },
        { when: "changed", field: "newCount", notify: true },
      ],
    },
  ],
};

/**
 * A pipeline whose routes have keys that limit their notifications, such as `cooldown`. In the step
 * `lite`, each route with `notify` has another field or another `when`, by which checks recognize
 * the route in an event. `scan` often stores new states of an item that it sends to `lite`.
 */
export const limitedPipeline: Pipeline = {
  entry: "scan",
  baseline: "lite",
  refresh: { everyRuns: 3, entry: "lite" },
  steps: [
    {
      id: "scan",
      scraper: "retailer_a.pulse",
      routes: [
        {
          when: "changed",
          field: "newMinPrice",
          min_delta_percent: 12,
          where: [{ field: "newCount", op: "above", value: 1 }],
          run: "lite",
        },
        // Never matches together with the route above, so neither hides an error of the other one.
        { when: "ok", field: "newCount", op: "below", value: 2, once: true, run: "lite" },
        { when: "ok", field: "newCount", op: "above", value: 1, cooldown: "5m", notify: true },
      ],
    },
    {
      id: "lite",
      scraper: "retailer_a.lite",
      routes: [
        { when: "changed", field: "price", min_delta: 2, notify: true },
        { when: "changed", field: "isFba", cooldown: "5m", notify: true },
        { when: "changed", field: "newMinPrice", op: "decreased", confirm: 2, notify: true },
        { when: "ok", field: "price", op: "below", value: 10, once: true, notify: true },
        { when: "failed", cooldown: "10m", notify: true },
        {
          when: "always",
          where: [{ field: "price", op: "below", value: { field: "previousPrice" } }],
          notify: true,
        },
      ],
    },
  ],
};

/** A body of `POST /v1/watchlists`, with more IDs that the user may add later. */
export interface WatchlistRequest {
  readonly name: string;
  readonly platform: "retailer_a" | "retailer_d";
  readonly ids: readonly string[];
  readonly every?: string;
  readonly cron?: string;
  readonly timezone?: string;
  readonly refresh_every_runs?: number;
  readonly pipeline?: unknown;
  readonly max_credits_per_run?: number;
  readonly daily_credit_budget?: number;
  readonly brake?: {
    readonly max_changed_percent: number;
    readonly min_items: number;
  } | null;
  readonly others: readonly string[];
}

type Settings = Pick<WatchlistRequest, "platform" | "refresh_every_runs" | "pipeline">;

const kinds: readonly Settings[] = [
  { platform: "retailer_a", refresh_every_runs: 3 },
  { platform: "retailer_d" },
  { platform: "retailer_a", pipeline: presentPipeline(offersPipeline) },
  { platform: "retailer_a", pipeline: presentPipeline(twiceSeenPipeline) },
  { platform: "retailer_a", pipeline: presentPipeline(limitedPipeline) },
];
const everyFiveMinutes = { every: "5m" } as const;
const schedules = [
  everyFiveMinutes,
  everyFiveMinutes,
  { cron: "*/5 * * * *" },
  { cron: "0,10,20,30,40,50 * * * *", timezone: "Europe/Berlin" },
] as const;

/**
 * Numbers of items. Watchlists of these sizes have up to two pages, and steps up to two batches.
 */
const usualSizes = [1, 1, 1, 2, 2, 3, 5] as const;
const itemsMax = Math.max(...usualSizes);

/** Draws a watchlist that is due every five minutes from its creation on. */
export const oftenDueRequest = (random: Random, name: string): WatchlistRequest =>
  listRequest(random, { name, ...everyFiveMinutes });

/** Draws a watchlist with any of the schedules. */
export const anyListRequest = (random: Random, name: string): WatchlistRequest =>
  listRequest(random, { name, ...random.pick(schedules) });

/**
 * Custom pipelines that have several steps. `limitedPipeline`, whose routes have states, occurs
 * twice, because few reads of an item lead to a state in which an error shows.
 */
export const ownPipelines = [
  offersPipeline,
  twiceSeenPipeline,
  limitedPipeline,
  limitedPipeline,
] as const;

/** Draws a watchlist of several items that has a given custom pipeline. */
export const ownPipelineRequest = (
  random: Random,
  name: string,
  pipeline: Pipeline,
): WatchlistRequest =>
  listRequest(
    random,
    { name, ...everyFiveMinutes },
    {
      among: [{ platform: "retailer_a", pipeline: presentPipeline(pipeline) }],
      sizes: [3, 4, 5],
    },
  );

/**
 * Draws a watchlist whose source sometimes returns items without a usual field. The watchlist has
 * too few items for its brake, which can therefore hold a run only for the shape of its answers.
 */
export const shapeRequest = (random: Random, name: string): WatchlistRequest => ({
  ...listRequest(
    random,
    { name, ...everyFiveMinutes },
    { among: [{ platform: "retailer_d" }], sizes: [2, 3, 5] },
  ),
  brake: { max_changed_percent: 90, min_items: 20 },
});

/** Draws credit limits. Most watchlists have none. */
function creditLimits(
  random: Random,
): Pick<WatchlistRequest, "max_credits_per_run" | "daily_credit_budget"> {
  return {
    ...(random.isHit(0.15) && { max_credits_per_run: random.between(1, 12) }),
    ...(random.isHit(0.15) && { daily_credit_budget: random.between(1, 30) }),
  };
}

/**
 * Draws a brake. Most watchlists have no brake, or the default brake. Because the watchlists have
 * too few items, the default brake holds a run only if the answers have another shape. The other
 * brakes also hold runs of small watchlists.
 */
function brake(random: Random): Pick<WatchlistRequest, "brake"> {
  if (!random.isHit(0.25)) return random.isHit(0.7) ? { brake: null } : {};
  return {
    brake: { max_changed_percent: random.pick([1, 30, 60]), min_items: random.pick([1, 1, 2]) },
  };
}

/** The possible settings and numbers of items. A watchlist has one of each. */
interface Choices {
  readonly among?: readonly Settings[];
  readonly sizes?: readonly number[];
}

function listRequest(
  random: Random,
  head: Pick<WatchlistRequest, "name" | "every" | "cron" | "timezone">,
  { among = kinds, sizes = usualSizes }: Choices = {},
): WatchlistRequest {
  const settings = random.pick(among);
  const numbers = Array.from({ length: itemsMax + 4 }, (_, n) => String(n + 1).padStart(8, "0"));
  const all = numbers.map((number) =>
    settings.platform === "retailer_a" ? `B0${number}` : number,
  );
  const shuffled = all
    .map((id) => ({ id, place: random.fraction() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ id }) => id);
  const size = random.pick(sizes);
  return {
    ...head,
    ...settings,
    ...creditLimits(random),
    ...brake(random),
    ids: shuffled.slice(0, size),
    others: shuffled.slice(size),
  };
}
