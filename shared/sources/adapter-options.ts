/**
 * What each adapter has to be told, as a deployer writes it. Messages name what is expected and
 * never repeat a value, which may be a secret.
 */
import * as v from "valibot";
import { secretReference } from "./secret-reference.ts";
import { webOptions as pageOptions } from "./web/web-options.ts";

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

const between = (name: string, from: number, to: number): v.GenericSchema<number> =>
  v.pipe(
    v.number(`${name} is a number`),
    v.minValue(from, `${name} is at least ${from}`),
    v.maxValue(to, `${name} is at most ${to}`),
  );

const whole = (name: string, from: number, to: number): v.GenericSchema<number> =>
  v.pipe(between(name, from, to), v.integer(`${name} is a whole number`));

/** Loopback addresses may be plain HTTP: what is sent stays on the machine. */
const baseUrl = v.pipe(
  text("a base URL"),
  v.check(
    isSafeBase,
    "is an https:// URL without query (http:// only for this machine's own addresses)",
  ),
);

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
  callsPerSecond: v.optional(between("callsPerSecond", 0.1, 1_000), defaults.callsPerSecond),
  burst: v.optional(whole("burst", 1, 1_000), defaults.burst),
  callsAtOnceMax: v.optional(whole("callsAtOnceMax", 1, 256), defaults.callsAtOnceMax),
  tryTimeoutMs: v.optional(whole("tryTimeoutMs", 100, 300_000), defaults.tryTimeoutMs),
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
    baseUrl,
    secret: v.optional(secret),
    batchIdsMax: v.optional(whole("batchIdsMax", 1, 1_000), 100),
    ...pace({ callsPerSecond: 50, burst: 50, callsAtOnceMax: 32, tryTimeoutMs: 30_000 }),
  },
  unknownOption("upstream"),
);

export const dCatalogOptions = v.strictObject(
  {
    adapter: v.literal("d_catalog"),
    baseUrl,
    secret: v.optional(secret),
    batchIdsMax: v.optional(whole("batchIdsMax", 1, 100), 100),
    // Four fifths of what the products API allows.
    ...pace({ callsPerSecond: 4, burst: 1, callsAtOnceMax: 2, tryTimeoutMs: 15_000 }),
  },
  unknownOption("d_catalog"),
);

export const bAffiliateOptions = v.strictObject(
  {
    adapter: v.literal("b_affiliate"),
    baseUrl,
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

export const aHistoryOptions = v.strictObject(
  {
    adapter: v.literal("a_history"),
    baseUrl,
    secret,
    pageBaseUrl: v.optional(baseUrl),
    imageBaseUrl: v.optional(baseUrl),
    retailerName: v.optional(nonEmpty("retailerName")),
    offersPerListing: v.optional(whole("offersPerListing", 20, 40)),
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
export type AHistoryOptions = v.InferOutput<typeof aHistoryOptions>;
