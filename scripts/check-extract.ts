/**
 * Tests the extraction rules of a deployer on a saved page: `npm run check:extract -- <page.html>
 * --config <file>`. Exit codes:
 * - 0: the adapter reads the price, the availability or both, as the rules find them.
 * - 1: the adapter does not read a value that the rules find, or the rules find no value.
 * - 2: the command line or a rule is invalid.
 */
import { existsSync, readFileSync } from "node:fs";
import * as v from "valibot";
import { extractProduct, type Extraction } from "../shared/sources/web/extract-product.ts";
import { allFallbacks } from "../shared/sources/web/fallback-facts.ts";
import { extractOption } from "../shared/sources/web/rules/extract-option.ts";
import type { ProductFacts } from "../shared/sources/web/product-facts.ts";
import { parseRules } from "../shared/sources/web/rules/rule.ts";
import type { RuleTexts } from "../shared/sources/web/rules/rule-texts.ts";
import { ruleFacts } from "../shared/sources/web/rules/rule-facts.ts";
import { type RuleValue, ruleValues } from "../shared/sources/web/rules/rule-values.ts";
import { priceForest } from "../shared/sources/web/visible/price-forest.ts";
import { jsonOption, runCommand, type ValuesOf } from "../tools/command-line/command-line.ts";
import { readPage } from "../tools/labeled-pages/labeled-page.ts";
import { printTable } from "./measure/print-table.ts";

const commandLine = {
  name: "npm run check:extract",
  about:
    "Tries the rules of the adapter web on a saved page. Prints what each rule finds, and what the\n" +
    "adapter would read. The configuration is a JSON file: the options of the adapter with the key\n" +
    '"extract", or only the value of this key. Forms of a rule: "<selector>", "<selector> @<attribute>",\n' +
    '"<selector> => <JSON pointer>", "window.<name> => <JSON pointer>", "= <value>".',
  argument: "<page.html or page.html.gz>",
  options: {
    config: { type: "string", value: "<file>", required: true, about: "the JSON file with rules" },
    url: {
      type: "string",
      value: "<address>",
      default: "https://shop.example/",
      about: "the address of the page",
    },
    id: {
      type: "string",
      value: "<id>",
      about: "the ID of the product; without it, the last step of the address",
    },
    currency: {
      type: "string",
      value: "<code>",
      default: "USD",
      about: "the currency of the marketplace",
    },
    json: jsonOption,
  },
  examples: [
    "page.html --config web.json --url https://shop.example/p/6501234",
    "page.html.gz --config web.json --url https://shop.example/p/lamp-12 --id 12 --json",
  ],
} as const;

interface Given {
  readonly values: ValuesOf<typeof commandLine.options>;
  readonly positionals: readonly string[];
}

/** What the rules found, and what the adapter would read. */
interface Trial {
  readonly rules: readonly object[];
  readonly proof: Extraction["proof"];
  readonly facts: object;
}

/**
 * Returns the rules in a JSON file.
 * @throws Error that names the field and the mistake of an invalid rule
 */
function rulesIn(file: string | undefined): RuleTexts {
  if (file === undefined) throw new Error("--config is required. Name a JSON file with rules.");
  if (!existsSync(file))
    throw new Error(`--config: there is no file ${file}. Name an existing JSON file with rules.`);
  const text = readFileSync(file, "utf8");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not valid JSON. Check quotes, commas and brackets.`, {
      cause: error,
    });
  }
  const options = v.safeParse(v.looseObject({ extract: v.unknown() }), json);
  const parsed = v.safeParse(extractOption, options.success ? options.output.extract : json);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new Error(`${file}: ${v.getDotPath(issue) ?? "extract"} ${issue.message}`);
}

const shownRule = ({ field, rule, value, different }: RuleValue): object => ({
  field,
  rule: rule.text,
  result: value ?? (different === 0 ? "(nothing)" : `(not used: ${different} different values)`),
});

async function check({ values, positionals }: Given): Promise<number> {
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) {
    throw new Error(
      `The command accepts one argument, the file of a saved page (got ${positionals.length}). Example: ${commandLine.examples[0]}`,
    );
  }
  if (!URL.canParse(values.url)) {
    throw new Error(
      `--url must be an absolute URL, such as https://shop.example/p/1 (got "${values.url}").`,
    );
  }
  const rules = parseRules(rulesIn(values.config));
  const html = readPage(file);
  const url = new URL(values.url);
  const id = values.id ?? decodeURIComponent(url.pathname.split("/").findLast(Boolean) ?? "");
  const wanted = { id, url, currency: values.currency };
  const readers = { fallbacks: allFallbacks, forest: await priceForest(), rules };
  const extraction = extractProduct(html, wanted, readers);
  const trial: Trial = {
    rules: ruleValues(html, rules, { isComplete: true }).map(shownRule),
    proof: extraction.proof,
    facts: extraction.proof === "product" ? extraction.facts : {},
  };
  if (values.json === true) process.stdout.write(`${JSON.stringify(trial)}\n`);
  else print(trial);
  const problem = problemOf(extraction, ruleFacts(html, rules, wanted), values.currency);
  if (problem !== undefined) process.stderr.write(`${problem}\n`);
  return problem === undefined ? 0 : 1;
}

/**
 * Returns the reason why the adapter does not read what the rules find, or undefined if it does.
 */
function problemOf(
  extraction: Extraction,
  { price, availability, isPriceUnclear }: ProductFacts,
  currency: string,
): string | undefined {
  if (extraction.proof === "foreign_currency") {
    return `The price is in ${price?.currency ?? "another currency"}, not in ${currency}. The adapter would not read the page.`;
  }
  if (extraction.proof !== "product") {
    return "The page does not prove that it is the page of the product. Check --url and --id.";
  }
  if (isPriceUnclear === true)
    return "The value of the price is not one amount. Write a rule that finds only the amount.";
  if (price !== undefined && extraction.facts.price === undefined) {
    return `The price has no currency. Add a rule for currency, such as "= ${currency}".`;
  }
  return price === undefined && availability === undefined
    ? "The rules find no price and no availability. Add a rule for one of them."
    : undefined;
}

function print({ rules, proof, facts }: Trial): void {
  printTable("Rules", rules);
  process.stdout.write(`\nThe page proves: ${proof}\n`);
  const rows = Object.entries(facts).map(([field, value]) => ({
    field,
    value: typeof value === "string" ? value : JSON.stringify(value),
  }));
  if (rows.length > 0) printTable("The adapter reads", rows);
}

await runCommand(commandLine, check, { failureCode: 2 });
