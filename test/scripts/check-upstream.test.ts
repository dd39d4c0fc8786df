import { execFile } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { checkUpstream, parseCheckOptions } from "../../scripts/check-upstream.ts";
import { conforms, type Finding, report } from "../../scripts/check-upstream/finding.ts";
import {
  alwaysPlaying,
  startUpstreamServer,
  type UpstreamServer,
  type UpstreamServerOptions,
} from "../../scripts/upstream-server.ts";
import { type Misbehaviour, misbehaviours } from "../../scripts/upstream/misbehaviours.ts";
import { systemClock } from "../../shared/base/system.ts";
import { type StepScraperId, stepScraperIds } from "../../shared/scrapers/catalogue.ts";
import { sandboxOffers } from "../../shared/sources/sandbox-offers.ts";

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
}

async function check(server: UpstreamServer, run: Run = {}): Promise<Finding[]> {
  const { scraper = "retailer_d.standard", ids = ["9000000", "9000003"], secret } = run;
  const { unknownId = "9000007" } = run;
  const target = { baseUrl: server.url, secret, timeoutMs: 2_000 };
  return checkUpstream({ server: target, scraper, marketplace: "us", ids, unknownId });
}

/** Rules that do not hold, without those that only warn. */
const failed = (findings: readonly Finding[]): string[] =>
  findings.filter((one) => one.outcome === "fail" && one.level === "must").map(({ rule }) => rule);
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

describe("the check of a server", () => {
  it.each(stepScraperIds)("finds nothing wrong with the reference server: %s", async (scraper) => {
    const server = await serve({ secret: "right" });
    const findings = await check(server, { ...(await runFor(scraper)), secret: "right" });
    expect([...failed(findings), ...warned(findings)]).toEqual([]);
    expect(findings.filter(({ outcome }) => outcome === "skip")).toEqual([]);
    expect(findings.length).toBeGreaterThan(25);
  });

  it("tries every scraper that the server offers where none is named", async () => {
    const { url } = await serve();
    const options = parseCheckOptions([url], {});
    const scrapers = (await checkUpstream(options)).map(({ scraper }) => scraper);
    expect(new Set(scrapers)).toEqual(new Set([undefined, ...stepScraperIds]));
  });

  const mustFail: readonly (readonly [Misbehaviour, string])[] = [
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
  ];
  it.each(mustFail)(
    "fails a server that plays %s for the rule %s",
    { timeout: 20_000 },
    async (name, rule) => {
      const findings = await check(await serve({ misbehave: alwaysPlaying(name) }));
      expect(failed(findings)).toContain(rule);
      expect(conforms(findings)).toBe(false);
    },
  );

  const shouldWarn: readonly (readonly [Misbehaviour, string])[] = [
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
  ];
  it.each(shouldWarn)("warns of a server that plays %s by the rule %s", async (name, rule) => {
    const findings = await check(await serve({ misbehave: alwaysPlaying(name) }));
    expect(failed(findings)).toEqual([]);
    expect(warned(findings)).toContain(rule);
    expect(conforms(findings)).toBe(true);
  });

  it("knows what to say of everything that the reference server can play", () => {
    const fine: readonly Misbehaviour[] = ["gzip", "br", "all_featured"];
    const tried = [...mustFail, ...shouldWarn].map(([name]) => name);
    expect([...fine, ...tried].toSorted()).toEqual(misbehaviours.toSorted());
  });

  it.each(["gzip", "br"] as const)("accepts replies in %s", async (name) => {
    expect(failed(await check(await serve({ misbehave: alwaysPlaying(name) })))).toEqual([]);
  });

  it("fails a server that finds what does not exist", async () => {
    expect(failed(await check(await serve(), { unknownId: "9000000" }))).toEqual(["unknown-id"]);
  });

  it("fails a server that asks for no secret", async () => {
    const findings = await check(await serve(), { secret: "right" });
    expect(failed(findings)).toEqual(["wrong-secret", "no-secret"]);
  });

  it("warns of a server that is slower than the deadline allows", async () => {
    const findings = await check(
      await serve({ misbehave: ({ body }) => (body["deadline_ms"] === 1 ? "hang" : undefined) }),
    );
    expect(warned(findings)).toEqual(["late-call"]);
  });

  it("says what was expected and what was seen, and shows no secret", async () => {
    const server = await serve({ misbehave: alwaysPlaying("garbage"), secret: "canary-8d2" });
    const text = report(await check(server, { secret: "canary-8d2" }));
    expect(text).toContain("FAIL retailer_d.standard json: expected a body of JSON");
    expect(text).toMatch(/seen: a body that begins with "\{/);
    expect(text).not.toContain("canary");
  });
});

describe("the command", () => {
  it.each([
    [[], "The base URL"],
    [["ftp://x"], "The base URL"],
    [["http://x", "--scraper", "nope"], "--scraper is one of"],
    [["http://x", "--ids", "1"], "--ids needs --scraper"],
    [["http://x", "--secret-env", "NO_SUCH"], "NO_SUCH is empty"],
    [["http://x", "--scraper", "retailer_d.standard", "--marketplace", "zz"], "--marketplace zz"],
  ])("refuses %j", (args, message) => {
    expect(() => parseCheckOptions(args, {})).toThrow(message);
  });

  it.each([
    ["gzip", 0],
    ["garbage", 1],
  ] as const)("exits against a server that plays %s with %d", async (name, code) => {
    const { url } = await serve({ misbehave: alwaysPlaying(name) });
    const script = new URL("../../scripts/check-upstream.ts", import.meta.url).pathname;
    const child = execFile(process.execPath, [
      script,
      url,
      "--scraper",
      "retailer_d.standard",
      "--ids",
      "9000000",
    ]);
    expect(await once(child, "exit")).toEqual([code, null]);
  });
});
