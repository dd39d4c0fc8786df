/** What a reply to an ordinary call must look like. */
import * as v from "valibot";
import { currencyOf } from "../../shared/platforms/catalogue.ts";
import { type StepScraperId, stepScrapers } from "../../shared/scrapers/catalogue.ts";
import {
  isProductScraper,
  readingAgeMaxMs,
  upstreamReplies,
} from "../../shared/sources/upstream-contract.ts";
import { productFrom } from "../../shared/sources/upstream-found.ts";
import type { Seen } from "./exchange.ts";
import type { Verdict } from "./finding.ts";

export interface Asked {
  readonly scraper: StepScraperId;
  readonly marketplace: string;
  /** Keys of the items: ids, or `offerListingId` of offers. */
  readonly ids: readonly string[];
  readonly deadlineMs: number;
}

type Answered = Extract<Seen, { kind: "answered" }>;

const anyResult = v.looseObject({
  id: v.unknown(),
  status: v.unknown(),
  fetchedAt: v.optional(v.unknown()),
});
type AnyResult = v.InferOutput<typeof anyResult>;

/** How far ahead a server's clock may be. */
const aheadMaxMs = 60_000;

/** Verdicts of every rule that can be judged; the first that fails may hide the rest. */
export function judgeReply(seen: Answered, asked: Asked): Verdict[] {
  const { text, verdicts: bytes } = judgeBytes(seen);
  if (text === undefined) return bytes;
  const json = parseJson(text);
  const isReply = v.is(v.looseObject({ results: v.array(v.unknown()) }), json);
  const shape: Verdict = {
    rule: "json",
    level: "must",
    expected: "a body of JSON, {results: [...]}",
    trouble: isReply ? null : `a body that begins with ${JSON.stringify(text.slice(0, 60))}`,
  };
  if (!isReply) return [...bytes, shape];
  const { results } = v.parse(v.object({ results: v.array(v.unknown()) }), json);
  const readable = results.filter((one) => v.is(anyResult, one));
  return [
    ...bytes,
    shape,
    ...judgeSchema(json, asked),
    ...judgeIds(readable, asked),
    ...judgeTimes(readable, seen, asked),
    ...judgeContent(readable, asked),
  ];
}

function judgeBytes({ headers, body }: Answered): {
  readonly text: string | undefined;
  readonly verdicts: Verdict[];
} {
  const type = headers.get("content-type") ?? "none";
  const text = decoded(body);
  return {
    text,
    verdicts: [
      {
        rule: "content-type",
        level: "should",
        expected: "Content-Type: application/json",
        trouble: /^application\/([\w.-]+\+)?json\b/i.test(type) ? null : type,
      },
      {
        rule: "encoding",
        level: "must",
        expected: "a body in UTF-8",
        trouble: text === undefined ? "bytes that are no UTF-8" : null,
      },
    ],
  };
}

/** Issues by rule: texts for numbers are understood, so that they are a lesser trouble. */
function judgeSchema(json: unknown, { scraper }: Asked): Verdict[] {
  const schema = upstreamReplies.get(scraper) ?? v.never();
  const parsed = v.safeParse(schema, json);
  const issues = parsed.success ? [] : parsed.issues;
  const unknown = parsed.success ? unknownKeys(json, parsed.output) : [];
  return [
    {
      rule: "schema",
      level: "must",
      expected: "results as the schema has them",
      trouble: listed(issues.filter((issue) => !isLesser(issue)).map(shown)),
    },
    {
      rule: "types",
      level: "should",
      expected: "numbers and booleans as such, ids as texts",
      trouble: listed(issues.filter(isLesser).map(shown)),
    },
    {
      rule: "unknown-fields",
      level: "should",
      expected: "no fields but those of the schema, the rest is dropped",
      trouble: listed(unknown),
    },
  ];
}

/** What the service understands all the same. */
const isLesser = (issue: v.BaseIssue<unknown>): boolean => isText(issue) || isNumericId(issue);

const isText = ({ expected, input }: v.BaseIssue<unknown>): boolean =>
  typeof input === "string" &&
  ((expected === "number" && input.trim() !== "" && Number.isFinite(Number(input))) ||
    (expected === "boolean" && (input === "true" || input === "false")));

const isNumericId = ({ path, input }: v.BaseIssue<unknown>): boolean =>
  path?.at(-1)?.key === "id" && typeof input === "number";

function judgeIds(results: readonly AnyResult[], { ids }: Asked): Verdict[] {
  const answered = results.map(({ id }) => String(id));
  const asked = new Set(ids);
  return [
    {
      rule: "every-id",
      level: "should",
      expected: "a result for every id, if only unavailable",
      trouble: listed(ids.filter((id) => !answered.includes(id)).map((id) => `${id} is missing`)),
    },
    {
      rule: "asked-only",
      level: "should",
      expected: "no results for ids that were not asked for",
      trouble: listed(answered.filter((id) => !asked.has(id))),
    },
    {
      rule: "once",
      level: "should",
      expected: "one result for an id, of several the first counts",
      trouble: listed(answered.filter((id, n) => asked.has(id) && answered.indexOf(id) < n)),
    },
  ];
}

function judgeTimes(
  results: readonly AnyResult[],
  { milliseconds }: Answered,
  { deadlineMs }: Asked,
): Verdict[] {
  const timed = results.map(({ id, fetchedAt }) => ({
    id: String(id),
    readAgoMs: typeof fetchedAt === "string" ? Date.now() - Date.parse(fetchedAt) : Number.NaN,
  }));
  const those = (holds: (readAgoMs: number) => boolean): string[] =>
    timed.filter(({ readAgoMs }) => holds(readAgoMs)).map(({ id }) => id);
  return [
    {
      rule: "fetched-at",
      level: "should",
      expected: "fetchedAt in every result",
      trouble: listed(those(Number.isNaN).map((id) => `${id} has none`)),
    },
    {
      rule: "fresh",
      level: "must",
      expected: "nothing read more than a day ago, that is unavailable",
      trouble: listed(those((ago) => ago > readingAgeMaxMs)),
    },
    {
      rule: "clock",
      level: "should",
      expected: "no fetchedAt in the future",
      trouble: listed(those((ago) => ago < -aheadMaxMs)),
    },
    {
      rule: "deadline",
      level: "should",
      expected: `a reply within deadline_ms, ${deadlineMs}`,
      trouble: milliseconds > deadlineMs ? `${milliseconds} ms` : null,
    },
  ];
}

/** Whether the service would take the results for what they say they are. */
function judgeContent(results: readonly AnyResult[], { scraper, marketplace }: Asked): Verdict[] {
  const currency = currencyOf(stepScrapers[scraper].platform, marketplace);
  const others = results.filter((one) => currenciesIn(one).some((code) => code !== currency));
  const promised = isProductScraper(scraper)
    ? results.filter(({ status, ["data"]: data }) => {
        const found = status === "ok" ? productFrom(scraper, data, currency) : null;
        return found?.status === "partial";
      })
    : [];
  return [
    {
      rule: "currency",
      level: "must",
      expected: `${currency} throughout, anything else is unavailable`,
      trouble: listed(others.map(({ id }) => String(id))),
    },
    {
      rule: "promise",
      level: "must",
      expected:
        "ok only with title, stock and price (of pulse: newCount and newMinPrice), else partial",
      trouble: listed(promised.map(({ id }) => String(id))),
    },
  ];
}

function currenciesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    name === "currency" && typeof inner === "string" ? [inner] : currenciesIn(inner),
  );
}

/** Paths of what stands in the reply and not in its reading by the schema. */
function unknownKeys(value: unknown, known: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(known ?? {}));
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    name in own ? unknownKeys(inner, own[name], `${path}${name}.`) : [path + name],
  );
}

const shown = (issue: v.BaseIssue<unknown>): string => {
  const path = (issue.path ?? []).map(({ key }) => String(key)).join(".");
  return `${path}: ${issue.expected ?? issue.message}, not ${issue.received}`;
};

/** The first few; null when there are none. */
function listed(troubles: readonly string[]): string | null {
  const shownMax = 3;
  const more = troubles.length - shownMax;
  if (troubles.length === 0) return null;
  return troubles.slice(0, shownMax).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function decoded(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
