/**
 * What each adapter has to be told, as a deployer writes it. Messages name what is expected and
 * never repeat a value, which may be a secret.
 */
import * as v from "valibot";
import { secretReference } from "../contract/secret-reference.ts";
import { webOptions as pageOptions } from "../web/options.ts";

const seedDefault = "sandbox";

const text = (what: string): v.StringSchema<string> => v.string(`${what} is a string`);

const nonEmpty = (what: string): v.GenericSchema<string> =>
  v.pipe(text(what), v.minLength(1, `${what} is not empty`));

/** An identifier that may look like a number. */
const identifier = (what: string): v.GenericSchema<string | number, string> =>
  v.pipe(
    v.union([v.string(), v.number()], `${what} is a string`),
    v.transform(String),
    v.regex(/^[\w.-]{1,200}$/, `${what} is letters, digits, dots and dashes`),
  );

interface Bounds {
  readonly from: number;
  readonly to: number;
  /** What is counted, as a message says it. */
  readonly unit: string;
}

const between = (name: string, { from, to, unit }: Bounds): v.GenericSchema<number> => {
  const range = `${name} is ${from} to ${to} ${unit}`;
  return v.pipe(
    v.number(`${name} is a number of ${unit}`),
    v.minValue(from, range),
    v.maxValue(to, range),
  );
};

const whole = (name: string, bounds: Bounds): v.GenericSchema<number> =>
  v.pipe(between(name, bounds), v.integer(`${name} is a whole number of ${bounds.unit}`));

const callsPerSecond = between("callsPerSecond", { from: 0.1, to: 1_000, unit: "calls a second" });
const burst = whole("burst", { from: 1, to: 1_000, unit: "calls" });
const callsAtOnceMax = whole("callsAtOnceMax", { from: 1, to: 256, unit: "calls" });
const tryTimeoutMs = whole("tryTimeoutMs", { from: 1_000, to: 300_000, unit: "milliseconds" });
const batchIdsMax = (to: number): v.GenericSchema<number> =>
  whole("batchIdsMax", { from: 1, to, unit: "ids a call" });
const offersPerListing = whole("offersPerListing", { from: 20, to: 40, unit: "offers" });

/** Loopback addresses may be plain HTTP: what is sent stays on the machine. */
const baseUrl = v.pipe(
  text("a base URL"),
  v.check(
    isSafeBase,
    "is an https:// URL without query (http:// only for this machine's own addresses)",
  ),
);

/** What an adapter puts behind the address is easily given with it, and would stand there twice. */
const baseUrlBefore = (paths: readonly string[]): v.GenericSchema<string> => {
  const doubled = new RegExp(String.raw`/(?:${paths.join("|")})\b[^/]*/*$`, "i");
  return v.pipe(
    baseUrl,
    v.check(
      (address) => !doubled.test(address),
      `is the address without /${paths[0]}, which the service puts behind it`,
    ),
  );
};

function isSafeBase(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, search, hash, username, password } = new URL(address);
  if ([search, hash, username, password].some((part) => part !== "")) return false;
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
  return protocol === "https:" || (protocol === "http:" && isLocal);
}

const reference = v.pipe(
  text("a reference to a secret"),
  v.check(
    (name) => secretReference(name) !== null,
    "is the ARN of a Secrets Manager secret, or the name (beginning with /) or ARN of an SSM " +
      "parameter; never the secret itself",
  ),
);

/** Where a secret is kept, and the KMS key it is sealed with where that is one of the deployer's. */
const secret = v.union(
  [
    v.pipe(
      reference,
      v.transform((name) => ({ reference: name })),
    ),
    v.strictObject({
      reference,
      kmsKeyArn: v.optional(
        v.pipe(
          v.string(),
          v.regex(/^arn:aws[\w-]*:kms:[\w-]+:\d{12}:key\/[\w-]+$/, "is the ARN of a KMS key"),
        ),
      ),
    }),
  ],
  "is the ARN of a Secrets Manager secret, or the name (beginning with /) or ARN of an SSM " +
    "parameter, or an object of reference and kmsKeyArn; never the secret itself",
);

interface Pace {
  readonly callsPerSecond: number;
  readonly burst: number;
  readonly callsAtOnceMax: number;
  readonly tryTimeoutMs: number;
}

/** How a source is called; every adapter has its own defaults. */
const pace = (defaults: Pace) => ({
  callsPerSecond: v.optional(callsPerSecond, defaults.callsPerSecond),
  burst: v.optional(burst, defaults.burst),
  callsAtOnceMax: v.optional(callsAtOnceMax, defaults.callsAtOnceMax),
  tryTimeoutMs: v.optional(tryTimeoutMs, defaults.tryTimeoutMs),
});

const unknownOption = (adapter: string): string =>
  `is missing, or no option of the adapter ${adapter}`;

export const sandboxOptions = v.strictObject(
  { adapter: v.literal("sandbox"), seed: v.optional(text("a seed"), seedDefault) },
  "is no option of the adapter sandbox",
);

export const upstreamOptions = v.strictObject(
  {
    adapter: v.literal("upstream"),
    baseUrl: baseUrlBefore(["read", "capabilities"]),
    secret: v.optional(secret),
    batchIdsMax: v.optional(batchIdsMax(1_000), 100),
    // Of ids a second there are batchIdsMax times as many: a server of one id a call needs more calls.
    ...pace({ callsPerSecond: 50, burst: 50, callsAtOnceMax: 32, tryTimeoutMs: 30_000 }),
  },
  unknownOption("upstream"),
);

export const catalogOptions = v.strictObject(
  {
    adapter: v.literal("d_catalog"),
    baseUrl: baseUrlBefore(["v1", "products"]),
    secret: v.optional(secret),
    batchIdsMax: v.optional(batchIdsMax(100), 100),
    // Four fifths of what the products API allows.
    ...pace({ callsPerSecond: 4, burst: 1, callsAtOnceMax: 2, tryTimeoutMs: 15_000 }),
  },
  unknownOption("d_catalog"),
);

export const affiliateOptions = v.strictObject(
  {
    adapter: v.literal("b_affiliate"),
    baseUrl: baseUrlBefore(["items"]),
    consumerId: identifier("consumerId"),
    keyVersion: identifier("keyVersion"),
    privateKey: secret,
    publisherId: v.optional(identifier("publisherId")),
    zipCode: v.optional(identifier("zipCode")),
    storeId: v.optional(identifier("storeId")),
    retailerName: v.optional(nonEmpty("retailerName")),
    ...pace({ callsPerSecond: 4, burst: 1, callsAtOnceMax: 5, tryTimeoutMs: 15_000 }),
  },
  unknownOption("b_affiliate"),
);

export const priceHistoryOptions = v.strictObject(
  {
    adapter: v.literal("a_history"),
    baseUrl: baseUrlBefore(["product", "seller"]),
    secret,
    pageBaseUrl: v.optional(baseUrl),
    imageBaseUrl: v.optional(baseUrl),
    retailerName: v.optional(nonEmpty("retailerName")),
    offersPerListing: v.optional(offersPerListing),
    // The source may look at its items anew before it answers. Its tokens are what bounds the calls.
    ...pace({ callsPerSecond: 5, burst: 8, callsAtOnceMax: 8, tryTimeoutMs: 60_000 }),
  },
  unknownOption("a_history"),
);

const pagePace = pace({ callsPerSecond: 2, burst: 4, callsAtOnceMax: 4, tryTimeoutMs: 15_000 });

export const webOptions = v.strictObject(
  { ...pageOptions.entries, burst: pagePace.burst, tryTimeoutMs: pagePace.tryTimeoutMs },
  unknownOption("web"),
);

export type UpstreamOptions = v.InferOutput<typeof upstreamOptions>;
export type PriceHistoryOptions = v.InferOutput<typeof priceHistoryOptions>;
