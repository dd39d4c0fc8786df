import * as v from "valibot";
import type { StepScraperId } from "../../scrapers/catalog.ts";
import {
  priceHistoryOptions,
  affiliateOptions,
  catalogOptions,
  sandboxOptions,
  storefrontOptions,
  upstreamOptions,
  webOptions,
} from "./adapter-options.ts";
import { secretReference, type SecretUse } from "../contract/secret-reference.ts";
import { sourceName } from "./name.ts";

const retailerARead = v.variant(
  "adapter",
  [sandboxOptions, upstreamOptions, priceHistoryOptions],
  "must be one of sandbox, upstream, a_history",
);

/**
 * The schema of SOURCES. Every scraper is required. If the sandbox were the default, a scraper that
 * the deployer forgets would return invented data.
 */
const configuration = v.strictObject(
  {
    "retailer_a.pulse": retailerARead,
    "retailer_a.lite": retailerARead,
    "retailer_a.full": retailerARead,
    "retailer_a.offers": retailerARead,
    "retailer_a.offer_check": retailerARead,
    "retailer_b.standard": v.variant(
      "adapter",
      [sandboxOptions, upstreamOptions, affiliateOptions, storefrontOptions, webOptions],
      "must be one of sandbox, upstream, b_affiliate, storefront, web",
    ),
    "retailer_c.standard": v.variant(
      "adapter",
      [sandboxOptions, upstreamOptions, storefrontOptions, webOptions],
      "must be one of sandbox, upstream, storefront, web",
    ),
    "retailer_d.standard": v.variant(
      "adapter",
      [sandboxOptions, upstreamOptions, catalogOptions, storefrontOptions, webOptions],
      "must be one of sandbox, upstream, d_catalog, storefront, web",
    ),
  } satisfies Record<StepScraperId, v.GenericSchema>,
  wrongScraper,
);

/** Returns the error message for a missing or unknown scraper in SOURCES. */
function wrongScraper({ expected }: v.StrictObjectIssue): string {
  if (expected === "Object") return "must be a JSON object";
  return expected === "never" ? "is not a scraper ID" : "is missing. Configure every scraper";
}

/** For each scraper, the adapter that reads it and the adapter's options. */
export type SourceConfiguration = v.InferOutput<typeof configuration>;

/** The options of one adapter. */
export type OptionsOf<Adapter extends string> = Extract<
  SourceConfiguration[StepScraperId],
  { readonly adapter: Adapter }
>;

/** Options for parsing SOURCES. */
export interface ParseOptions {
  /**
   * True if secrets may be in environment variables, and if the sandbox may check offers while a
   * product scraper uses another adapter. Set it to true only on a developer's machine.
   * @default false
   */
  readonly allowVariables?: boolean;
}

/**
 * Parses the value of the environment variable SOURCES: a JSON object that maps each scraper ID to
 * an adapter and its options.
 * @throws Error that names the invalid key. The message never contains the value of the key,
 * because the value may be a secret.
 */
export function parseSources(variable: string, options: ParseOptions = {}): SourceConfiguration {
  const parsed = v.safeParse(configuration, parseJson(variable), { abortEarly: true });
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const key = v.getDotPath(issue);
    throw new Error(
      key === null ? `SOURCES ${issue.message}` : `SOURCES: ${key}: ${issue.message}`,
    );
  }
  for (const [scraper, key, { reference }] of secretUses(parsed.output)) {
    if (options.allowVariables !== true && secretReference(reference)?.kind === "variable") {
      throw new Error(
        `SOURCES: ${scraper}.${key}: 'env:' works only on a developer's machine. Use the ARN of a ` +
          "secret or an SSM parameter.",
      );
    }
  }
  checkOfferIds(parsed.output, options);
  checkPaces(parsed.output);
  return parsed.output;
}

const offerIdProducers = ["retailer_a.offers", "retailer_a.lite", "retailer_a.full"] as const;

type OfferIdProducer = (typeof offerIdProducers)[number];

/**
 * Checks that the adapter for offer checks recognizes the offer IDs of the other scrapers. The
 * sandbox and the price history API recognize only the offer IDs that they created. They report an
 * offer with any other ID as not buyable, or invent an answer. An upstream server is assumed to
 * recognize the offer IDs of all other configured adapters.
 * @throws Error if the adapter does not recognize them
 */
function checkOfferIds(sources: SourceConfiguration, options: ParseOptions): void {
  const { adapter } = sources["retailer_a.offer_check"];
  const [producer] = unrecognizedProducers(adapter, sources, options);
  if (producer === undefined) return;
  throw new Error(
    `SOURCES: retailer_a.offer_check.adapter: ${adapter} does not recognize the offer IDs that ${producer} ` +
      `returns from ${sources[producer].adapter}. Set the adapter to ${remedyFor(producer, sources, options)}`,
  );
}

/** Returns the scrapers whose offer IDs the adapter `checker` does not recognize. */
function unrecognizedProducers(
  checker: string,
  sources: SourceConfiguration,
  { allowVariables = false }: ParseOptions,
): OfferIdProducer[] {
  if (checker === "upstream") return [];
  return offerIdProducers.filter((id) => {
    const producer = sources[id].adapter;
    // Two cases are permitted, except for `retailer_a.offers`. Sandbox products are invented, so a
    // wrong check of their offers does no harm. On a developer's machine, the sandbox may check the
    // offers although a product scraper uses another adapter.
    const isTrial = producer === "sandbox" || (checker === "sandbox" && allowVariables);
    return producer !== checker && !(isTrial && id !== "retailer_a.offers");
  });
}

/**
 * Returns the remedy at the end of the message of `checkOfferIds`: the adapters that offer checks
 * may use, and the other changes that these adapters require.
 */
function remedyFor(
  id: OfferIdProducer,
  sources: SourceConfiguration,
  options: ParseOptions,
): string {
  const producer = sources[id].adapter;
  if (producer === "upstream") return producer;
  const others = unrecognizedProducers(producer, sources, options);
  if (others.length === 0) return `${producer}, or to upstream`;
  return producer === "sandbox"
    ? `upstream, or set ${id} to ${sources["retailer_a.offer_check"].adapter}`
    : `upstream, or set it and ${others.join(" and ")} to ${producer}`;
}

const paceKeys = ["callsPerSecond", "burst", "callsAtOnceMax"] as const;

/**
 * Checks that all scrapers of one source have the same limits, because they share one rate and one
 * set of slots.
 * @throws Error if the limits differ
 */
function checkPaces(sources: SourceConfiguration): void {
  const firstOf = new Map<string, Paced>();
  for (const [scraper, options] of Object.entries(sources)) {
    if (options.adapter === "sandbox") continue;
    const name = sourceName(options);
    const first = firstOf.get(name) ?? { scraper, options };
    firstOf.set(name, first);
    const key = paceKeys.find((one) => options[one] !== first.options[one]);
    if (key === undefined) continue;
    const shared = options.adapter === "a_history" ? "host and key" : "host";
    throw new Error(
      `SOURCES: ${scraper}.${key}: must be ${first.options[key]}, as in ${first.scraper} (got ${options[key]}). Both scrapers read ` +
        `the same ${shared} with the adapter ${options.adapter}, so they need the same ${paceKeys.join(", ")}`,
    );
  }
}

interface Paced {
  readonly scraper: string;
  readonly options: Readonly<Record<(typeof paceKeys)[number], number>>;
}

/**
 * Returns the references to the secrets that the sources use, without duplicates. Each reference is
 * returned with the customer-managed KMS key of the secret, if there is one. Does not read the
 * secrets.
 */
export function secretsOf(sources: SourceConfiguration): SecretUse[] {
  const uses = new Map(secretUses(sources).map(([, , use]) => [JSON.stringify(use), use]));
  return [...uses.values()];
}

/** Returns true if the adapter supports the scraper; false if not, or if either name is unknown. */
export const canServe = (adapter: string, scraper: string): boolean =>
  optionsOf(adapter, scraper) !== undefined;

/**
 * Returns the type of an adapter's option; "text" for an option that is unknown or is neither a
 * number nor a boolean.
 */
export function optionKind(
  { adapter, scraper }: { readonly adapter: string; readonly scraper: string },
  option: string,
): "number" | "boolean" | "text" {
  const options = Object.entries<v.GenericSchema>(optionsOf(adapter, scraper) ?? {});
  const schema = options.find(([name]) => name === option)?.[1];
  const { type } = schema !== undefined && isOptional(schema) ? schema.wrapped : (schema ?? {});
  return type === "number" || type === "boolean" ? type : "text";
}

const isOptional = (
  schema: v.GenericSchema,
): schema is v.OptionalSchema<v.GenericSchema, unknown> => schema.type === "optional";

/**
 * Returns the schemas of an adapter's options, by name; undefined if the adapter does not support
 * the scraper.
 */
function optionsOf(adapter: string, scraper: string): v.ObjectEntries | undefined {
  const variants = Object.entries(configuration.entries).find(([id]) => id === scraper)?.[1];
  return variants?.options.find(({ entries }) => entries.adapter.literal === adapter)?.entries;
}

type NamedSecret = readonly [scraper: string, key: string, use: SecretUse];

/** Returns each option that refers to a secret: its scraper, its name and its value. */
function secretUses(sources: SourceConfiguration): NamedSecret[] {
  const uses: NamedSecret[] = [];
  for (const [scraper, options] of Object.entries(sources)) {
    if ("privateKey" in options) uses.push([scraper, "privateKey", options.privateKey]);
    else if ("secret" in options && options.secret !== undefined) {
      uses.push([scraper, "secret", options.secret]);
    }
  }
  return uses;
}

/**
 * Parses JSON.
 * @throws Error that does not contain the text, which may contain a secret
 */
function parseJson(variable: string): unknown {
  try {
    return JSON.parse(variable);
  } catch {
    throw new Error("SOURCES is not valid JSON. Check quotes, commas and brackets.");
  }
}
