import * as v from "valibot";
import { canServe, optionKind } from "../../shared/sources/registry/configuration.ts";
import { secretReference } from "../../shared/sources/contract/secret-reference.ts";

/** Says which adapter reads for a platform's scrapers, or for one scraper, from where and how. */
export interface SourceChoice {
  /** `retailer_d`, or `retailer_d.standard`. */
  readonly target: string;
  readonly adapter: string;
  readonly baseUrl: string | undefined;
  /** Further options of the adapter by name, as they were written. */
  readonly options: Readonly<Record<string, string>>;
}

const form = /^([^=,]+)=([^=,]+)(?:,(.+))?$/;
/** Where an option begins; a comma that no name follows belongs to the value it stands in. */
const optionStart = /,(?=[A-Za-z]+=)/;
const option = /^([A-Za-z]+)=(.*)$/;

/**
 * Reads `<platform or scraper>=<adapter>[,<base url>][,<option>=<value>…]`.
 * @throws Error showing the form, for a text of any other form
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

/** Only what stands before the first comma is shown: what follows may be a secret. */
const formError = (text: string): Error =>
  new Error(
    `--source ${text.split(",")[0]} is not <platform or scraper>=<adapter>,<base url>` +
      "[,<option>=<value>], such as retailer_d=d_catalog,http://127.0.0.1:9999,secret=env:KEY",
  );

/**
 * The value of an option: a number or a flag where the option is one, else the text as it stands,
 * so that a postal code keeps its zeros. What is no number, or no flag, stays for the configuration
 * to refuse.
 */
function valueOf(text: string, kind: ReturnType<typeof optionKind>): string | number | boolean {
  if (kind === "number" && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/**
 * The variable SOURCES with the choices in place of what the template says. A platform's adapter
 * takes over those scrapers that it can read for.
 * @throws Error for a choice that meets no scraper of the template, or that keeps a secret in a
 * variable that is not set
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
        `--source ${target}=${adapter}: there is no such scraper, or none that the adapter ` +
          `reads for; known scrapers are ${Object.keys(sources).join(", ")}`,
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

/** A secret that is nowhere stops the start, and not the first call. */
function checkVariables(choice: string, options: SourceChoice["options"], set: Variables): void {
  for (const [name, value] of Object.entries(options)) {
    const secret = secretReference(value);
    if (secret?.kind !== "variable" || (set[secret.name] ?? "") !== "") continue;
    throw new Error(
      `${choice}: ${name} is kept in the environment variable ${secret.name}, which is not set ` +
        "or empty",
    );
  }
}
