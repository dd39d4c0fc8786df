import * as v from "valibot";

/** Says which adapter reads for a platform's scrapers, or for one scraper, and from where. */
export interface SourceChoice {
  /** `retailer_d`, or `retailer_d.standard`. */
  readonly target: string;
  readonly adapter: string;
  readonly baseUrl: string | undefined;
}

/**
 * Reads `<platform or scraper>=<adapter>[,<base url>]`.
 * @throws Error showing the form, for a text of any other form
 */
export function parseSourceChoice(text: string): SourceChoice {
  const found = /^([^=,]+)=([^=,]+)(?:,(.+))?$/.exec(text);
  if (!found || (found[3] !== undefined && !URL.canParse(found[3]))) {
    throw new Error(
      `--source ${text} is not <platform or scraper>=<adapter>,<base url>, ` +
        "such as retailer_d=d_catalog,http://127.0.0.1:9999",
    );
  }
  return { target: found[1] ?? "", adapter: found[2] ?? "", baseUrl: found[3] };
}

/**
 * The variable SOURCES with the choices in place of what the template says.
 * @throws Error for a choice that meets no scraper of the template
 */
export function chooseSources(variable: string, choices: readonly SourceChoice[]): string {
  const sources = v.parse(v.record(v.string(), v.unknown()), JSON.parse(variable));
  for (const { target, adapter, baseUrl } of choices) {
    const scrapers = Object.keys(sources).filter(
      (scraper) => scraper === target || scraper.startsWith(`${target}.`),
    );
    if (scrapers.length === 0) {
      throw new Error(`--source ${target}: known scrapers are ${Object.keys(sources).join(", ")}`);
    }
    for (const scraper of scrapers) sources[scraper] = { adapter, ...(baseUrl && { baseUrl }) };
  }
  return JSON.stringify(sources);
}
