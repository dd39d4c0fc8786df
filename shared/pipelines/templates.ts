import type { Platform } from "../platforms/catalog.ts";
import type { StepScraperId } from "../scrapers/catalog.ts";
import { defaultPipeline, defaultRefreshEveryRuns, scanStep } from "./default.ts";
import type { Pipeline, Route, Step } from "./definition.ts";

/** A complete pipeline that clients can send unchanged or adapt. */
export interface Template {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly pipeline: Pipeline;
}

/** Returns the template pipelines of a platform. The first template is the platform's default. */
export const templates = (platform: Platform): readonly Template[] =>
  platform === "retailer_a" ? retailerATemplates : oneTierTemplates(platform);

const priceDrop: Route = { when: "changed", field: "price", op: "decreased", notify: true };
const backInStock: Route = {
  when: "changed",
  field: "inStock",
  op: "is",
  value: true,
  notify: true,
};
const anyChange: Route = { when: "changed", notify: true };
const everyReading: Route = { when: "ok", notify: true };

type OneTier = Exclude<Platform, "retailer_a">;

/**
 * For each platform with a single tier, the template that uses a field that no other platform has.
 */
const special: Readonly<Record<OneTier, Omit<Template, "pipeline"> & { readonly route: Route }>> = {
  retailer_b: {
    id: "clearance",
    name: "On clearance",
    description: "Reports an item when it goes on clearance.",
    route: { when: "changed", field: "clearance", op: "is", value: true, notify: true },
  },
  retailer_c: {
    id: "pickup_available",
    name: "Ready for pickup",
    description: "Reports an item when stores have it in stock for pickup.",
    route: { when: "changed", field: "pickup", op: "is", value: "IN_STOCK", notify: true },
  },
  retailer_d: {
    id: "purchasable",
    name: "Can be bought",
    description: "Reports an item when it can be bought, pre-orders included.",
    route: { when: "changed", field: "purchasable", op: "is", value: true, notify: true },
  },
};

function oneTierTemplates(platform: OneTier): readonly Template[] {
  const { route, ...own } = special[platform];
  const pipeline = (routes: readonly Route[]): Pipeline =>
    straight([{ id: "check", scraper: `${platform}.standard`, routes }]);
  return [
    {
      id: "default",
      name: "Every change",
      description: "Reads every item and reports every changed tracked field.",
      pipeline: defaultPipeline(platform, defaultRefreshEveryRuns),
    },
    {
      id: "price_drops",
      name: "Price drops",
      description: "Reads every item and reports it when its price fell.",
      pipeline: pipeline([priceDrop]),
    },
    {
      id: "back_in_stock",
      name: "Back in stock",
      description: "Reads every item and reports it when it is in stock again.",
      pipeline: pipeline([backInStock]),
    },
    { ...own, pipeline: pipeline([route]) },
    {
      id: "every_reading",
      name: "Every reading",
      description: "Sends the fields of every item on every run.",
      pipeline: pipeline([everyReading]),
    },
  ];
}

/** Returns a pipeline in which all items start at the first step. */
const straight = (steps: readonly [Step, ...Step[]]): Pipeline => ({
  entry: steps[0].id,
  baseline: null,
  refresh: null,
  steps,
});

/**
 * Returns a pipeline that reads all items at pulse and routes items that may have changed to lite.
 * @param routes the routes of the lite step
 */
const scanPipeline = (routes: readonly Route[], further: readonly Step[] = []): Pipeline => ({
  entry: "pulse",
  baseline: "lite",
  refresh: { everyRuns: defaultRefreshEveryRuns, entry: "lite" },
  steps: [scanStep, { id: "lite", scraper: "retailer_a.lite", routes }, ...further],
});

const oneStep = (id: string, scraper: StepScraperId): Pipeline =>
  straight([{ id, scraper, routes: [anyChange] }]);

const retailerATemplates: readonly Template[] = [
  {
    id: "default",
    name: "Scan, then look closer",
    description:
      "Scans every item at pulse, reads possibly changed items at lite, and reports changes. New " +
      "items are read at full once.",
    pipeline: defaultPipeline("retailer_a", defaultRefreshEveryRuns),
  },
  {
    id: "price_drops",
    name: "Price drops",
    description: "Scans at pulse and reports an item when lite finds that its price fell.",
    pipeline: scanPipeline([priceDrop]),
  },
  {
    id: "back_in_stock",
    name: "Back in stock",
    description: "Scans at pulse and reports an item when lite finds that it is in stock again.",
    pipeline: scanPipeline([backInStock]),
  },
  {
    id: "buybox_watch",
    name: "Buy-box watch",
    description:
      "Reports an item when another seller holds the buy box, and sends what its offers look like " +
      "then.",
    pipeline: scanPipeline(
      [{ when: "changed", field: "merchant", run: "offers", notify: true }],
      [{ id: "offers", scraper: "retailer_a.offers", routes: [everyReading] }],
    ),
  },
  {
    id: "buyable_watch",
    name: "Still buyable",
    description:
      "Checks the offer in every item's buy box on every run and reports when it can no longer be " +
      "bought, or can again.",
    pipeline: straight([
      { id: "lite", scraper: "retailer_a.lite", routes: [{ when: "ok", run: "check" }] },
      { id: "check", scraper: "retailer_a.offer_check", routes: [anyChange] },
    ]),
  },
  {
    id: "new_offers",
    name: "Cheap scan",
    description:
      "Reports a changed number of new offers or lowest new price, with pulse reads only.",
    pipeline: oneStep("pulse", "retailer_a.pulse"),
  },
  {
    id: "every_change",
    name: "Every change",
    description: "Reads every item at lite on every run and reports every changed tracked field.",
    pipeline: oneStep("lite", "retailer_a.lite"),
  },
  {
    id: "full_daily",
    name: "Everything, now and then",
    description: "Reads every item at full on every run; meant for watchlists that run once a day.",
    pipeline: oneStep("full", "retailer_a.full"),
  },
];
