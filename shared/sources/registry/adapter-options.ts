/**
 * Schemas of the options of each adapter. An error message describes the expected form. It repeats
 * the wrong value only if the value is a number, because a string may be a secret.
 */
import * as v from "valibot";
import { addRefusedType } from "../../base/shown-value.ts";
import { isLoopbackHost } from "../../base/loopback.ts";
import { secretReference } from "../contract/secret-reference.ts";
import { versionPlaceholder } from "../storefront/agent-profile.ts";
import { isIdTemplate } from "../storefront/item-id.ts";
import { webOptions as pageOptions } from "../web/options.ts";

const seedDefault = "sandbox";

const text = v.string(addRefusedType("must be a string"));
const nonEmpty = v.pipe(text, v.minLength(1, "must not be empty"));

/** An identifier, which the JSON may contain as a string or a number. */
const identifier = v.pipe(
  v.union([v.string(), v.number()], addRefusedType("must be a string or a number")),
  v.transform(String),
  v.regex(/^[\w.-]{1,200}$/, 'must be 1 to 200 letters, digits, "_", "." or "-"'),
);

interface Bounds {
  readonly from: number;
  readonly to: number;
  /** The unit of the value in messages. */
  readonly unit: string;
}

/**
 * Creates the message function of a schema: the message contains the refused value if it is a
 * number.
 */
const shownNumber =
  (message: string) =>
  ({ input }: { readonly input: number }): string =>
    `${message} (got ${input})`;

const between = ({ from, to, unit }: Bounds): v.GenericSchema<number> => {
  const range = shownNumber(`must be from ${from} to ${to} ${unit}`);
  return v.pipe(
    v.number(addRefusedType(`must be a number of ${unit}`)),
    v.minValue(from, range),
    v.maxValue(to, range),
  );
};

const whole = (bounds: Bounds): v.GenericSchema<number> =>
  v.pipe(between(bounds), v.integer(shownNumber(`must be a whole number of ${bounds.unit}`)));

/** The highest rate that a source can have, in calls per second. */
export const callsPerSecondMax = 1_000;
const callsPerSecond = between({ from: 0.1, to: callsPerSecondMax, unit: "calls per second" });
const burst = whole({ from: 1, to: 1_000, unit: "calls" });
const callsAtOnceMax = whole({ from: 1, to: 256, unit: "calls" });
const tryTimeoutMs = whole({ from: 1_000, to: 300_000, unit: "milliseconds" });
const batchIdsMax = (to: number): v.GenericSchema<number> =>
  whole({ from: 1, to, unit: "IDs per call" });
const offersPerListing = whole({ from: 20, to: 40, unit: "offers" });

/**
 * The base URL of a source. HTTP is allowed for loopback addresses, because their traffic stays on
 * the machine.
 */
const baseUrl = v.pipe(
  text,
  v.check(
    isSafeBase,
    "must be an https:// URL without a query, a fragment or credentials (http:// is allowed only for " +
      "this machine's own addresses)",
  ),
);

/** A base URL that must not end with one of `paths`, because the adapter appends these paths. */
const baseUrlBefore = (paths: readonly string[]): v.GenericSchema<string> => {
  const doubled = new RegExp(String.raw`/(?:${paths.join("|")})\b[^/]*/*$`, "i");
  return v.pipe(
    baseUrl,
    v.check(
      (address) => !doubled.test(address),
      `must not end with /${paths.join(" or /")}, which the service appends`,
    ),
  );
};

/** The base URL of a store: its address without a path. */
const storeUrl = v.pipe(
  baseUrl,
  v.check(
    (address) => new URL(address).pathname === "/",
    "must be the store's address without a path, such as https://store.example",
  ),
);

/** The address of an agent profile. */
const profileUrl = v.pipe(
  text,
  v.check(
    (address) =>
      address.split(versionPlaceholder).length <= 2 &&
      isSafeBase(address.replace(versionPlaceholder, "version")),
    "must be an https:// URL without a query (http:// is allowed only for this machine's own addresses). " +
      "It can contain {version} once, for the protocol version",
  ),
);

/**
 * Returns true for an address without a query, fragment or credentials, with HTTPS, or with HTTP on
 * a loopback host.
 */
function isSafeBase(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, search, hash, username, password } = new URL(address);
  if ([search, hash, username, password].some((part) => part !== "")) return false;
  return protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname));
}

const reference = v.pipe(
  text,
  v.check(
    (name) => secretReference(name) !== null,
    "must be the ARN of a Secrets Manager secret, or the name (beginning with /) or ARN of an SSM " +
      "parameter. Do not enter the secret itself",
  ),
);

/**
 * The reference of a secret, with the customer-managed KMS key that encrypts it, if there is one.
 */
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
          v.regex(
            /^arn:aws[\w-]*:kms:[\w-]+:\d{12}:key\/[\w-]+$/,
            "must be the ARN of a KMS key, such as arn:aws:kms:eu-central-1:123456789012:key/<ID>",
          ),
        ),
      ),
    }),
  ],
  "must be the ARN of a Secrets Manager secret, or the name (beginning with /) or ARN of an SSM " +
    "parameter, or an object with reference and kmsKeyArn; do not enter the secret itself",
);

interface Pace {
  readonly callsPerSecond: number;
  readonly burst: number;
  readonly callsAtOnceMax: number;
  readonly tryTimeoutMs: number;
}

/** Options that limit the calls to a source. The defaults differ by adapter. */
const pace = (defaults: Pace) => ({
  callsPerSecond: v.optional(callsPerSecond, defaults.callsPerSecond),
  burst: v.optional(burst, defaults.burst),
  callsAtOnceMax: v.optional(callsAtOnceMax, defaults.callsAtOnceMax),
  tryTimeoutMs: v.optional(tryTimeoutMs, defaults.tryTimeoutMs),
});

/** Creates the error messages for a missing and for an unknown option of an adapter. */
const wrongOption =
  (adapter: string) =>
  ({ expected }: v.StrictObjectIssue): string =>
    expected === "never"
      ? `is not an option of the adapter ${adapter}`
      : `is missing. The adapter ${adapter} requires it`;

/** The schema of the options of the adapter `sandbox`. */
export const sandboxOptions = v.strictObject(
  { adapter: v.literal("sandbox"), seed: v.optional(text, seedDefault) },
  wrongOption("sandbox"),
);

/** The schema of the options of the adapter `upstream`. */
export const upstreamOptions = v.strictObject(
  {
    adapter: v.literal("upstream"),
    baseUrl: baseUrlBefore(["read", "capabilities"]),
    secret: v.optional(secret),
    batchIdsMax: v.optional(batchIdsMax(1_000), 100),
    // The default rate limits calls, not IDs. A server that accepts only one ID per call needs a
    // higher rate.
    ...pace({ callsPerSecond: 50, burst: 50, callsAtOnceMax: 32, tryTimeoutMs: 30_000 }),
  },
  wrongOption("upstream"),
);

/** The schema of the options of the adapter `d_catalog`. */
export const catalogOptions = v.strictObject(
  {
    adapter: v.literal("d_catalog"),
    baseUrl: baseUrlBefore(["v1", "products"]),
    secret: v.optional(secret),
    batchIdsMax: v.optional(batchIdsMax(100), 100),
    // The products API allows 5 calls per second. The default uses 80% of this limit.
    ...pace({ callsPerSecond: 4, burst: 1, callsAtOnceMax: 2, tryTimeoutMs: 15_000 }),
  },
  wrongOption("d_catalog"),
);

/** The schema of the options of the adapter `b_affiliate`. */
export const affiliateOptions = v.strictObject(
  {
    adapter: v.literal("b_affiliate"),
    baseUrl: baseUrlBefore(["items"]),
    consumerId: identifier,
    keyVersion: identifier,
    privateKey: secret,
    publisherId: v.optional(identifier),
    zipCode: v.optional(identifier),
    storeId: v.optional(identifier),
    retailerName: v.optional(nonEmpty),
    ...pace({ callsPerSecond: 4, burst: 1, callsAtOnceMax: 5, tryTimeoutMs: 15_000 }),
  },
  wrongOption("b_affiliate"),
);

/** The schema of the options of the adapter `a_history`. */
export const priceHistoryOptions = v.strictObject(
  {
    adapter: v.literal("a_history"),
    baseUrl: baseUrlBefore(["product", "seller"]),
    secret,
    pageBaseUrl: v.optional(baseUrl),
    imageBaseUrl: v.optional(baseUrl),
    retailerName: v.optional(nonEmpty),
    offersPerListing: v.optional(offersPerListing),
    // The timeout is long, because the source may read its items again before it responds. In
    // addition to this rate, the source limits calls by tokens.
    ...pace({ callsPerSecond: 5, burst: 8, callsAtOnceMax: 8, tryTimeoutMs: 60_000 }),
  },
  wrongOption("a_history"),
);

/** The schema of the options of the adapter `storefront`. */
export const storefrontOptions = v.strictObject(
  {
    adapter: v.literal("storefront"),
    baseUrl: storeUrl,
    idTemplate: v.optional(
      v.pipe(text, v.check(isIdTemplate, "must contain {id} exactly once")),
      "{id}",
    ),
    profileUrl: v.optional(profileUrl),
    endpointPath: v.optional(
      v.pipe(
        text,
        v.regex(/^\/(?!\/)[\w.~/-]*$/, "must be a path on the store's host, such as /api/ucp/mcp"),
      ),
    ),
    retailerName: v.optional(nonEmpty),
    // The vendor of most stores documents up to 10 IDs per lookup.
    batchIdsMax: v.optional(batchIdsMax(250), 10),
    // No store documents its limit. The vendor's catalog of all its stores allows 5 calls per
    // second, and the default is below this limit.
    ...pace({ callsPerSecond: 4, burst: 4, callsAtOnceMax: 4, tryTimeoutMs: 15_000 }),
  },
  wrongOption("storefront"),
);

const pagePace = pace({ callsPerSecond: 2, burst: 4, callsAtOnceMax: 4, tryTimeoutMs: 15_000 });

/** The schema of the options of the adapter `web`, with the limits that all adapters have. */
export const webOptions = v.strictObject(
  { ...pageOptions.entries, burst: pagePace.burst, tryTimeoutMs: pagePace.tryTimeoutMs },
  wrongOption("web"),
);

export type UpstreamOptions = v.InferOutput<typeof upstreamOptions>;
export type PriceHistoryOptions = v.InferOutput<typeof priceHistoryOptions>;
