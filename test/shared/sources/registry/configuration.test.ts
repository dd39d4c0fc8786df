import { describe, expect, it } from "vitest";
import { stepScraperIds } from "../../../../shared/scrapers/catalog.ts";
import {
  canServe,
  type ParseOptions,
  parseSources,
  secretsOf,
  type SourceConfiguration,
} from "../../../../shared/sources/registry/configuration.ts";

const canary = "canary-key-77aa";
const secretArn = "arn:aws:secretsmanager:us-east-1:123456789012:secret:sources/d-AbCdEf";
const kmsKeyArn = "arn:aws:kms:us-east-1:123456789012:key/0f0f0f0f-1111-2222-3333-444444444444";
const baseUrl = "https://api.example";

/** Complete options for each adapter. */
const adapters: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  sandbox: { adapter: "sandbox" },
  upstream: { adapter: "upstream", baseUrl },
  d_catalog: { adapter: "d_catalog", baseUrl },
  b_affiliate: {
    adapter: "b_affiliate",
    baseUrl,
    consumerId: "c-1",
    keyVersion: 2,
    privateKey: "/sources/b",
  },
  a_history: { adapter: "a_history", baseUrl, secret: secretArn },
  storefront: { adapter: "storefront", baseUrl, idTemplate: "gid://store/ProductVariant/{id}" },
  web: {
    adapter: "web",
    urlTemplate: "https://shop.example/p/{id}",
    userAgent: "product-reader/1.0 (+mailto:ops@team.example)",
  },
};
const sandboxes = Object.fromEntries(stepScraperIds.map((id) => [id, { adapter: "sandbox" }]));
const variableWith = (source: unknown, scraper = "retailer_d.standard"): string =>
  JSON.stringify({ ...sandboxes, [scraper]: source });
const parse = (source: unknown, options?: ParseOptions): SourceConfiguration =>
  parseSources(variableWith(source), options);

function refusalOf(variable: string): string {
  try {
    parseSources(variable);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("The configuration was accepted");
}

describe("the environment variable SOURCES", () => {
  it("is accepted with an adapter for each scraper and with optional options", () => {
    const parsed = parse({ adapter: "sandbox" });
    expect(Object.keys(parsed).toSorted()).toEqual(stepScraperIds.toSorted());
    for (const source of Object.values(parsed)) {
      expect(source).toEqual({ adapter: "sandbox", seed: "sandbox" });
    }
    expect(parse({ adapter: "d_catalog", baseUrl })["retailer_d.standard"]).toEqual({
      adapter: "d_catalog",
      baseUrl,
      batchIdsMax: 100,
      callsPerSecond: 4,
      burst: 1,
      callsAtOnceMax: 2,
      tryTimeoutMs: 15_000,
    });
  });

  it.each([
    ["retailer_a.pulse", ["sandbox", "upstream", "a_history"]],
    ["retailer_a.lite", ["sandbox", "upstream", "a_history"]],
    ["retailer_a.full", ["sandbox", "upstream", "a_history"]],
    ["retailer_a.offers", ["sandbox", "upstream", "a_history"]],
    ["retailer_a.offer_check", ["sandbox", "upstream", "a_history"]],
    ["retailer_b.standard", ["sandbox", "upstream", "b_affiliate", "storefront", "web"]],
    ["retailer_c.standard", ["sandbox", "upstream", "storefront", "web"]],
    ["retailer_d.standard", ["sandbox", "upstream", "d_catalog", "storefront", "web"]],
  ])("accepts for the scraper %s exactly the adapters %j", (scraper, allowed) => {
    for (const [adapter, options] of Object.entries(adapters)) {
      // The adapter of offer checks must recognize the offer IDs of the other scrapers.
      const offers = /^retailer_a\.(?:offer|lite|full)/.test(scraper) &&
        allowed.includes(adapter) && {
          "retailer_a.offers": options,
          "retailer_a.offer_check": options,
        };
      const variable = JSON.stringify({ ...sandboxes, ...offers, [scraper]: options });
      expect(canServe(adapter, scraper)).toBe(allowed.includes(adapter));
      if (allowed.includes(adapter)) expect(() => parseSources(variable)).not.toThrow();
      else
        expect(refusalOf(variable)).toBe(
          `SOURCES: ${scraper}.adapter: must be one of ${allowed.join(", ")}`,
        );
    }
  });

  it("accepts base URLs with plain HTTP only for loopback addresses", () => {
    const on = (url: string) => () => parse({ adapter: "d_catalog", baseUrl: url });
    expect(on("http://127.0.0.1:9999")).not.toThrow();
    for (const url of [
      "http://api.example",
      "https://user:pass@api.example",
      "ftp://api.example",
    ]) {
      expect(on(url)).toThrow(/baseUrl: must be an https:/);
    }
  });

  const wrong: readonly [key: string, scraper: string, changes: Record<string, unknown>][] = [
    ["adapter", "retailer_d.standard", { adapter: "magic" }],
    ["adapter", "retailer_d.standard", {}],
    ["baseUrl", "retailer_d.standard", { adapter: "d_catalog" }],
    ["apikey", "retailer_d.standard", { ...adapters["d_catalog"], apikey: canary }],
    ["secret", "retailer_d.standard", { ...adapters["d_catalog"], secret: canary }],
    ["secret", "retailer_d.standard", { ...adapters["d_catalog"], secret: 7 }],
    ["callsAtOnceMax", "retailer_d.standard", { ...adapters["d_catalog"], callsAtOnceMax: 0 }],
    ["callsPerSecond", "retailer_d.standard", { ...adapters["d_catalog"], callsPerSecond: "4" }],
    ["burst", "retailer_d.standard", { ...adapters["upstream"], burst: 1.5 }],
    ["batchIdsMax", "retailer_d.standard", { ...adapters["d_catalog"], batchIdsMax: 101 }],
    ["tryTimeoutMs", "retailer_b.standard", { ...adapters["b_affiliate"], tryTimeoutMs: 1 }],
    ["consumerId", "retailer_b.standard", { ...adapters["b_affiliate"], consumerId: "a\nb" }],
    ["privateKey", "retailer_b.standard", { ...adapters["b_affiliate"], privateKey: undefined }],
    ["secret", "retailer_a.lite", { ...adapters["a_history"], secret: undefined }],
    ["urlTemplate", "retailer_c.standard", { ...adapters["web"], urlTemplate: baseUrl }],
    ["userAgent", "retailer_c.standard", { ...adapters["web"], userAgent: "browser" }],
    ["seed", "retailer_d.standard", { adapter: "sandbox", seed: 4 }],
  ];
  it.each(wrong)(
    "is refused with an error that names the invalid key '%s' of the scraper %s, for the value %j",
    (key, scraper, source) => {
      const refusal = refusalOf(variableWith(source, scraper));
      expect(refusal).toMatch(`SOURCES: ${scraper}.${key}: `);
      expect(refusal).not.toContain(canary);
    },
  );

  it.each([
    ["callsPerSecond", 0.05, "must be from 0.1 to 1000 calls per second (got 0.05)"],
    ["burst", 1_001, "must be from 1 to 1000 calls (got 1001)"],
    ["callsAtOnceMax", 300, "must be from 1 to 256 calls (got 300)"],
    ["callsAtOnceMax", 1.5, "must be a whole number of calls (got 1.5)"],
    ["tryTimeoutMs", "9", "must be a number of milliseconds (got a string)"],
    ["tryTimeoutMs", 5, "must be from 1000 to 300000 milliseconds (got 5)"],
    ["batchIdsMax", 5_000, "must be from 1 to 1000 IDs per call (got 5000)"],
    ["baseUrl", undefined, "is missing. The adapter upstream requires it"],
    ["apikey", canary, "is not an option of the adapter upstream"],
  ])(
    "is refused with an error that names the key '%s' and the rule that the value %j violates",
    (name, value, message) => {
      expect(refusalOf(variableWith({ ...adapters["upstream"], [name]: value }))).toBe(
        `SOURCES: retailer_d.standard.${name}: ${message}`,
      );
    },
  );

  it("is refused if a scraper is missing, or if it names an unknown scraper", () => {
    const { "retailer_a.offers": _left, ...forgotten } = sandboxes;
    expect(refusalOf(JSON.stringify(forgotten))).toBe(
      "SOURCES: retailer_a.offers: is missing. Configure every scraper",
    );
    const unknown = { ...sandboxes, "retailer_z.pulse": {} };
    expect(refusalOf(JSON.stringify(unknown))).toBe(
      "SOURCES: retailer_z.pulse: is not a scraper ID",
    );
    expect(refusalOf("7")).toBe("SOURCES must be a JSON object");
  });

  it.each([
    `{"retailer_d.standard": {"adapter": "d_catalog", "secret": "${canary}"`,
    variableWith({ adapter: canary }),
    variableWith({ adapter: "d_catalog", baseUrl: canary }),
    variableWith({ adapter: "d_catalog", baseUrl, secret: { reference: canary } }),
    variableWith({
      adapter: "d_catalog",
      baseUrl,
      secret: { reference: secretArn, kmsKeyArn: canary },
    }),
    variableWith(canary),
    JSON.stringify(canary),
  ])(
    "is refused with an error that repeats none of the configured values (case %#)",
    (variable) => {
      expect(refusalOf(variable)).not.toContain(canary);
    },
  );
});

describe("the adapter of offer checks in SOURCES", () => {
  const reads = (chosen: Readonly<Record<string, string>>): string =>
    JSON.stringify({
      ...sandboxes,
      ...Object.fromEntries(
        Object.entries(chosen).map(([tier, adapter]) => [`retailer_a.${tier}`, adapters[adapter]]),
      ),
    });

  it.each([
    [
      { offers: "a_history" },
      "sandbox",
      "offers returns from a_history. Set the adapter to a_history, or to upstream",
    ],
    [
      { offers: "upstream" },
      "sandbox",
      "offers returns from upstream. Set the adapter to upstream",
    ],
    [
      { offer_check: "a_history" },
      "a_history",
      "offers returns from sandbox. Set the adapter to sandbox, or to upstream",
    ],
    [
      { offers: "upstream", offer_check: "a_history" },
      "a_history",
      "offers returns from upstream. Set the adapter to upstream",
    ],
    [
      { lite: "upstream", offers: "a_history", offer_check: "a_history" },
      "a_history",
      "lite returns from upstream. Set the adapter to upstream",
    ],
    [
      { full: "upstream", offers: "a_history", offer_check: "a_history" },
      "a_history",
      "full returns from upstream. Set the adapter to upstream",
    ],
    [{ lite: "upstream" }, "sandbox", "lite returns from upstream. Set the adapter to upstream"],
    [
      { full: "a_history" },
      "sandbox",
      "full returns from a_history. Set the adapter to upstream, or set it and retailer_a.offers to a_history",
    ],
    [
      { full: "a_history", offer_check: "a_history" },
      "a_history",
      "offers returns from sandbox. Set the adapter to upstream, or set retailer_a.offers to a_history",
    ],
    [
      { pulse: "a_history", lite: "a_history", full: "upstream" },
      "sandbox",
      "lite returns from a_history. Set the adapter to upstream, or set it and retailer_a.offers and " +
        "retailer_a.full to a_history",
    ],
  ])(
    "is refused if it does not recognize another adapter's offer IDs (the other adapters: %j, the adapter of offer checks: %s)",
    (chosen, checker, rest) => {
      expect(refusalOf(reads(chosen))).toBe(
        "SOURCES: retailer_a.offer_check.adapter: " +
          `${checker} does not recognize the offer IDs that retailer_a.${rest}`,
      );
    },
  );

  it.each<[Readonly<Record<string, string>>, "accepted" | "refused"]>([
    [{ lite: "upstream" }, "accepted"],
    [{ full: "a_history" }, "accepted"],
    [{ offers: "a_history" }, "refused"],
    [{ full: "a_history", offer_check: "a_history" }, "refused"],
  ])(
    "on a developer's machine, with the adapters %j and otherwise the sandbox, is %s",
    (chosen, result) => {
      const trial = (): SourceConfiguration =>
        parseSources(reads(chosen), { allowVariables: true });
      if (result === "accepted") expect(trial).not.toThrow();
      else expect(trial).toThrow("does not recognize the offer IDs");
    },
  );

  it.each([
    { offers: "a_history", offer_check: "a_history" },
    { lite: "a_history", full: "a_history", offers: "a_history", offer_check: "a_history" },
    { offers: "a_history", offer_check: "upstream" },
    { offers: "upstream", offer_check: "upstream" },
    { offer_check: "upstream" },
    { lite: "upstream", offer_check: "upstream" },
    { pulse: "a_history" },
    { pulse: "upstream", offers: "a_history", offer_check: "a_history" },
  ])("may be combined with the other adapters in the configuration %j", (chosen) => {
    expect(() => parseSources(reads(chosen))).not.toThrow();
  });
});

describe("the options of a store in SOURCES", () => {
  const refused = (options: Readonly<Record<string, unknown>>): string =>
    refusalOf(variableWith({ ...adapters["storefront"], ...options }));

  it("default to unchanged IDs, 40 IDs per call, and four calls per second", () => {
    const { ["retailer_d.standard"]: source } = parse({ adapter: "storefront", baseUrl });
    expect(source).toEqual({
      adapter: "storefront",
      baseUrl,
      idTemplate: "{id}",
      batchIdsMax: 10,
      callsPerSecond: 4,
      burst: 4,
      callsAtOnceMax: 4,
      tryTimeoutMs: 15_000,
    });
  });

  it.each([
    [
      { baseUrl: "https://store.example/shop" },
      "baseUrl: must be the store's address without a path",
    ],
    [{ baseUrl: "http://store.example" }, "baseUrl: must be an https:// URL"],
    [{ idTemplate: "gid://store/1" }, "idTemplate: must contain {id} exactly once"],
    [{ idTemplate: "{id}/{id}" }, "idTemplate: must contain {id} exactly once"],
    [{ profileUrl: "http://service.example/profile" }, "profileUrl: must be an https:// URL"],
    [
      { profileUrl: "https://a.example/{version}/{version}" },
      "profileUrl: must be an https:// URL",
    ],
    [{ endpointPath: "//other.example/mcp" }, "endpointPath: must be a path on the store's host"],
    [
      { endpointPath: "https://other.example/mcp" },
      "endpointPath: must be a path on the store's host",
    ],
  ])("are refused if they contain %j", (options, message) => {
    expect(refused(options)).toContain(`SOURCES: retailer_d.standard.${message}`);
  });

  it.each([
    "https://service.example/v1/agent_profiles/{version}",
    "https://service.example/profile.json",
    "http://127.0.0.1:8787/{version}",
  ])("may name the agent profile at the address %s", (profileUrl) => {
    expect(() => parse({ ...adapters["storefront"], profileUrl })).not.toThrow();
  });
});

describe("the secrets of SOURCES", () => {
  it("are configured as references, each with the KMS key of the secret if the secret has a KMS key", () => {
    const d = { ...adapters["d_catalog"], secret: { reference: secretArn, kmsKeyArn } };
    const a = { ...adapters["a_history"], secret: "/sources/a" };
    const variable = {
      ...sandboxes,
      "retailer_a.lite": a,
      "retailer_a.full": a,
      "retailer_a.offer_check": adapters["upstream"],
      "retailer_b.standard": adapters["b_affiliate"],
      "retailer_d.standard": d,
    };
    expect(secretsOf(parseSources(JSON.stringify(variable)))).toEqual([
      { reference: "/sources/a" },
      { reference: "/sources/b" },
      { reference: secretArn, kmsKeyArn },
    ]);
  });

  it("may be environment variables on a developer's machine, and nowhere else", () => {
    const source = { ...adapters["d_catalog"], secret: "env:KEY" };
    expect(() => parse(source)).toThrow(
      "SOURCES: retailer_d.standard.secret: 'env:' works only on a developer's machine.",
    );
    expect(() => parse(source, { allowVariables: true })).not.toThrow();
  });
});

describe("a base URL in SOURCES", () => {
  it.each([
    ["upstream", "/read", "retailer_d.standard"],
    ["upstream", "/read/", "retailer_d.standard"],
    ["d_catalog", "/v1", "retailer_d.standard"],
    ["d_catalog", "/v1/", "retailer_d.standard"],
    ["d_catalog", "/v1/products", "retailer_d.standard"],
    ["b_affiliate", "/product/v2/items", "retailer_b.standard"],
    ["a_history", "/product", "retailer_a.lite"],
  ])(
    "for the adapter %s must not end with a path that the adapter appends (the path: %s)",
    (adapter, path, scraper) => {
      const source = { ...adapters[adapter], baseUrl: `${baseUrl}${path}` };
      expect(refusalOf(variableWith(source, scraper))).toMatch(
        /\.baseUrl: must not end with \/\w+(?: or \/\w+)?, which the service appends$/,
      );
    },
  );

  it.each([
    ["upstream", "/reader", "retailer_d.standard"],
    ["upstream", "/v1", "retailer_d.standard"],
    ["d_catalog", "/v1/proxy", "retailer_d.standard"],
    ["b_affiliate", "/product/v2", "retailer_b.standard"],
  ])("for the adapter %s may end with another path (the path: %s)", (adapter, path, scraper) => {
    const source = { ...adapters[adapter], baseUrl: `${baseUrl}${path}` };
    expect(() => parseSources(variableWith(source, scraper))).not.toThrow();
  });
});

describe("two scrapers with the same adapter in SOURCES", () => {
  const two = (one: object, other: object, adapter = "upstream"): string =>
    JSON.stringify({
      ...sandboxes,
      "retailer_a.offer_check": { ...adapters["upstream"], baseUrl: "https://checks.example" },
      "retailer_a.pulse": { ...adapters[adapter], ...one },
      "retailer_a.lite": { ...adapters[adapter], ...other },
    });

  it.each(["callsPerSecond", "burst", "callsAtOnceMax"])(
    "must have the same value of the option '%s' if they read from one host",
    (key) => {
      const refusal = refusalOf(two({ [key]: 1 }, { [key]: 2, baseUrl: `${baseUrl}:443/lite` }));
      expect(refusal).toBe(
        `SOURCES: retailer_a.lite.${key}: must be 1, as in retailer_a.pulse (got 2). Both scrapers read ` +
          "the same host with the adapter upstream, so they need the same callsPerSecond, burst, callsAtOnceMax",
      );
    },
  );

  it("may differ in options that do not limit the rate or the concurrency of calls", () => {
    const [one, other] = [{ batchIdsMax: 1, tryTimeoutMs: 5_000 }, { baseUrl: `${baseUrl}/lite` }];
    expect(() => parseSources(two(one, other))).not.toThrow();
  });

  it("may differ in every option if their hosts or keys differ", () => {
    const paces = [{ burst: 1 }, { burst: 2 }] as const;
    const elsewhere = { ...paces[1], baseUrl: "https://other.example" };
    expect(() => parseSources(two(paces[0], elsewhere))).not.toThrow();
    const otherKey = { ...paces[1], secret: "/sources/other" };
    expect(() => parseSources(two(paces[0], otherKey, "a_history"))).not.toThrow();
    expect(refusalOf(two(...paces, "a_history"))).toContain("same host and key");
    const arn = "arn:aws:ssm:us-east-1:123456789012:parameter";
    const [byName, byArn] = [{ secret: "/sources/a" }, { secret: `${arn}/sources/a` }];
    const sameKey = two({ ...paces[0], ...byName }, { ...paces[1], ...byArn }, "a_history");
    expect(refusalOf(sameKey)).toContain("same host and key");
  });
});
