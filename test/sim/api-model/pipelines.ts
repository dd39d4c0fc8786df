import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import type { Platform } from "../../../shared/platforms/catalogue.ts";

/** A pipeline in the format of a request. */
export interface WirePipeline {
  readonly entry?: string;
  readonly baseline?: string;
  readonly refresh?: { readonly every_runs: number; readonly entry: string };
  readonly steps: readonly object[];
}

const oneTier = (platform: Platform): readonly WirePipeline[] => [
  {
    steps: [
      {
        id: "look",
        scraper: `${platform}.standard`,
        routes: [
          { when: "changed", field: "price", op: "decreased", notify: true },
          { when: "ok", field: "inStock", op: "is", value: false, notify: true },
          { when: "not_found", notify: true },
        ],
      },
    ],
  },
  {
    entry: "a",
    refresh: { every_runs: 3, entry: "b" },
    steps: [
      { id: "a", scraper: `${platform}.standard`, routes: [{ when: "unchanged", run: "b" }] },
      {
        id: "b",
        scraper: `${platform}.standard`,
        routes: [
          { when: "always", notify: true },
          { when: "failed", notify: true },
        ],
      },
    ],
  },
];

const severalTiers: readonly WirePipeline[] = [
  {
    baseline: "lite",
    steps: [
      { id: "scan", scraper: "retailer_a.pulse", routes: [{ when: "changed", run: "lite" }] },
      {
        id: "lite",
        scraper: "retailer_a.lite",
        routes: [
          { when: "new", notify: true },
          { when: "changed", notify: true, run: "offers" },
        ],
      },
      {
        id: "offers",
        scraper: "retailer_a.offers",
        condition: "new",
        routes: [
          { when: "ok", field: "lowestPrice", op: "below", value: 10, notify: true },
          { when: "always", run: "check" },
        ],
      },
      {
        id: "check",
        scraper: "retailer_a.offer_check",
        routes: [{ when: "changed", notify: true }],
      },
    ],
  },
  {
    steps: [
      {
        id: "offers",
        scraper: "retailer_a.offers",
        routes: [
          { when: "changed", field: "buyboxPrice", op: "increased", notify: true },
          { when: "ok", field: "offerCount", op: "above", value: 1, run: "full" },
        ],
      },
      { id: "full", scraper: "retailer_a.full", routes: [{ when: "changed", notify: true }] },
    ],
  },
];

/** Returns the valid custom pipelines of a platform. */
export const pipelinesOf = (platform: Platform): readonly WirePipeline[] =>
  platform === "retailer_a" ? severalTiers : oneTier(platform);

/** Converts a pipeline of a request. Adds the defaults of the specification. */
export function understood({ entry, baseline, refresh, steps }: WirePipeline): Pipeline {
  const known = steps as Pipeline["steps"];
  return {
    entry: entry ?? known[0]?.id ?? "",
    baseline: baseline ?? null,
    refresh: refresh === undefined ? null : { everyRuns: refresh.every_runs, entry: refresh.entry },
    steps: known.map((one) => Object.assign({}, one, { routes: one.routes ?? [] })),
  };
}

const step = (more: object): object => ({ id: "a", scraper: "retailer_d.standard", ...more });
const of = (...steps: readonly object[]): object => ({ steps });

/** Invalid pipelines for retailer_d, each with the error's code and `param`. */
export const refusedPipelines: readonly (readonly [
  unknown,
  "INVALID_PARAM" | "MISSING_PARAM",
  RegExp,
])[] = [
  [{}, "MISSING_PARAM", /^pipeline\.steps$/],
  [of(), "INVALID_PARAM", /^pipeline\.steps$/],
  ["check", "INVALID_PARAM", /^pipeline$/],
  [of(step({ id: 7 })), "INVALID_PARAM", /^pipeline\.steps\[0\]\.id$/],
  [of({ id: "a" }), "MISSING_PARAM", /^pipeline\.steps\[0\]\.scraper$/],
  [
    of(step({ scraper: "retailer_b.standard" })),
    "INVALID_PARAM",
    /^pipeline\.steps\[0\]\.scraper$/,
  ],
  [of(step({ scraper: "nothing" })), "INVALID_PARAM", /^pipeline\.steps\[0\]\.scraper$/],
  [of(step({ condition: "new" })), "INVALID_PARAM", /^pipeline\.steps\[0\]\.condition$/],
  [of(step({}), step({})), "INVALID_PARAM", /^pipeline\.steps\[1\]\.id$/],
  [{ ...of(step({})), entry: "b" }, "INVALID_PARAM", /^pipeline\.entry$/],
  [
    { ...of(step({})), refresh: { every_runs: 0, entry: "a" } },
    "INVALID_PARAM",
    /^pipeline\.refresh/,
  ],
  [{ ...of(step({})), refresh: { entry: "a" } }, "MISSING_PARAM", /^pipeline\.refresh/],
  [
    of(step({ routes: [{ notify: true }] })),
    "MISSING_PARAM",
    /^pipeline\.steps\[0\]\.routes\[0\]\.when$/,
  ],
  [of(step({ routes: [{ when: "maybe", notify: true }] })), "INVALID_PARAM", /routes\[0\]\.when$/],
  [of(step({ routes: [{ when: "always", run: "z" }] })), "INVALID_PARAM", /routes\[0\]\.run$/],
  [of(step({ routes: [{ when: "always", run: "a" }] })), "INVALID_PARAM", /^pipeline/],
  [
    of(step({ routes: Array.from({ length: 9 }, () => ({ when: "always", notify: true })) })),
    "INVALID_PARAM",
    /^pipeline\.steps\[0\]\.routes$/,
  ],
  [
    of(step({ routes: [{ when: "ok", field: "newCount", op: "below", value: 1, notify: true }] })),
    "INVALID_PARAM",
    /routes\[0\]\.field$/,
  ],
  [
    of(step({ routes: [{ when: "ok", field: "price", op: "below", value: "1", notify: true }] })),
    "INVALID_PARAM",
    /routes\[0\]\.value$/,
  ],
  [
    of(...Array.from({ length: 11 }, (_, n) => step({ id: `s${n}` }))),
    "INVALID_PARAM",
    /^pipeline\.steps$/,
  ],
];
