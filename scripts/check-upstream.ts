/**
 * Checks an upstream server against the contract at `/docs/upstream`. Prints a line for each rule.
 * Exit codes: 0 if every mandatory rule holds, 1 if one fails or nothing was read, 2 for a wrong
 * command line.
 */
import { platforms } from "../shared/platforms/catalog.ts";
import { type StepScraperId, stepScraperIds, stepScrapers } from "../shared/scrapers/catalog.ts";
import type { Server } from "./check-upstream/exchange.ts";
import { conforms, type Finding, findingOf, report } from "./check-upstream/finding.ts";
import type { Subject } from "./check-upstream/read-call.ts";
import { checkScraper } from "./check-upstream/scraper-rules.ts";
import { checkRefusals, readCapabilities } from "./check-upstream/server-rules.ts";
import { jsonOption, runCommand, type ValuesOf } from "../tools/command-line/command-line.ts";
import { progressOf } from "../tools/command-line/progress.ts";
import { wholeNumberFrom } from "../tools/command-line/whole-number.ts";
import { secretFrom } from "../tools/sources/upstream/secret-option.ts";

export interface CheckOptions extends Pick<Subject, "marketplace" | "ids" | "unknownId"> {
  readonly server: Server;
  /**
   * The scraper to check. If it is absent, every scraper in the server's capabilities is checked.
   */
  readonly scraper: StepScraperId | undefined;
}

/**
 * Checks a server by calling it. Prints the progress to stderr.
 * @returns One finding for each rule that can be checked, in the order of the checks. A call
 * without a complete reply also results in a finding, not in an error.
 */
export async function checkUpstream(options: CheckOptions): Promise<Finding[]> {
  const { server, scraper, marketplace, ids, unknownId } = options;
  const { capabilities, finding } = await readCapabilities(server);
  const offered = (capabilities?.scrapers ?? []).filter(({ id }) => isScraper(id));
  const findings = [finding];
  const all = offered.map(({ id }) => id).filter(isScraper);
  const wanted = scraper === undefined ? all.filter((one) => hasShop(one, marketplace)) : [scraper];
  const progress = progressOf(wanted.length + 1, { everyMs: 5_000 });
  for (const one of wanted) {
    progress.begin(one);
    const maxBatch = offered.find(({ id }) => id === one)?.maxBatch;
    const subject = { scraper: one, marketplace, ids, unknownId, maxBatch };
    findings.push(...(await checkScraper(server, subject)));
  }
  if (ids.length === 0) findings.push(nothingRead);
  const [first = "retailer_d.standard"] = wanted;
  progress.begin("refusals");
  findings.push(...(await checkRefusals(server, { scraper: first, marketplace })));
  return findings;
}

/** The finding if no item could be read. Without results, most rules cannot be checked. */
const nothingRead = findingOf({
  rule: "read",
  level: "must",
  expected: "items to read: pass --scraper retailer_d.standard --ids <IDs of items that exist>",
  trouble: "nothing was read",
});

const known: ReadonlySet<string> = new Set(stepScraperIds);
const isScraper = (id: string): id is StepScraperId => known.has(id);

const hasShop = (scraper: StepScraperId, marketplace: string): boolean =>
  marketplacesOf(scraper).includes(marketplace);
const marketplacesOf = (scraper: StepScraperId): readonly string[] =>
  platforms[stepScrapers[scraper].platform].marketplaces.map(({ code }) => code);

export const checkCommandLine = {
  name: "npm run check:upstream",
  about:
    "Checks an upstream server against the contract at /docs/upstream. IDs of offer checks are\n" +
    "<asin>:<offerListingId> of offers that can be bought now.",
  argument: "<base URL>",
  options: {
    scraper: { type: "string", value: "<scraper>", about: "the scraper of the read items" },
    ids: { type: "string", value: "<id,id,…>", about: "items that exist" },
    "unknown-id": { type: "string", value: "<id>", about: "an item that does not exist" },
    marketplace: {
      type: "string",
      value: "<code>",
      default: "us",
      about: "the marketplace of the items",
    },
    "secret-env": {
      type: "string",
      value: "<name>",
      about: "the environment variable with the server's secret",
    },
    timeout: {
      type: "string",
      value: "<seconds>",
      default: "20",
      about: "the longest wait for a reply",
    },
    json: jsonOption,
  },
  examples: [
    "http://127.0.0.1:9900 --scraper retailer_d.standard --ids 1234567,2345678",
    "https://reads.example.com --scraper retailer_a.full --ids B000000001 --secret-env READ_SECRET --json",
  ],
} as const;

/** The accepted range of the timeout in seconds. */
const timeoutRange = { from: 1, to: 600 };

interface Given {
  readonly values: ValuesOf<(typeof checkCommandLine)["options"]>;
  readonly positionals: readonly string[];
}

/**
 * Returns the options of a parsed command line.
 * @throws Error that describes the invalid option
 */
export function checkOptionsFrom(
  { values, positionals }: Given,
  environment: Readonly<Record<string, string | undefined>>,
): CheckOptions {
  const { marketplace, timeout } = values;
  const scraper = scraperFrom(values.scraper, marketplace);
  return {
    server: {
      baseUrl: baseUrlFrom(positionals),
      secret: secretFrom(values["secret-env"], environment),
      timeoutMs: wholeNumberFrom("--timeout", timeout, timeoutRange) * 1_000,
    },
    scraper,
    marketplace,
    ids: idsFrom("--ids", values.ids?.split(","), scraper),
    unknownId: idsFrom("--unknown-id", [values["unknown-id"] ?? ""], scraper)[0],
  };
}

function baseUrlFrom([baseUrl = "", ...rest]: readonly string[]): string {
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new Error(
      `The first argument must be the base URL of the server, with http or https (got ${baseUrl === "" ? "nothing" : `"${baseUrl}"`}). Example: ${checkCommandLine.examples[0]}`,
    );
  }
  if (rest.length > 0)
    throw new Error(`The command accepts one argument, the base URL. Remove "${rest.join(" ")}".`);
  return baseUrl.replace(/\/+$/, "");
}

const isPair = (id: string): boolean => /^[^:]+:./.test(id);

/**
 * Returns the IDs of an option without repetition.
 * @throws Error if `--scraper` is absent.
 * @throws Error if the scraper checks offers and an ID is not of the form
 * `<asin>:<offerListingId>`.
 */
function idsFrom(
  option: string,
  given: readonly string[] | undefined,
  scraper: StepScraperId | undefined,
): string[] {
  const ids = [...new Set((given ?? []).map((id) => id.trim()).filter((id) => id !== ""))];
  if (ids.length > 0 && scraper === undefined)
    throw new Error(`${option} requires --scraper. Add it, or remove ${option}.`);
  const malformed =
    scraper === "retailer_a.offer_check" ? ids.find((one) => !isPair(one)) : undefined;
  if (malformed !== undefined) {
    throw new Error(
      `${option} of retailer_a.offer_check must have the form <asin>:<offerListingId> (got "${malformed}").`,
    );
  }
  return ids;
}

function scraperFrom(name: string | undefined, marketplace: string): StepScraperId | undefined {
  if (name === undefined) return undefined;
  if (!isScraper(name))
    throw new Error(`--scraper must be one of ${stepScraperIds.join(", ")} (got "${name}").`);
  if (!hasShop(name, marketplace)) {
    throw new Error(
      `--marketplace ${marketplace} is not available for ${name}. Choose one of ${marketplacesOf(name).join(", ")}.`,
    );
  }
  return name;
}

async function main(given: Given): Promise<number> {
  const findings = await checkUpstream(checkOptionsFrom(given, process.env));
  const result = { conforms: conforms(findings), findings };
  const isJson = given.values.json === true;
  process.stdout.write(isJson ? `${JSON.stringify(result)}\n` : report(findings));
  return result.conforms ? 0 : 1;
}

if (import.meta.main) {
  await runCommand(checkCommandLine, main, { failureCode: 2 });
}
