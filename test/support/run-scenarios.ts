import fc from "fast-check";
import type { Pipeline, Route } from "../../shared/pipelines/definition.ts";
import type { Platform } from "../../shared/platforms/catalog.ts";
import { type Snapshot, type StepScraperId, stepScrapers } from "../../shared/scrapers/catalog.ts";
import { type FieldType, priceFields } from "../../shared/scrapers/fields.ts";
import { anyPipeline } from "../shared/pipelines/any-pipeline.ts";
import { renamed } from "./renamed-pipeline.ts";
import type { ItemGiven } from "../run-model/details.ts";
import type { CheckLook, ItemLooks, Look, OffersLook, ProductLook } from "../run-model/answers.ts";

/** A watchlist, the scripted answers about its items, and its runs. */
export interface Scenario {
  readonly platform: Platform;
  /** The pipelines that the watchlist can have. The watchlist is created with the first. */
  readonly pipelines: readonly [Pipeline, Pipeline];
  /** The scripted answers, by item ID. */
  readonly items: Readonly<Record<string, ItemLooks>>;
  /** The labels and metadata that a client sets before each run, by item ID. */
  readonly given: Readonly<Record<string, ItemGiven>>;
  readonly runs: readonly RunPlan[];
  readonly batchIdsMax: number;
  /** The number of times that each message is handled. */
  readonly deliveries: number;
  /** The seed for a random order of messages; null to handle them in the order of sending. */
  readonly shuffle: number | null;
  /**
   * A crash in one of the runs; null for none. It does not happen if the run makes fewer port
   * calls.
   */
  readonly crash: {
    readonly run: number;
    readonly call: number;
    readonly when: "before" | "after";
  } | null;
}

export interface RunPlan {
  readonly trigger: "tick" | "manual";
  /** The credits that the run may spend; null for the account's whole balance. */
  readonly credits: number | null;
  /** The index of the pipeline that the watchlist has from this run on. */
  readonly pipeline: 0 | 1;
}

const prices = [10, 10, 10.004, 10.005, 10.01, 9.99, 12, 15, null] as const;
const strings = ["", "new", "IN_STOCK", "A0RETAILERAUS"] as const;
const offerIds = ["offer1", "offer2"] as const;

const fieldValue: Readonly<Record<FieldType, fc.Arbitrary<Snapshot[string]>>> = {
  number: fc.constantFrom(0, 1, 1, 3, 10),
  boolean: fc.boolean(),
  string: fc.constantFrom(...strings),
};

/** Fields whose value may be null. */
const nullable = new Set<string>([
  ...priceFields,
  "seller",
  "byPlatform",
  "offerId",
  "deliveryDate",
]);
/** Fields that describe the featured offer. All are null if no offer is featured. */
const buyboxFields = [
  "availabilityType",
  "merchant",
  "isFba",
  "offerListingId",
  "condition",
] as const;

function anyValue(field: string, type: FieldType): fc.Arbitrary<Snapshot[string]> {
  if (field === "offerListingId") return fc.constantFrom(...offerIds);
  const isPrice = (priceFields as readonly string[]).includes(field);
  const value = isPrice ? fc.constantFrom(...prices) : fieldValue[type];
  return nullable.has(field) && !isPrice
    ? fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) })
    : value;
}

/** Draws the fields of an item. Some fields may be missing, and rarely no offer is featured. */
function anyFields(scraper: StepScraperId): fc.Arbitrary<Snapshot> {
  const { derivedFields, fieldTypes, kind } = stepScrapers[scraper];
  const shown = Object.entries(fieldTypes).filter(([field]) => !derivedFields.includes(field));
  const values = Object.fromEntries(shown.map(([field, type]) => [field, anyValue(field, type)]));
  const fields = fc.record(values, { requiredKeys: [] }) as fc.Arbitrary<Snapshot>;
  if (kind !== "product") return fields;
  const none = Object.fromEntries(buyboxFields.map((field) => [field, fc.constant(null)]));
  const without = fc.record({ ...values, ...none }, { requiredKeys: [...buyboxFields] });
  return fc.oneof(
    { weight: 6, arbitrary: fields },
    { weight: 1, arbitrary: without as fc.Arbitrary<Snapshot> },
  );
}

/** Draws the first value four times as often as all other values together. */
const often = <Value>(value: Value, ...seldom: readonly Value[]): fc.Arbitrary<Value> =>
  fc.oneof(
    { weight: 4 * seldom.length, arbitrary: fc.constant(value) },
    ...seldom.map((other) => ({ weight: 1, arbitrary: fc.constant(other) })),
  );

const anyProductLook = (scraper: StepScraperId): fc.Arbitrary<ProductLook> =>
  fc.record({
    status: often<ProductLook["status"]>("ok", "partial", "unavailable", "not_found"),
    fields: anyFields(scraper),
  });

const anyOffersLook: fc.Arbitrary<OffersLook> = fc
  .record({
    status: often<OffersLook["status"]>("ok", "not_found", "unavailable"),
    unseen: fc.constantFrom(0, 0, 2),
    featured: fc.integer({ min: 0, max: 3 }),
    offers: fc.array(
      fc.record({
        offerListingId: fc.constantFrom(...offerIds),
        price: fc.constantFrom(10, 10.004, 10.01, 12),
        condition: fc.constantFrom("new", "used_good", "refurbished"),
        seller: fc.constantFrom("S1", "S2"),
      }),
      { maxLength: 3 },
    ),
  })
  .map(({ status, unseen, featured, offers }) => ({
    status,
    total: offers.length + unseen,
    offers: offers.map((offer, at) => ({ ...offer, isBuybox: at === featured })),
  }));

const anyCheckLook: fc.Arbitrary<CheckLook> = fc.record({
  status: often<CheckLook["status"]>("ok", "unavailable"),
  buyable: fc.subarray([...offerIds]),
});

function anyLook(scraper: StepScraperId): fc.Arbitrary<Look> {
  if (scraper === "retailer_a.offers") return anyOffersLook;
  return scraper === "retailer_a.offer_check" ? anyCheckLook : anyProductLook(scraper);
}

/** Draws the scripted answers about an item. */
const anyItem = (pipelines: Scenario["pipelines"]): fc.Arbitrary<ItemLooks> =>
  fc.record(
    Object.fromEntries(
      [...new Set(pipelines.flatMap(scrapersOf))].map((scraper) => [
        scraper,
        fc.array(anyLook(scraper), { minLength: 1, maxLength: 4 }),
      ]),
    ),
  );

const scrapersOf = ({ steps }: Pipeline): readonly StepScraperId[] =>
  steps.map(({ scraper }) => scraper);

/** Draws a valid item ID of a platform. */
const anyId = (platform: Platform): fc.Arbitrary<string> =>
  fc
    .integer({ min: 100_000, max: 9_999_999 })
    .map((n) => (platform === "retailer_a" ? `B${String(n).padStart(9, "0")}` : String(n)));

const anyRun: fc.Arbitrary<RunPlan> = fc.record({
  trigger: often<RunPlan["trigger"]>("tick", "manual"),
  credits: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 20 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 100 }) },
  ),
  pipeline: often<RunPlan["pipeline"]>(0, 1),
});

const anyCrash: fc.Arbitrary<Scenario["crash"]> = fc.option(
  fc.record({
    run: fc.integer({ min: 0, max: 5 }),
    call: fc.integer({ min: 1, max: 60 }),
    when: fc.constantFrom("before", "after"),
  }),
);

/**
 * Draws a pipeline and a later version of it, which has other step IDs or is a different pipeline.
 */
const twoPipelines = (platform: Platform): fc.Arbitrary<Scenario["pipelines"]> =>
  fc
    .tuple(livelyPipeline(platform), livelyPipeline(platform), fc.boolean())
    .map(([first, second, isRenamed]) => [first, isRenamed ? renamed(first) : second]);

/**
 * Draws a pipeline in which most items reach the later steps, with a refresh every one to four
 * runs.
 */
const livelyPipeline = (platform: Platform): fc.Arbitrary<Pipeline> =>
  fc
    .tuple(anyPipeline(platform), fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }))
    .map(([pipeline, isOpen]) => livened(pipeline, isOpen));

function livened({ refresh, steps, ...starts }: Pipeline, isOpen: readonly boolean[]): Pipeline {
  return {
    ...starts,
    refresh: refresh && { ...refresh, everyRuns: 1 + (refresh.everyRuns % 4) },
    steps: steps.map(({ routes, ...step }) => {
      const some = routes.map((route, at) => (isOpen[at % 3] === true ? opened(route) : route));
      return { ...step, routes: some };
    }),
  };
}

/** Removes the condition of a route to another step. All answered items then take the route. */
const opened = ({ run, ...route }: Route): Route =>
  run === undefined ? route : { when: "always", run, notify: route.notify === true };

/** Draws a scenario on any platform, with few items and few runs. */
export const anyScenario = (itemsMin = 1): fc.Arbitrary<Scenario> =>
  fc
    .oneof(
      { weight: 3, arbitrary: fc.constant<Platform>("retailer_a") },
      { weight: 1, arbitrary: fc.constantFrom<Platform>("retailer_b", "retailer_c", "retailer_d") },
    )
    .chain((platform) => fc.tuple(fc.constant(platform), twoPipelines(platform)))
    .chain(([platform, pipelines]) =>
      fc.record({
        platform: fc.constant(platform),
        pipelines: fc.constant(pipelines),
        items: fc.dictionary(anyId(platform), anyItem(pipelines), {
          minKeys: itemsMin,
          maxKeys: 12,
        }),
        runs: fc.array(anyRun, { minLength: 2, maxLength: 6 }),
        batchIdsMax: often(1_000, 7, 2, 1),
        deliveries: often(1, 2),
        shuffle: fc.option(fc.nat()),
        crash: anyCrash,
      }),
    )
    .chain((scenario) =>
      fc.record({ scenario: fc.constant(scenario), given: anyGiven(Object.keys(scenario.items)) }),
    )
    .map(({ scenario, given }) => Object.assign({ given }, scenario));

const anyMetadata = fc.record(
  {
    target: fc.constantFrom(10, 10.01, 12, true, "new", "S1"),
    other: fc.constantFrom(1, false, ""),
  },
  { requiredKeys: [] },
);

/** Draws the labels and metadata that a client sets for some of the items before each run. */
const anyGiven = (ids: readonly string[]): fc.Arbitrary<Scenario["given"]> =>
  fc.record(
    Object.fromEntries(
      ids.map((id) => [
        id,
        fc.array(
          fc.record({ label: fc.option(fc.constantFrom("A", "B")), metadata: anyMetadata }),
          { minLength: 1, maxLength: 3 },
        ),
      ]),
    ),
    { requiredKeys: [] },
  ) as fc.Arbitrary<Scenario["given"]>;
