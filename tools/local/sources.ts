import * as v from "valibot";
import { canServe, optionKind } from "../../shared/sources/registry/configuration.ts";
import { secretReference } from "../../shared/sources/contract/secret-reference.ts";

/** An adapter for a platform's scrapers, or for one scraper, with its options. */
export interface SourceChoice {
  /** `retailer_d`, or `retailer_d.standard`. */
  readonly target: string;
  readonly adapter: string;
  readonly baseUrl: string | undefined;
  /** Further options of the adapter by name, unparsed. */
  readonly options: Readonly<Record<string, string>>;
}

const form = /^([^=,]+)=([^=,]+)(?:,(.+))?$/;
/** The start of an option. A comma without a following name belongs to the value. */
const optionStart = /,(?=[A-Za-z]+=)/;
const option = /^([A-Za-z]+)=(.*)$/;

/**
 * Parses `<platform or scraper>=<adapter>[,<base url>][,<option>=<value>…]`.
 * @throws Error that shows the form, for any other text
 */
export function parseSourceChoice(text: string): SourceChoice {
  const [, target, adapter, rest] = form.exec(text) ?? [];
  const parts = rest === undefined ? [] : rest.split(optionStart);
  const baseUrl = option.test(parts[0] ?? "=") ? undefined : parts.shift();
  const isUrl = baseUrl === undefined || URL.canParse(baseUrl);
  if (target === undefined || adapter === undefined || !isUrl) throw formError(text);
  const options = parts.map((part) => {
    const [, name = "", value = ""] = option.exec(part) ?? [];
    return [name, value] as const;
  });
  return { target, adapter, baseUrl, options: Object.fromEntries(options) };
}

/** Shows only the part before the first comma, because the rest may contain a secret. */
const formError = (text: string): Error =>
  new Error(
    `--source ${text.split(",")[0]} must have the form <platform or scraper>=<adapter>,<base url>` +
      "[,<option>=<value>], such as retailer_d=d_catalog,http://127.0.0.1:9999,secret=env:KEY",
  );

/**
 * Converts the value of an option: to a number or a flag if the option is one, or else to text, so
 * that a postal code keeps its zeros. An invalid number or flag stays text, and the configuration
 * rejects it.
 */
function valueOf(text: string, kind: ReturnType<typeof optionKind>): string | number | boolean {
  if (kind === "number" && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/**
 * Returns the variable SOURCES with the chosen adapters instead of those of the template. A
 * platform choice applies to the scrapers that the adapter can read for.
 * @throws Error for a choice without a matching scraper, and for a secret in a variable that is not
 * set
 */
export function chooseSources(
  variable: string,
  choices: readonly SourceChoice[],
  variables: Variables = process.env,
): string {
  const sources = v.parse(v.record(v.string(), v.unknown()), JSON.parse(variable));
  for (const { target, adapter, baseUrl, options } of choices) {
    const scrapers = Object.keys(sources).filter(
      (scraper) =>
        scraper === target || (scraper.startsWith(`${target}.`) && canServe(adapter, scraper)),
    );
    if (scrapers.length === 0) {
      throw new Error(
        `--source ${target}=${adapter}: '${target}' is not a scraper, nor a platform with a scraper ` +
          `that the adapter '${adapter}' supports; scrapers: ${Object.keys(sources).join(", ")}`,
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

type Variables = Readonly<Record<string, string | undefined>>;

/** Fails at the start for a missing secret, instead of at the first call. */
function checkVariables(choice: string, options: SourceChoice["options"], set: Variables): void {
  for (const [name, value] of Object.entries(options)) {
    const secret = secretReference(value);
    if (secret?.kind !== "variable" || (set[secret.name] ?? "") !== "") continue;
    throw new Error(
      `${choice}: ${name} refers to the environment variable ${secret.name}, which is not set ` +
        "or empty",
    );
  }
}
