import * as v from "valibot";
import { stepScraperIds } from "../../shared/scrapers/catalog.ts";
import { checkedSources } from "../../shared/sources/registry/check-rules.ts";
import { canServe, optionKind } from "../../shared/sources/registry/configuration.ts";
import { secretReference } from "../../shared/sources/contract/secret-reference.ts";

/** An adapter with its options, and the platform or scraper that it reads for. */
export interface SourceChoice {
  /** A platform such as `retailer_d`, or a scraper such as `retailer_d.standard`. */
  readonly target: string;
  readonly adapter: string;
  readonly baseUrl: string | undefined;
  /** The adapter's other options by name, as the strings of the command line. */
  readonly options: Readonly<Record<string, string>>;
}

const form = /^([^=,]+)=([^=,]+)(?:,(.+))?$/;
/**
 * Matches the comma before an option. A comma without a following `<name>=` belongs to the value.
 */
const optionStart = /,(?=[A-Za-z]+=)/;
const option = /^([A-Za-z]+)=(.*)$/;

/**
 * Parses the option `--source`: `<platform or scraper>=<adapter>[,<base url>][,<option>=<value>…]`.
 * @throws Error that shows the form, for any other string
 */
export function parseSourceChoice(text: string): SourceChoice {
  const [, target, adapter, rest] = form.exec(text) ?? [];
  const parts = rest === undefined ? [] : rest.split(optionStart);
  const address = option.test(parts[0] ?? "=") ? undefined : parts.shift();
  // Users enter a public store by its host, without `https://`.
  const isHost = adapter === "storefront" && !/^[a-z]+:\/\//i.test(address ?? "http://");
  const baseUrl = isHost ? `https://${address}` : address;
  const isUrl = baseUrl === undefined || URL.canParse(baseUrl);
  if (target === undefined || adapter === undefined || !isUrl) throw formError(text);
  const options = parts.map((part) => {
    const [, name = "", value = ""] = option.exec(part) ?? [];
    return [name, value] as const;
  });
  return { target, adapter, baseUrl, options: Object.fromEntries(options) };
}

/** The error quotes only the part before the first comma, because the rest may contain a secret. */
const formError = (text: string): Error =>
  new Error(
    `--source ${text.split(",")[0]} must have the form <platform or scraper>=<adapter>[,<base url>]` +
      "[,<option>=<value>] with an absolute base URL, such as retailer_d=d_catalog,http://127.0.0.1:9999,secret=env:KEY.",
  );

/**
 * Converts the value of an option to a number or boolean if the adapter expects one. Other options
 * stay text, so that a postal code keeps its leading zeros. An invalid number or boolean also stays
 * text, which the configuration then rejects.
 */
function valueOf(text: string, kind: ReturnType<typeof optionKind>): string | number | boolean {
  if (kind === "number" && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/**
 * Replaces adapters in a value of the variable SOURCES, and returns the new value. A choice for a
 * platform applies to each of its scrapers that the adapter supports.
 * @param sourcesJson the value of SOURCES
 * @param variables the environment variables to which options may refer
 * @throws Error if no scraper matches a choice, or if an option refers to an environment variable
 * that is empty or not set
 */
export function chooseSources(
  sourcesJson: string,
  choices: readonly SourceChoice[],
  variables: Variables = process.env,
): string {
  const sources = v.parse(v.record(v.string(), v.unknown()), JSON.parse(sourcesJson));
  for (const { target, adapter, baseUrl, options } of choices) {
    const scrapers = Object.keys(sources).filter(
      (scraper) =>
        scraper === target || (scraper.startsWith(`${target}.`) && canServe(adapter, scraper)),
    );
    if (scrapers.length === 0) {
      throw new Error(
        `--source ${target}=${adapter}: there is no scraper '${target}', and the adapter ` +
          `'${adapter}' supports no scraper of a platform '${target}'. ` +
          `Use one of the scrapers ${Object.keys(sources).join(", ")}.`,
      );
    }
    checkVariables(`--source ${target}=${adapter}`, options, variables);
    for (const scraper of scrapers) {
      const typed = Object.entries(options).map(([name, text]) => {
        const kind = optionKind({ adapter, scraper }, name);
        return [name, valueOf(text, kind)] as const;
      });
      sources[scraper] = { adapter, ...(baseUrl && { baseUrl }), ...Object.fromEntries(typed) };
    }
  }
  return JSON.stringify(sources);
}

/**
 * Checks a choice of a source as the service does at its start.
 * @throws Error that names the wrong option
 */
export function checkSource(choice: SourceChoice): void {
  const sandbox = stepScraperIds.map((scraper) => [scraper, { adapter: "sandbox" }]);
  const chosen = chooseSources(JSON.stringify(Object.fromEntries(sandbox)), [choice]);
  checkedSources(chosen, { allowVariables: true });
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Throws if an option refers to an environment variable without a value. The world then fails at
 * its start instead of at the first call.
 */
function checkVariables(choice: string, options: SourceChoice["options"], set: Variables): void {
  for (const [name, value] of Object.entries(options)) {
    const secret = secretReference(value);
    if (secret?.kind !== "variable" || (set[secret.name] ?? "") !== "") continue;
    throw new Error(
      `${choice}: ${name} refers to the environment variable ${secret.name}, which is empty ` +
        "or not set. Set the variable.",
    );
  }
}
