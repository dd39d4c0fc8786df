import type { ServerResponse } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { UpstreamResult } from "./sandbox-results.ts";

/** A call that has no response yet. */
interface MisbehavingCall {
  readonly response: ServerResponse;
  /** The results of a correct response. */
  readonly results: readonly UpstreamResult[];
}

const json = "application/json";

const send = (
  { response }: MisbehavingCall,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(200, { "Content-Type": json, ...headers });
  response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
};

const refuse = (
  { response }: MisbehavingCall,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(status, headers);
  response.end();
};

const bytesOf = ({ results }: MisbehavingCall): Buffer => Buffer.from(JSON.stringify({ results }));

/** Encodes the body in Latin-1, with a letter that is invalid in UTF-8. */
const inLatin1 = ({ results }: MisbehavingCall): Buffer =>
  Buffer.from(JSON.stringify({ results, café: true }), "latin1");

const waitMs = 1_000;
/**
 * Returns an HTTP date one to two seconds from now. The date has whole seconds, so `now + 1 s`
 * might already have passed.
 */
const soon = (): string => new Date(Date.now() + 2 * waitMs).toUTCString();

/** Server errors and invalid replies, and replies that are unusual but valid. */
const behaviors = {
  "429_seconds": (call) => refuse(call, 429, { "Retry-After": "1" }),
  "429_date": (call) => refuse(call, 429, { "Retry-After": soon() }),
  "500": (call) => refuse(call, 500),
  "503": (call) => refuse(call, 503),
  "400": (call) => refuse(call, 400),
  "404": (call) => refuse(call, 404),
  redirect: (call) => refuse(call, 302, { Location: "/read" }),
  hang: () => {},
  reset: ({ response }) => void response.socket?.resetAndDestroy(),
  cut_off: (call) => {
    call.response.writeHead(200, { "Content-Type": json, "Content-Length": "1000000" });
    call.response.write("{", () => call.response.socket?.destroy());
  },
  gzip: (call) => send(call, gzipSync(bytesOf(call)), { "Content-Encoding": "gzip" }),
  br: (call) => send(call, brotliCompressSync(bytesOf(call)), { "Content-Encoding": "br" }),
  endless: ({ response }) => {
    response.writeHead(200, { "Content-Type": json });
    const more = (): void => void (response.closed || response.write(" ".repeat(65_536), more));
    more();
  },
  wrong_charset: (call) => send(call, inLatin1(call)),
  declared_charset: (call) =>
    send(call, inLatin1(call), { "Content-Type": `${json}; charset=iso-8859-1` }),
  lying_charset: (call) =>
    send(call, bytesOf(call), { "Content-Type": `${json}; charset=utf-16le` }),
  not_json_type: (call) => send(call, bytesOf(call), { "Content-Type": "text/html" }),
  ids_missing: (call) => send(call, { results: call.results.slice(1) }),
  ids_doubled: (call) =>
    send(call, {
      results: [
        ...call.results,
        ...call.results.map(({ data: _data, ...result }) => ({ ...result, status: "not_found" })),
      ],
    }),
  ids_foreign: (call) =>
    send(call, {
      results: [
        ...call.results,
        ...call.results.map((result) => ({ ...result, id: "FOREIGN000" })),
      ],
    }),
  text_numbers: (call) => send(call, eachIn({ results: call.results }, asText)),
  numeric_ids: (call) =>
    send(call, {
      results: call.results.map((result) => ({ ...result, id: Number(result.id) })),
    }),
  with_asin: (call) => send(call, { results: call.results.map((result) => withAsin(result)) }),
  unknown_fields: (call) => send(call, eachIn({ results: call.results }, withMore)),
  all_featured: (call) => send(call, eachIn({ results: call.results }, selectFeatured)),
  other_currency: (call) => send(call, eachIn({ results: call.results }, inOtherCurrency)),
  no_time: (call) =>
    send(call, { results: call.results.map(({ fetchedAt: _at, ...result }) => result) }),
  stale: (call) => send(call, { results: shiftTimes(call, -25 * 3_600_000) }),
  ahead: (call) => send(call, { results: shiftTimes(call, 3_600_000) }),
  no_data: (call) =>
    send(call, { results: call.results.map(({ data: _data, ...result }) => result) }),
  all_not_found: (call) => send(call, { results: withStatus(call, "not_found") }),
  error_beside: (call) => send(call, { error: "db down", results: call.results }),
  all_unavailable: (call) => send(call, { results: withStatus(call, "unavailable") }),
  null_data: (call) =>
    send(call, { results: call.results.map((result) => ({ data: null, ...result })) }),
  wrong_asin: (call) =>
    send(call, { results: call.results.map((one) => ({ ...one, asin: "B0FOREIGN0" })) }),
  relative_links: (call) => send(call, eachIn({ results: call.results }, withRelativeLinks)),
  zero_prices: (call) => send(call, eachIn({ results: call.results }, withoutPrice)),
  negative_prices: (call) => send(call, eachIn({ results: call.results }, withNegativePrice)),
  total_of_none: (call) => send(call, eachIn({ results: call.results }, withoutTotal)),
  no_zone: (call) =>
    send(call, {
      results: call.results.map((one) => ({ ...one, fetchedAt: one.fetchedAt.slice(0, 19) })),
    }),
  garbage: (call) => send(call, Buffer.from('{"results": [')),
} as const satisfies Record<string, (call: MisbehavingCall) => void>;

/** The name of a fault, or of an unusual but valid reply. */
export type Misbehavior = keyof typeof behaviors;

/** Returns true for the name of a misbehavior. */
export const isMisbehavior = (name: string): name is Misbehavior => Object.hasOwn(behaviors, name);

/** The names of all misbehaviors. */
export const misbehaviors = Object.keys(behaviors).filter(isMisbehavior);

/** Responds to a call with a misbehavior instead of the correct results. */
export const misbehave = (name: Misbehavior, call: MisbehavingCall): void => behaviors[name](call);

const withStatus = ({ results }: MisbehavingCall, status: string): UpstreamResult[] =>
  results.map(({ data: _data, ...result }) => ({ ...result, status }));

const shiftTimes = ({ results }: MisbehavingCall, byMs: number): UpstreamResult[] =>
  results.map((result) => ({
    ...result,
    fetchedAt: new Date(Date.now() + byMs).toISOString(),
  }));

/** Applies a change to a value and to every value inside it, innermost first. */
function eachIn(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return change(value.map((one) => eachIn(one, change)));
  if (typeof value !== "object" || value === null) return change(value);
  return change(
    Object.fromEntries(Object.entries(value).map(([name, one]) => [name, eachIn(one, change)])),
  );
}

const withAsin = (result: UpstreamResult): UpstreamResult =>
  Object.assign({ asin: result.id }, result);

const asText = (value: unknown): unknown => (typeof value === "number" ? String(value) : value);

const withMore = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? { ...value, supplierCost: 3.5 }
    : value;

const selectFeatured = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "isBuybox" in value
    ? { ...value, isBuybox: true }
    : value;

const inOtherCurrency = (value: unknown): unknown => (value === "USD" ? "GBP" : value);

const hasOwn = <Name extends string>(
  value: unknown,
  name: Name,
): value is Readonly<Record<Name, unknown>> =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name);

const withRelativeLinks = (value: unknown): unknown =>
  hasOwn(value, "url") ? { ...value, url: "/p/1", images: ["//cdn.example/1.png"] } : value;

const withoutPrice = (value: unknown): unknown =>
  hasOwn(value, "amount") ? { ...value, amount: 0 } : value;

/** Makes the prices of offers negative, anywhere in a value. */
const withNegativePrice = (value: unknown): unknown =>
  hasOwn(value, "isBuybox") ? { ...value, price: -5 } : value;

const withoutTotal = (value: unknown): unknown =>
  hasOwn(value, "totalOffers") ? { ...value, totalOffers: 0 } : value;
