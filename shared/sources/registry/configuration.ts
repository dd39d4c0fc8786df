import * as v from "valibot";
import type { StepScraperId } from "../../scrapers/catalogue.ts";
import {
  priceHistoryOptions,
  affiliateOptions,
  catalogOptions,
  sandboxOptions,
  upstreamOptions,
  webOptions,
} from "./adapter-options.ts";
import { secretReference, type SecretUse } from "../contract/secret-reference.ts";
import { sourceName } from "./name.ts";

const retailerARead = v.variant(
  "adapter",
  [sandboxOptions, upstreamOptions, priceHistoryOptions],
  "is one of sandbox, upstream, a_history",
);

/** Every scraper is named: one that is forgotten must not answer with invented data. */
const configuration = v.strictObject(
  {
    "retailer_a.pulse": retailerARead,
    "retailer_a.lite": retailerARead,
    "retailer_a.full": retailerARead,
    "retailer_a.offers": retailerARead,
    "retailer_a.offer_check": retailerARead,
    "retailer_b.standard": v.variant(
      "adapter",
      [sandboxOptions, upstreamOptions, affiliateOptions, webOptions],
      "is one of sandbox, upstream, b_affiliate, web",
    ),
    "retailer_c.standard": v.variant(
      "adapter",
      [sandboxOptions, upstreamOptions, webOptions],
      "is one of sandbox, upstream, web",
    ),
    "retailer_d.standard": v.variant(
      "adapter",
      [sandboxOptions, upstreamOptions, catalogOptions, webOptions],
      "is one of sandbox, upstream, d_catalog, web",
    ),
  } satisfies Record<StepScraperId, v.GenericSchema>,
  "is missing, or no scraper",
);

/** Which adapter reads for each scraper, and all that it has to be told. */
export type SourceConfiguration = v.InferOutput<typeof configuration>;

export interface ParseOptions {
  /**
   * For a developer's machine: lets secrets be variables of the process, and a single scraper be on
   * trial while the sandbox checks offers.
   * @default false
   */
  readonly allowVariables?: boolean;
}

/**
 * Reads the variable SOURCES: a JSON object from scraper id to adapter and options.
 * @throws Error that names the key at fault and never repeats a value, which may be a secret.
 */
export function parseSources(variable: string, options: ParseOptions = {}): SourceConfiguration {
  const parsed = v.safeParse(configuration, parseJson(variable), { abortEarly: true });
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new Error(`SOURCES: ${v.getDotPath(issue) ?? "the whole"}: ${issue.message}`);
  }
  for (const [scraper, key, { reference }] of secretUses(parsed.output)) {
    if (options.allowVariables !== true && secretReference(reference)?.kind === "variable") {
      throw new Error(`SOURCES: ${scraper}.${key}: env: is for a developer's machine only`);
    }
  }
  checkOfferIds(parsed.output, options);
  checkPaces(parsed.output);
  return parsed.output;
}

const offerIdGivers = ["retailer_a.offers", "retailer_a.lite", "retailer_a.full"] as const;

type OfferIdGiver = (typeof offerIdGivers)[number];

/**
 * What is asked in an offer check are ids that another scraper gave. The sandbox and the history API
 * know none but their own, and would call every other gone, or invent an answer; a team's own server
 * is taken to know what it is set up for.
 */
function checkOfferIds(sources: SourceConfiguration, options: ParseOptions): void {
  const { adapter } = sources["retailer_a.offer_check"];
  const [giver] = strangersTo(adapter, sources, options);
  if (giver === undefined) return;
  throw new Error(
    `SOURCES: retailer_a.offer_check.adapter: ${adapter} does not know the offer ids that ${giver} ` +
      `gives by ${sources[giver].adapter}: set it to ${remedyFor(giver, sources, options)}`,
  );
}

/** Scrapers that give offer ids which an adapter would not know in an offer check. */
function strangersTo(
  checker: string,
  sources: SourceConfiguration,
  { allowVariables = false }: ParseOptions,
): OfferIdGiver[] {
  if (checker === "upstream") return [];
  return offerIdGivers.filter((id) => {
    const giver = sources[id].adapter;
    // Where products are invented there is nothing to lose; and a developer may try a single scraper.
    const isTrial = giver === "sandbox" || (checker === "sandbox" && allowVariables);
    return giver !== checker && !(isTrial && id !== "retailer_a.offers");
  });
}

/** What to let check offers, and what else to change where that alone is not enough. */
function remedyFor(id: OfferIdGiver, sources: SourceConfiguration, options: ParseOptions): string {
  const giver = sources[id].adapter;
  if (giver === "upstream") return giver;
  const others = strangersTo(giver, sources, options);
  if (others.length === 0) return `${giver}, or to upstream`;
  return giver === "sandbox"
    ? `upstream, or ${id} to ${sources["retailer_a.offer_check"].adapter}`
    : `upstream, or it and ${others.join(" and ")} to ${giver}`;
}

const paceKeys = ["callsPerSecond", "burst", "callsAtOnceMax"] as const;

/** Who reads from one source shares its rate and its places, so that there is one of each. */
function checkPaces(sources: SourceConfiguration): void {
  const firstOf = new Map<string, Paced>();
  for (const [scraper, options] of Object.entries(sources)) {
    if (options.adapter === "sandbox") continue;
    const name = sourceName(options);
    const first = firstOf.get(name) ?? { scraper, options };
    firstOf.set(name, first);
    const key = paceKeys.find((one) => options[one] !== first.options[one]);
    if (key === undefined) continue;
    const count = options.adapter === "a_history" ? "same host and key" : "same host";
    throw new Error(
      `SOURCES: ${scraper}.${key}: is not the one of ${first.scraper}, which reads from the ` +
        `${count} by ${options.adapter}: give both the same ${paceKeys.join(", ")}`,
    );
  }
}

interface Paced {
  readonly scraper: string;
  readonly options: Readonly<Record<(typeof paceKeys)[number], number>>;
}

/** Every secret that the configuration names, once. */
export function secretsOf(sources: SourceConfiguration): SecretUse[] {
  const uses = new Map(secretUses(sources).map(([, , use]) => [JSON.stringify(use), use]));
  return [...uses.values()];
}

/** Whether an adapter can read for a scraper. */
export const canServe = (adapter: string, scraper: string): boolean =>
  optionsOf(adapter, scraper) !== undefined;

/** What an option of an adapter is; a text too where there is no such option. */
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

/** Schemas of an adapter's options by name; undefined where it does not read for the scraper. */
function optionsOf(adapter: string, scraper: string): v.ObjectEntries | undefined {
  const variants = Object.entries(configuration.entries).find(([id]) => id === scraper)?.[1];
  return variants?.options.find(({ entries }) => entries.adapter.literal === adapter)?.entries;
}

type NamedSecret = readonly [scraper: string, key: string, use: SecretUse];

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

function parseJson(variable: string): unknown {
  try {
    return JSON.parse(variable);
  } catch {
    throw new Error("SOURCES: the whole: is not valid JSON");
  }
}
