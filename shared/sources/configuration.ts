import * as v from "valibot";
import type { Chance, Clock } from "../base/clock.ts";
import type { OfferScraperId, ProductScraperId } from "../scrapers/catalogue.ts";
import type { Scraper } from "../scrapers/scraper.ts";
import { dCatalog } from "./d-catalog.ts";
import { sandbox } from "./sandbox.ts";

const seedDefault = "sandbox";
/** Four fifths of what the products API allows. */
const callsPerSecondDefault = 4;
const callsAtOnceDefault = 2;

const text = (what: string): v.StringSchema<string> => v.string(`${what} is a string`);

const sandboxOptions = v.strictObject(
  { adapter: v.literal("sandbox"), seed: v.optional(text("a seed"), seedDefault) },
  "is no option of the adapter sandbox",
);

const baseUrl = v.pipe(
  text("a base URL"),
  v.check(
    isSafeBase,
    "is an https:// URL without query (http:// only for this machine's own addresses)",
  ),
);

const positive = (what: string): v.GenericSchema<number> =>
  v.pipe(v.number(`${what} is a number`), v.minValue(0.1, `${what} is at least 0.1`));

const dCatalogOptions = v.strictObject(
  {
    adapter: v.literal("d_catalog"),
    baseUrl,
    apiKey: v.optional(v.pipe(text("a key"), v.minLength(1, "a key is not empty"))),
    callsPerSecond: v.optional(positive("callsPerSecond"), callsPerSecondDefault),
    callsAtOnceMax: v.optional(
      v.pipe(
        v.number("callsAtOnceMax is a number"),
        v.integer("callsAtOnceMax is a whole number"),
        v.minValue(1, "callsAtOnceMax is at least 1"),
      ),
      callsAtOnceDefault,
    ),
  },
  "is missing, or no option of the adapter d_catalog",
);

const sandboxOnly = v.variant("adapter", [sandboxOptions], "is sandbox");

const catalogOrSandbox = v.variant(
  "adapter",
  [sandboxOptions, dCatalogOptions],
  "is one of sandbox, d_catalog",
);

/** Every scraper is named: one that is forgotten must not answer with invented data. */
const configuration = v.strictObject(
  {
    "retailer_a.pulse": sandboxOnly,
    "retailer_a.lite": sandboxOnly,
    "retailer_a.full": sandboxOnly,
    "retailer_a.offers": sandboxOnly,
    "retailer_a.offer_check": sandboxOnly,
    "retailer_b.standard": sandboxOnly,
    "retailer_c.standard": sandboxOnly,
    "retailer_d.standard": catalogOrSandbox,
  } satisfies Record<ProductScraperId | OfferScraperId, v.GenericSchema>,
  "is missing, or no scraper",
);

/** Which adapter reads for each scraper. */
export type SourceConfiguration = v.InferOutput<typeof configuration>;

/**
 * Reads the variable SOURCES: a JSON object from scraper id to adapter and options.
 * @throws Error that names the key at fault and never repeats a value, which may be a secret.
 */
export function parseSources(variable: string): SourceConfiguration {
  const parsed = v.safeParse(configuration, parseJson(variable), { abortEarly: true });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new Error(`SOURCES: ${v.getDotPath(issue) ?? "the whole"}: ${issue.message}`);
}

export interface SourceDependencies {
  readonly clock: Clock;
  readonly chance: Chance;
}

/** The scraper behind each id, made once; what limits an adapter's calls holds across reads. */
export function scraperFor(
  sources: SourceConfiguration,
  dependencies: SourceDependencies,
): (scraper: ProductScraperId) => Scraper {
  const made = new Map<ProductScraperId, Scraper>();
  return (id) => {
    const scraper = made.get(id) ?? makeScraper(sources[id], dependencies);
    made.set(id, scraper);
    return scraper;
  };
}

function makeScraper(
  options: SourceConfiguration[ProductScraperId],
  dependencies: SourceDependencies,
): Scraper {
  return options.adapter === "sandbox"
    ? sandbox({ seed: options.seed, clock: dependencies.clock })
    : dCatalog(options, dependencies);
}

/** A key travels in the address, so it must not travel in the clear. */
function isSafeBase(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, search, hash, username } = new URL(address);
  if (search !== "" || hash !== "" || username !== "") return false;
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
  return protocol === "https:" || (protocol === "http:" && isLocal);
}

function parseJson(variable: string): unknown {
  try {
    return JSON.parse(variable);
  } catch {
    throw new Error("SOURCES: the whole: is not valid JSON");
  }
}
