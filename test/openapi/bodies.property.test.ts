import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { bodyFieldRefusal } from "../../functions/http/body-fields.ts";
import document from "../../functions/meta/generated/openapi.json" with { type: "json" };
import type { RouteKey } from "../../functions/routes.ts";
import { isServiceError } from "../../shared/base/errors.ts";
import { offerCheckRequest } from "../../shared/items/offer-check-request.ts";
import { offersRequest } from "../../shared/items/offers-request.ts";
import { productsRequest } from "../../shared/items/request.ts";
import { parsePipeline } from "../../shared/pipelines/parse.ts";
import { ops, whens } from "../../shared/pipelines/definition.ts";
import { stepScraperIds } from "../../shared/scrapers/catalog.ts";
import { estimateRequest } from "../../shared/watchlists/estimate.ts";
import { parseIdempotencyKey } from "../../shared/watchlists/idempotency.ts";
import { newWatchlist } from "../../shared/watchlists/request.ts";
import { watchlistPatch } from "../../shared/watchlists/update-request.ts";
import exceptions from "../contract/exceptions.json" with { type: "json" };

const ajv = new Ajv2020({ strict: false, validateSchema: false });
addFormats.default(ajv);
ajv.addSchema(document, "openapi");

/**
 * Returns a function that returns true if a body is valid for an operation by the OpenAPI document.
 */
function allowance(method: string, path: string): (body: unknown) => boolean {
  const at = `/paths/${path.replaceAll("/", "~1")}/${method}`;
  return ajv.compile({ $ref: `openapi#${at}/requestBody/content/application~1json/schema` });
}

/**
 * Returns the name of the invalid parameter; undefined for a body that the service accepts.
 * @param key the operation, or undefined for a part of a body
 */
function faultOf(
  { key, schema }: { readonly key?: RouteKey; readonly schema: v.GenericSchema },
  body: unknown,
): string | undefined {
  try {
    const refusal = key && bodyFieldRefusal({ key, schema }, body);
    if (refusal !== undefined) throw refusal;
    const { success, issues } = v.safeParse(schema, body, { abortEarly: true });
    if (success) return undefined;
    return (v.getDotPath(issues[0]) ?? "body").replaceAll(/\.(\d+)(?=\.|$)/g, "[$1]");
  } catch (error) {
    if (isServiceError(error)) return error.details.param ?? error.code;
    throw error;
  }
}

const isExcused = (param: string, operation: string): boolean =>
  exceptions.allowed_and_refused.some(
    ({ param: pattern, operations = [operation] }: { param: string; operations?: string[] }) =>
      new RegExp(pattern).test(param) && operations.includes(operation),
  );

/** Returns the object as JSON contains it, without undefined fields. */
const defined = (fields: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(fields)) as Record<string, unknown>;

/** A field with its new value; undefined removes the field. */
type Change = readonly [field: string, value: unknown];

/** Draws a body from `bases` and applies up to three changes to it. */
function changed(
  bases: readonly object[],
  values: Readonly<Record<string, readonly unknown[]>>,
): fc.Arbitrary<Record<string, unknown>> {
  const changes: readonly Change[] = Object.entries(values).flatMap(([field, choices]) =>
    [...choices, undefined].map((value) => [field, value] as const),
  );
  return fc
    .tuple(
      fc.constantFrom(...bases),
      fc.array(fc.constantFrom(...changes), { maxLength: 3, size: "max" }),
    )
    .map(([base, made]) => defined(Object.assign({}, base, Object.fromEntries(made))));
}

const manyIds = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `B${String(n).padStart(9, "0")}`);

const platformNames = ["retailer_a", "retailer_b", "retailer_c", "retailer_d", "retailer_z", 5];
const idLists = [["B0SANDBOX0"], ["9000001"], ["900000000012"], ["A-9000001"], ["12345"]];
const wrongLists = [[], ["x"], [5], "9000001", null];
const shop = { platform: platformNames, marketplace: ["us", "zz", null], unknown_one: [1] };
const offerReference = { asin: "B0SANDBOX0", offerListingId: "offer" };
const names = ["L", "", "  ", "x".repeat(101), "\u{1F600}".repeat(100), "a\u0007b", 5];

const route = changed(
  [
    { when: "changed", notify: true },
    { when: "changed", field: "price", op: "decreased", notify: true },
    { when: "ok", field: "inStock", op: "is", value: true, notify: true },
    { when: "ok", field: "state", op: "is_not", value: "text", notify: true },
    { when: "new", run: "second" },
    { when: "changed", field: "price", min_delta: 5, notify: true },
    { when: "ok", where: [{ field: "inStock", op: "is", value: true }], once: true, notify: true },
  ],
  {
    when: [...whens, "sometimes"],
    field: ["price", "inStock", "newCount", "state", "buyboxAboveLowest", "nothing"],
    op: [...ops, "equals"],
    value: [5, 0, true, "text", 1e-12, null],
    run: ["second", "-"],
    notify: [true, false, "yes"],
    where: [
      [{ field: "inStock", op: "is", value: true }],
      [{ field: "newCount", op: "below", value: 2 }],
      [{ field: "buyboxAboveLowest", op: "is_not", value: true }],
      [{ field: "price", op: "decreased", value: 2 }],
      [{ field: "price", op: "above", value: "2" }],
      [],
      5,
    ],
    min_delta: [5, 0, 1e-12],
    min_delta_percent: [0.5, -1, "5"],
    confirm: [2, 10, 1, 11, 2.5],
    once: [true, false, 1],
    cooldown: ["5m", "43200m", "30d", "4m", "43201m", "31d", "721h", " 6h", "6", 5],
    extra: [1],
  },
);
const step = (id: string) =>
  fc
    .tuple(
      fc.constantFrom(...stepScraperIds, "retailer_z.standard"),
      fc.option(fc.constantFrom("all", "none"), { freq: 4, nil: undefined }),
      fc.oneof({ weight: 5, arbitrary: fc.array(route, { maxLength: 2 }) }, fc.constant(5)),
    )
    .map(([scraper, condition, routes]) => defined({ id, scraper, routes, condition }));
const pipeline = fc
  .tuple(
    fc.oneof(fc.tuple(step("first")), fc.tuple(step("first"), step("second"))),
    changed([{}], {
      steps: [[]],
      entry: ["first", "", null],
      baseline: ["first", null, 5],
      refresh: [null, { every_runs: 3, entry: "first" }, { every_runs: 0, entry: "first" }],
      extra: [1],
    }),
  )
  .map(([steps, rest]) => Object.assign({ steps }, rest));
const withPipeline = (body: fc.Arbitrary<object>) =>
  fc
    .tuple(body, fc.option(pipeline, { nil: undefined }))
    .map(([rest, own]) => defined(Object.assign({ pipeline: own }, rest)));

const watchlistFields = {
  name: names,
  refresh_every_runs: [0, 1_000, 1_001, 1.5],
  max_credits_per_run: [1, null, 0, 1.5, "5"],
  daily_credit_budget: [1, null, 0, -1],
  webhook_url: [null, "https://receiver.example.com/hooks", 5],
  webhook_endpoint_id: [null, "we_00000000000000000000abcd", "we_1"],
};

const bodies: readonly {
  readonly operation: string;
  readonly key: RouteKey;
  readonly schema: v.GenericSchema;
  readonly body: fc.Arbitrary<unknown>;
}[] = [
  {
    operation: "readProducts",
    key: "POST /v1/products",
    schema: productsRequest,
    body: changed(
      [
        { tier: "lite", ids: ["B0SANDBOX0"] },
        { platform: "retailer_a", tier: "pulse", asins: ["B0SANDBOX0"] },
        { platform: "retailer_b", ids: ["900000000012"] },
        { platform: "retailer_c", tier: "standard", ids: ["A-9000001"] },
        { platform: "retailer_d", ids: ["9000001"] },
      ],
      {
        ...shop,
        tier: ["pulse", "lite", "full", "standard", "gold"],
        ids: [...idLists, ...wrongLists, manyIds(2_001), manyIds(10_001)],
        asins: [["B0SANDBOX0"], [], manyIds(10_000)],
        include: [["offers"], "offers"],
        max_credits: [0, 5, -1, 1.5, "5", null],
      },
    ),
  },
  {
    operation: "readOffers",
    key: "POST /v1/offers",
    schema: offersRequest,
    body: changed([{ ids: ["B0SANDBOX0"] }, { asins: ["B0SANDBOX0"] }], {
      platform: ["retailer_a", "retailer_z"],
      marketplace: ["us", "zz"],
      condition: ["all", "new", "used", "mint"],
      ids: [...wrongLists, manyIds(100), manyIds(101)],
      asins: [["B0SANDBOX0"], []],
      max_credits: [0, -1, 1.5],
    }),
  },
  {
    operation: "checkOffers",
    key: "POST /v1/offers/check",
    schema: offerCheckRequest,
    body: changed([{ offers: [offerReference] }, { ids: [offerReference] }], {
      platform: ["retailer_a", "retailer_z"],
      offers: [[], [{ ...offerReference, asin: "x" }], [{ asin: "B0SANDBOX0" }], [5]],
      ids: [[offerReference], [], [{ ...offerReference, offerListingId: "" }], "offer"],
      max_credits: [0, -1, 1.5],
    }),
  },
  {
    operation: "createWatchlist",
    key: "POST /v1/watchlists",
    schema: v.pipe(
      newWatchlist,
      v.transform(({ idempotencyKey }) => parseIdempotencyKey([], idempotencyKey)),
    ),
    body: withPipeline(
      changed(
        [
          { name: "List", asins: "B0SANDBOX0", every: "15m" },
          { name: "List", platform: "retailer_a", ids: ["B0SANDBOX0"], cron: "0 12 * * *" },
          { name: "List", platform: "retailer_b", ids: ["900000000012"], every: "1h" },
          { name: "List", platform: "retailer_d", ids: "9000001, 9000002", every: "7d" },
        ],
        {
          ...shop,
          ...watchlistFields,
          ids: [...idLists, "9000001, 9000002", "B0SANDBOX0\nB0SANDBOX1", [], ["x"], [5], ""],
          asins: [["B0SANDBOX0"], "B0SANDBOX0", []],
          every: ["5m", "4m", "10080m", "10081m", "168h", "169h", "8d", "0m", "5"],
          cron: ["*/5 * * * *", "@daily", "0 12 * *", "60 * * * *", "hello"],
          timezone: ["UTC", "Europe/Berlin", 5],
          idempotency_key: ["key-1", "", "x".repeat(256), "a\u0007b"],
        },
      ),
    ),
  },
  {
    operation: "updateWatchlist",
    key: "PATCH /v1/watchlists/{id}",
    schema: watchlistPatch,
    // The schedule and the pipeline of a body are parsed later, together with the watchlist.
    body: changed([{}, { name: "List" }], {
      ...watchlistFields,
      every: ["15m", 5],
      cron: ["0 12 * * *", 5],
      timezone: ["Europe/Berlin", 5],
      status: ["active", "paused", "stopped"],
      pipeline: [null],
      ids: [["9000001"]],
      asins: [["B0SANDBOX0"]],
    }),
  },
  {
    operation: "estimateWatchlist",
    key: "POST /v1/watchlists/estimate",
    schema: estimateRequest,
    body: fc.oneof(
      withPipeline(
        changed([{ items: 10 }, { platform: "retailer_d", items: 10 }], {
          ...shop,
          items: [0, 50_000, 50_001, -1, 1.5, "5"],
          item_count: [5, -1],
          every: ["15m", 5],
          daily_credit_budget: [1, 0, null],
          refresh_every_runs: [0, 1_001],
        }),
      ),
      // With an existing watchlist, the pipeline is parsed later, together with the watchlist.
      changed([{ watchlist_id: "wl_00000000000000000000abcd" }], {
        ...shop,
        item_count: [5],
        every: ["15m", 5],
        pipeline: [null],
        daily_credit_budget: [1, 0, null],
        refresh_every_runs: [0, 1_001],
      }),
    ),
  },
];

/**
 * Checks with drawn bodies that `fault` returns undefined exactly for the bodies that `isAllowed`
 * allows, except for the excused faults. At least 40 bodies of each kind must be drawn.
 */
function expectAgreement<Body>(
  body: fc.Arbitrary<Body>,
  {
    operation,
    isAllowed,
    fault,
  }: {
    readonly operation: string;
    readonly isAllowed: (body: unknown) => boolean;
    readonly fault: (body: Body) => string | undefined;
  },
): void {
  const seen = { allowed: 0, refused: 0 };
  fc.assert(
    fc.property(body, (sent) => {
      const found = fault(sent);
      const expected = isAllowed(sent);
      seen[expected ? "allowed" : "refused"] += 1;
      if (expected && found !== undefined && isExcused(found, operation)) return;
      expect(found === undefined, `${JSON.stringify(sent).slice(0, 500)}: ${found}`).toBe(expected);
    }),
    { numRuns: 3_000 },
  );
  expect(seen.allowed).toBeGreaterThan(40);
  expect(seen.refused).toBeGreaterThan(40);
}

describe("the service accepts exactly the request bodies that the OpenAPI document allows, apart from listed exceptions, for", () => {
  it.each(bodies)("the operation $operation", ({ operation, key, schema, body }) => {
    const [method = "", path = ""] = key.split(" ");
    const isAllowed = allowance(method.toLowerCase(), path);
    expectAgreement(body, {
      operation,
      isAllowed,
      fault: (sent) => faultOf({ key, schema }, sent),
    });
  });

  it.each(["retailer_a", "retailer_d"] as const)("a pipeline on the platform %s", (platform) => {
    const shopOf = { platform, marketplace: "us" };
    const schema = v.pipe(
      v.unknown(),
      v.transform((value) => parsePipeline(value, shopOf)),
    );
    expectAgreement(pipeline, {
      operation: "createWatchlist",
      isAllowed: ajv.compile({ $ref: "openapi#/components/schemas/NewPipeline" }),
      fault: (sent) => faultOf({ schema }, sent),
    });
  });
});
