import type { ServerResponse } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { UpstreamResult } from "./sandbox-results.ts";

/** A call before its answer. */
interface Course {
  readonly response: ServerResponse;
  /** The correct answer. */
  readonly results: readonly UpstreamResult[];
}

const json = "application/json";

const send = (
  { response }: Course,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(200, { "Content-Type": json, ...headers });
  response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
};

const refuse = (
  { response }: Course,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(status, headers);
  response.end();
};

const bytesOf = ({ results }: Course): Buffer => Buffer.from(JSON.stringify({ results }));

/** Encoded with a letter that needs two bytes in UTF-8 and one in Latin-1. */
const inLatin1 = ({ results }: Course): Buffer =>
  Buffer.from(JSON.stringify({ results, café: true }), "latin1");

const waitMs = 1_000;
/** An HTTP date has whole seconds, so one second from now may already have passed. */
const soon = (): string => new Date(Date.now() + 2 * waitMs).toUTCString();

/** Errors of servers, and rare but valid behaviour. */
const plays = {
  "429_seconds": (course) => refuse(course, 429, { "Retry-After": "1" }),
  "429_date": (course) => refuse(course, 429, { "Retry-After": soon() }),
  "500": (course) => refuse(course, 500),
  "503": (course) => refuse(course, 503),
  "400": (course) => refuse(course, 400),
  "404": (course) => refuse(course, 404),
  redirect: (course) => refuse(course, 302, { Location: "/read" }),
  hang: () => {},
  reset: ({ response }) => void response.socket?.resetAndDestroy(),
  cut_off: (course) => {
    course.response.writeHead(200, { "Content-Type": json, "Content-Length": "1000000" });
    course.response.write("{", () => course.response.socket?.destroy());
  },
  gzip: (course) => send(course, gzipSync(bytesOf(course)), { "Content-Encoding": "gzip" }),
  br: (course) => send(course, brotliCompressSync(bytesOf(course)), { "Content-Encoding": "br" }),
  endless: ({ response }) => {
    response.writeHead(200, { "Content-Type": json });
    const more = (): void => void (response.closed || response.write(" ".repeat(65_536), more));
    more();
  },
  wrong_charset: (course) => send(course, inLatin1(course)),
  declared_charset: (course) =>
    send(course, inLatin1(course), { "Content-Type": `${json}; charset=iso-8859-1` }),
  lying_charset: (course) =>
    send(course, bytesOf(course), { "Content-Type": `${json}; charset=utf-16le` }),
  not_json_type: (course) => send(course, bytesOf(course), { "Content-Type": "text/html" }),
  ids_missing: (course) => send(course, { results: course.results.slice(1) }),
  ids_doubled: (course) =>
    send(course, {
      results: [
        ...course.results,
        ...course.results.map(({ data: _data, ...result }) => ({ ...result, status: "not_found" })),
      ],
    }),
  ids_foreign: (course) =>
    send(course, {
      results: [
        ...course.results,
        ...course.results.map((result) => ({ ...result, id: "FOREIGN000" })),
      ],
    }),
  text_numbers: (course) => send(course, eachIn({ results: course.results }, asText)),
  numeric_ids: (course) =>
    send(course, {
      results: course.results.map((result) => ({ ...result, id: Number(result.id) })),
    }),
  with_asin: (course) =>
    send(course, { results: course.results.map((result) => withAsin(result)) }),
  unknown_fields: (course) => send(course, eachIn({ results: course.results }, withMore)),
  all_featured: (course) => send(course, eachIn({ results: course.results }, featured)),
  other_currency: (course) => send(course, eachIn({ results: course.results }, inOtherCurrency)),
  no_time: (course) =>
    send(course, { results: course.results.map(({ fetchedAt: _at, ...result }) => result) }),
  stale: (course) => send(course, { results: dated(course, -25 * 3_600_000) }),
  ahead: (course) => send(course, { results: dated(course, 3_600_000) }),
  no_data: (course) =>
    send(course, { results: course.results.map(({ data: _data, ...result }) => result) }),
  all_not_found: (course) => send(course, { results: ended(course, "not_found") }),
  error_beside: (course) => send(course, { error: "db down", results: course.results }),
  all_unavailable: (course) => send(course, { results: ended(course, "unavailable") }),
  null_data: (course) =>
    send(course, { results: course.results.map((result) => ({ data: null, ...result })) }),
  wrong_asin: (course) =>
    send(course, { results: course.results.map((one) => ({ ...one, asin: "B0FOREIGN0" })) }),
  relative_links: (course) => send(course, eachIn({ results: course.results }, withRelativeLinks)),
  zero_prices: (course) => send(course, eachIn({ results: course.results }, withoutPrice)),
  negative_prices: (course) => send(course, eachIn({ results: course.results }, belowNothing)),
  total_of_none: (course) => send(course, eachIn({ results: course.results }, withoutTotal)),
  no_zone: (course) =>
    send(course, {
      results: course.results.map((one) => ({ ...one, fetchedAt: one.fetchedAt.slice(0, 19) })),
    }),
  garbage: (course) => send(course, Buffer.from('{"results": [')),
} as const satisfies Record<string, (course: Course) => void>;

export type Misbehaviour = keyof typeof plays;

export const isMisbehaviour = (name: string): name is Misbehaviour => Object.hasOwn(plays, name);

export const misbehaviours = Object.keys(plays).filter(isMisbehaviour);

export const play = (name: Misbehaviour, course: Course): void => plays[name](course);

const ended = ({ results }: Course, status: string): UpstreamResult[] =>
  results.map(({ data: _data, ...result }) => ({ ...result, status }));

const dated = ({ results }: Course, byMs: number): UpstreamResult[] =>
  results.map((result) => ({
    ...result,
    fetchedAt: new Date(Date.now() + byMs).toISOString(),
  }));

/** Applies a change to a value and every value inside it, innermost first. */
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

const featured = (value: unknown): unknown =>
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

/** Makes the price of offers negative. */
const belowNothing = (value: unknown): unknown =>
  hasOwn(value, "isBuybox") ? { ...value, price: -5 } : value;

const withoutTotal = (value: unknown): unknown =>
  hasOwn(value, "totalOffers") ? { ...value, totalOffers: 0 } : value;
