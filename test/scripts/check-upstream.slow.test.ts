import { execFile } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import {
  checkCommandLine,
  checkOptionsFrom,
  checkUpstream,
  type CheckOptions,
} from "../../scripts/check-upstream.ts";
import { parseOptions } from "../../tools/command-line/command-line.ts";
import { conforms, type Finding, report } from "../../scripts/check-upstream/finding.ts";
import {
  alwaysMisbehaving,
  startUpstreamServer,
  type UpstreamServer,
  type UpstreamServerOptions,
} from "../../tools/sources/upstream/server.ts";
import { type Misbehavior, misbehaviors } from "../../tools/sources/upstream/misbehaviors.ts";
import { systemClock } from "../../shared/base/system.ts";
import { type StepScraperId, stepScraperIds } from "../../shared/scrapers/catalog.ts";
import { sandboxOffers } from "../../shared/sources/sandbox/offers.ts";

const started: UpstreamServer[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.close()));
});

async function serve(options: Partial<UpstreamServerOptions> = {}): Promise<UpstreamServer> {
  const server = await startUpstreamServer({ port: 0, maxBatch: 20, ...options });
  started.push(server);
  return server;
}

interface Run {
  readonly scraper?: StepScraperId;
  readonly ids?: readonly string[];
  readonly unknownId?: string;
  readonly secret?: string;
  /**
   * How long a call may take, in milliseconds. Set a short time only for calls that are expected to
   * fail.
   */
  readonly timeoutMs?: number;
}

async function check(server: UpstreamServer, run: Run = {}): Promise<Finding[]> {
  const { scraper = "retailer_d.standard", ids = ["9000000", "9000003"], secret } = run;
  const { unknownId = "9000007", timeoutMs = 60_000 } = run;
  const target = { baseUrl: server.url, secret, timeoutMs };
  return checkUpstream({ server: target, scraper, marketplace: "us", ids, unknownId });
}

const optionsIn = (args: readonly string[]): CheckOptions =>
  checkOptionsFrom(parseOptions(args, checkCommandLine.options, true), {});

/** Returns the names of the violated rules whose level is `must`. */
const failed = (findings: readonly Finding[]): string[] =>
  findings.filter((one) => one.outcome === "fail" && one.level === "must").map(({ rule }) => rule);
/** Returns the names of the violated rules whose level is `should`. */
const warned = (findings: readonly Finding[]): string[] =>
  findings
    .filter((one) => one.outcome === "fail" && one.level === "should")
    .map(({ rule }) => rule);

async function buyboxOffer(): Promise<string> {
  const source = sandboxOffers({ seed: "sandbox", clock: systemClock });
  const deadline = new Date(Date.now() + 1_000);
  const [answer] = await source.readOffers({ marketplace: "us", ids: ["B0SANDBOX0"], deadline });
  const [offer] = answer?.status === "ok" ? answer.offers : [];
  return `B0SANDBOX0:${offer?.offerListingId}`;
}

async function runFor(scraper: StepScraperId): Promise<Run> {
  if (scraper === "retailer_a.offer_check") {
    return { scraper, ids: [await buyboxOffer()], unknownId: "B0SANDBOX7:none" };
  }
  const prefix = scraper.startsWith("retailer_a.") ? "B0SANDBOX" : "900000";
  return { scraper, ids: [`${prefix}0`, `${prefix}1`, `${prefix}3`], unknownId: `${prefix}7` };
}

describe("the upstream check", () => {
  it.each(stepScraperIds)(
    "finds no failure in the replies of the reference server for the scraper %s",
    async (scraper) => {
      const server = await serve({ secret: "right" });
      const findings = await check(server, { ...(await runFor(scraper)), secret: "right" });
      expect([...failed(findings), ...warned(findings)]).toEqual([]);
      expect(findings.filter(({ outcome }) => outcome === "skip")).toEqual([]);
      expect(findings.length).toBeGreaterThan(25);
    },
  );

  it("fails if the command line names no IDs, and reports every scraper in the server's capabilities as skipped", async () => {
    const { url } = await serve();
    const findings = await checkUpstream(optionsIn([url]));
    const scrapers = findings.map(({ scraper }) => scraper);
    expect(new Set(scrapers)).toEqual(new Set([undefined, ...stepScraperIds]));
    expect(failed(findings)).toEqual(["read"]);
    expect(report(findings)).toContain("--scraper retailer_d.standard --ids");
  });

  it("fails if the command line names a scraper without IDs", async () => {
    const findings = await check(await serve(), { ids: [] });
    expect(failed(findings)).toEqual(["read"]);
  });

  const mustFail: readonly (readonly [Misbehavior, string])[] = [
    ["500", "reply"],
    ["400", "reply"],
    ["404", "reply"],
    ["503", "reply"],
    ["redirect", "reply"],
    ["hang", "reply"],
    ["reset", "reply"],
    ["cut_off", "reply"],
    ["endless", "size"],
    ["garbage", "json"],
    ["wrong_charset", "encoding"],
    ["declared_charset", "encoding"],
    ["no_data", "schema"],
    ["other_currency", "currency"],
    ["stale", "fresh"],
    ["no_zone", "time"],
    ["lying_charset", "encoding"],
    ["all_not_found", "found"],
    ["all_unavailable", "found"],
    ["error_beside", "no-error-beside"],
    ["zero_prices", "promise"],
  ];
  it.each(mustFail)(
    "reports, for a server with the misbehavior '%s', a failure of the rule '%s'",
    async (name, rule) => {
      const server = await serve({ misbehave: alwaysMisbehaving(name) });
      const findings = await check(server, { timeoutMs: 2_000 });
      expect(failed(findings)).toContain(rule);
      expect(conforms(findings)).toBe(false);
    },
  );

  const shouldWarn: readonly (readonly [Misbehavior, string])[] = [
    ["429_seconds", "busy"],
    ["429_date", "busy"],
    ["not_json_type", "content-type"],
    ["ids_missing", "every-id"],
    ["ids_doubled", "once"],
    ["ids_foreign", "asked-only"],
    ["text_numbers", "types"],
    ["numeric_ids", "types"],
    ["unknown_fields", "unknown-fields"],
    ["with_asin", "unknown-fields"],
    ["no_time", "fetched-at"],
    ["ahead", "clock"],
    ["relative_links", "dropped"],
  ];
  it.each(shouldWarn)(
    "reports, for a server with the misbehavior '%s', a warning about the rule '%s'",
    async (name, rule) => {
      const findings = await check(await serve({ misbehave: alwaysMisbehaving(name) }));
      expect(failed(findings)).toEqual([]);
      expect(warned(findings)).toContain(rule);
      expect(conforms(findings)).toBe(true);
    },
  );

  it("is tested with every misbehavior of the reference server", () => {
    const fine: readonly Misbehavior[] = ["gzip", "br", "null_data"];
    const elsewhere: readonly Misbehavior[] = [
      "all_featured",
      "negative_prices",
      "total_of_none",
      "wrong_asin",
    ];
    const tried = [...mustFail, ...shouldWarn].map(([name]) => name);
    expect([...fine, ...elsewhere, ...tried].toSorted()).toEqual(misbehaviors.toSorted());
  });

  it.each(["gzip", "br"] as const)(
    "accepts replies that are compressed with the encoding %s",
    async (name) => {
      expect(failed(await check(await serve({ misbehave: alwaysMisbehaving(name) })))).toEqual([]);
    },
  );

  it("accepts a result with the status not_found and null in its field 'data'", async () => {
    const server = await serve({ misbehave: alwaysMisbehaving("null_data") });
    const findings = await check(server, { ids: ["9000000", "9000007"] });
    expect(failed(findings)).toEqual([]);
    // The misbehaving server does not compress its responses.
    expect(warned(findings)).toEqual(["gzip-reply"]);
  });

  it("accepts an offer check with the status not_found and null in its field 'data'", async () => {
    const server = await serve({ misbehave: alwaysMisbehaving("null_data") });
    const run = await runFor("retailer_a.offer_check");
    const ids = [...(run.ids ?? []), "B0SANDBOX7:none"];
    const findings = await check(server, { ...run, ids });
    expect([...failed(findings), ...warned(findings)]).toEqual(["gzip-reply"]);
  });

  it.each(["all_featured", "total_of_none"] as const)(
    "warns that the service would change offers of a server with the misbehavior '%s'",
    async (name) => {
      const server = await serve({ misbehave: alwaysMisbehaving(name) });
      const findings = await check(server, await runFor("retailer_a.offers"));
      expect(failed(findings)).toEqual([]);
      expect(warned(findings)).toContain("changed");
    },
  );

  it("names the invalid field if the service would reject a listing", async () => {
    const server = await serve({ misbehave: alwaysMisbehaving("negative_prices") });
    const findings = await check(server, await runFor("retailer_a.offers"));
    expect(failed(findings)).toContain("taken");
    expect(report(findings)).toMatch(/B0SANDBOX0 reports ok with offers\.0\.price: -5/);
  });

  it("reports a failure if offer checks return the ASIN of another item", async () => {
    const server = await serve({ misbehave: alwaysMisbehaving("wrong_asin") });
    const run = await runFor("retailer_a.offer_check");
    const findings = await check(server, run);
    expect(failed(findings)).toEqual(["found", "asin"]);
    expect(report(findings)).toContain(`${run.ids?.[0]} with B0FOREIGN0`);
  });

  it("reports a failure if offer checks report every offer as not buyable", async () => {
    const server = await serve({ misbehave: alwaysMisbehaving("all_not_found") });
    const findings = await check(server, await runFor("retailer_a.offer_check"));
    expect(failed(findings)).toEqual(["found"]);
    expect(report(findings)).toContain("seen: 1 not buyable");
  });

  it("identifies an offer by the ASIN of its item and its offerListingId", async () => {
    const scraper = "retailer_a.offer_check";
    const offer = await buyboxOffer();
    const ids = [offer, offer.replace("B0SANDBOX0", "B0SANDBOX1")];
    const findings = await check(await serve(), { scraper, ids, unknownId: "B0SANDBOX7:none" });
    expect([...failed(findings), ...warned(findings)]).toEqual([]);
  });

  it("names the fields that the service would drop, with their values", async () => {
    const text = report(
      await check(await serve({ misbehave: alwaysMisbehaving("relative_links") })),
    );
    expect(text).toContain('results.0.data.url: "/p/1"');
    expect(text).toContain('results.0.data.images: ["//cdn.example/1.png"]');
  });

  it("reports a failure if the server finds an item that does not exist", async () => {
    expect(failed(await check(await serve(), { unknownId: "9000000" }))).toEqual(["unknown-id"]);
  });

  it("reports a failure if the server returns an error for an item that does not exist", async () => {
    const server = await serve({
      misbehave: ({ ids }) => (ids.includes("9000007") ? "error_beside" : undefined),
    });
    const findings = await check(server);
    expect(failed(findings)).toEqual(["unknown-id"]);
    expect(report(findings)).toContain("seen: an error next to the results");
  });

  it("reports a failure if the server accepts calls without its secret", async () => {
    const findings = await check(await serve(), { secret: "right" });
    expect(failed(findings)).toEqual(["wrong-secret", "no-secret"]);
  });

  it("reports a warning if the server responds after the deadline", async () => {
    const findings = await check(
      await serve({ misbehave: ({ body }) => (body["deadline_ms"] === 1 ? "hang" : undefined) }),
    );
    expect(warned(findings)).toEqual(["late-call"]);
  });

  it("reports the expected and the observed value, but not the server's secret", async () => {
    const server = await serve({ misbehave: alwaysMisbehaving("garbage"), secret: "canary-8d2" });
    const text = report(await check(server, { secret: "canary-8d2" }));
    expect(text).toContain("FAIL retailer_d.standard json: expected a JSON body");
    expect(text).toMatch(/seen: a body that begins with "\{/);
    expect(text).not.toContain("canary");
  });
});

describe("the command check:upstream", () => {
  it.each([
    [[], "The first argument must be the base URL of the server, with http or https (got nothing)"],
    [
      ["ftp://x"],
      'The first argument must be the base URL of the server, with http or https (got "ftp://x")',
    ],
    [["http://x", "--scraper", "nope"], "--scraper must be one of"],
    [["http://x", "--ids", "1"], "--ids requires --scraper"],
    [["http://x", "--unknown-id", "1"], "--unknown-id requires --scraper"],
    [["http://x", "1234567"], 'The command accepts one argument, the base URL. Remove "1234567".'],
    [["http://x", "--secret-env", "NO_SUCH"], "variable NO_SUCH must contain the secret"],
    [["http://x", "--timeout", "abc"], '--timeout must be an integer from 1 to 600 (got "abc").'],
    [["http://x", "--timeout", "0"], "--timeout must be an integer"],
    [["http://x", "--timeout", ""], "--timeout must be an integer"],
    [["http://x", "--scraper", "retailer_a.offer_check", "--ids", "B0SANDBOX0"], "<asin>:"],
    [["http://x", "--scraper", "retailer_d.standard", "--marketplace", "zz"], "--marketplace zz"],
  ])("refuses the arguments %j with the message: %s", (args, message) => {
    expect(() => optionsIn(args)).toThrow(message);
  });

  const exitOf = async (args: readonly string[]): Promise<number | null> => {
    const script = new URL("../../scripts/check-upstream.ts", import.meta.url).pathname;
    const child = execFile(process.execPath, [script, ...args]);
    return new Promise((resolve) => void child.on("exit", resolve));
  };
  const named = ["--scraper", "retailer_d.standard", "--ids", "9000000"];

  it.each([
    ["gzip", named, 0],
    ["garbage", named, 1],
    ["gzip", [], 1],
    ["gzip", ["--ids", "9000000"], 2],
    ["gzip", ["--no-such-option"], 2],
  ] as const)(
    "checks a server with the misbehavior '%s' with the arguments %j, and exits with %d",
    async (name, args, code) => {
      const { url } = await serve({ misbehave: alwaysMisbehaving(name) });
      expect(await exitOf([url, ...args])).toBe(code);
    },
  );

  it("reads each ID in the arguments once and without surrounding spaces", () => {
    const args = ["http://x/", "--scraper", "retailer_d.standard", "--ids", "1, 2,1,"];
    expect(optionsIn(args)).toMatchObject({
      server: { baseUrl: "http://x", timeoutMs: 20_000 },
      ids: ["1", "2"],
      unknownId: undefined,
    });
  });
});
