/**
 * Tells a team what its server gets wrong of the contract of `/docs/upstream`:
 * `npm run check:upstream -- <base URL> --scraper retailer_d.standard --ids 1234567,2345678`.
 * Prints a line for each rule; exits with 1 when one fails that must hold.
 */
import { parseArgs } from "node:util";
import { platforms } from "../shared/platforms/catalogue.ts";
import { type StepScraperId, stepScraperIds, stepScrapers } from "../shared/scrapers/catalogue.ts";
import type { Server } from "./check-upstream/exchange.ts";
import { conforms, type Finding, report } from "./check-upstream/finding.ts";
import type { Subject } from "./check-upstream/read-call.ts";
import { checkScraper } from "./check-upstream/scraper-rules.ts";
import { checkRefusals, readCapabilities } from "./check-upstream/server-rules.ts";

export interface CheckOptions extends Pick<Subject, "marketplace" | "ids" | "unknownId"> {
  readonly server: Server;
  /** Absent: every scraper that the server says it reads for. */
  readonly scraper: StepScraperId | undefined;
}

/** Findings on every rule that can be tried, in the order tried. */
export async function checkUpstream(options: CheckOptions): Promise<Finding[]> {
  const { server, scraper, marketplace, ids, unknownId } = options;
  const { capabilities, finding } = await readCapabilities(server);
  const offered = (capabilities?.scrapers ?? []).filter(({ id }) => isScraper(id));
  const findings = [finding];
  const all = offered.map(({ id }) => id).filter(isScraper);
  const wanted = scraper === undefined ? all.filter((one) => hasShop(one, marketplace)) : [scraper];
  for (const one of wanted) {
    const maxBatch = offered.find(({ id }) => id === one)?.maxBatch;
    const subject = { scraper: one, marketplace, ids, unknownId, maxBatch };
    findings.push(...(await checkScraper(server, subject)));
  }
  const [first = "retailer_d.standard"] = wanted;
  findings.push(...(await checkRefusals(server, { scraper: first, marketplace })));
  return findings;
}

const known: ReadonlySet<string> = new Set(stepScraperIds);
const isScraper = (id: string): id is StepScraperId => known.has(id);

const hasShop = (scraper: StepScraperId, marketplace: string): boolean =>
  platforms[stepScrapers[scraper].platform].marketplaces.some(({ code }) => code === marketplace);

const usage =
  "npm run check:upstream -- <base URL> [--secret-env NAME] [--marketplace us] " +
  "[--scraper retailer_d.standard --ids 1,2,3 [--unknown-id 4]]\n" +
  "Ids of offer checks are <asin>:<offerListingId>.\n";

/** The options of a command line. @throws Error that says what is wrong with it */
export function parseCheckOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): CheckOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      scraper: { type: "string" },
      ids: { type: "string" },
      marketplace: { type: "string", default: "us" },
      "unknown-id": { type: "string" },
      "secret-env": { type: "string" },
      timeout: { type: "string", default: "20" },
    },
  });
  const { ids = "", marketplace, timeout } = values;
  const [baseUrl = ""] = positionals;
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new Error(`The base URL of the server is missing\n${usage}`);
  }
  const scraper = scraperFrom(values.scraper, marketplace);
  if (ids !== "" && scraper === undefined) throw new Error("--ids needs --scraper");
  return {
    server: {
      baseUrl: baseUrl.replace(/\/+$/, ""),
      secret: secretFrom(values["secret-env"], environment),
      timeoutMs: Number(timeout) * 1_000,
    },
    scraper,
    marketplace,
    ids: ids.split(",").filter((id) => id !== ""),
    unknownId: values["unknown-id"],
  };
}

function scraperFrom(name: string | undefined, marketplace: string): StepScraperId | undefined {
  if (name === undefined) return undefined;
  if (!isScraper(name)) throw new Error(`--scraper is one of ${stepScraperIds.join(", ")}`);
  if (!hasShop(name, marketplace)) {
    throw new Error(`--marketplace ${marketplace} is none of ${name}`);
  }
  return name;
}

function secretFrom(
  name: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (name === undefined) return undefined;
  const secret = environment[name];
  if (!secret) throw new Error(`The variable ${name} is empty`);
  return secret;
}

async function main(): Promise<void> {
  const findings = await checkUpstream(parseCheckOptions(process.argv.slice(2), process.env));
  process.stdout.write(report(findings));
  process.exitCode = conforms(findings) ? 0 : 1;
}

if (import.meta.main) {
  await main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  });
}
