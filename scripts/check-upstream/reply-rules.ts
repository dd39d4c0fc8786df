/** The rules of `check-upstream` for the reply to a valid call. */
import * as v from "valibot";
import { currencyOf } from "../../shared/platforms/catalog.ts";
import { stepScrapers } from "../../shared/scrapers/catalog.ts";
import { reportsError } from "../../shared/sources/contract/reply-error.ts";
import { upstreamReplies } from "../../shared/sources/upstream/contract.ts";
import { type Difference, differences } from "./difference.ts";
import type { Answered } from "./exchange.ts";
import type { Verdict } from "./finding.ts";
import { judgeIds } from "./id-rules.ts";
import { joinTroubles, textOf } from "./listed.ts";
import { idOfResult } from "./read-call.ts";
import { isSentFound, judgeDifferences, judgeResults } from "./taken-rules.ts";
import { type ReadRequest, type AcceptedItem, resultsToStore } from "./taken.ts";
import { judgeTimes } from "./time-rules.ts";

const anyReply = v.object({ results: v.array(v.unknown()) });
const anyResult = v.looseObject({ id: v.unknown(), status: v.unknown() });
type AnyResult = v.InferOutput<typeof anyResult>;

/**
 * Checks the reply to a valid call. Returns one verdict for each rule that can be checked,
 * including rules that hold. Rules about the content cannot be checked if the body is not UTF-8 or
 * not a reply.
 * @param deadlineMs The deadline that the call contained, in milliseconds.
 */
export async function judgeReply(
  seen: Answered,
  asked: ReadRequest,
  deadlineMs: number,
): Promise<Verdict[]> {
  const text = decode(seen.body);
  const taken = await resultsToStore(seen, asked);
  const inUtf8 = await resultsToStore({ body: seen.body, headers: new Headers() }, asked);
  const bytes = judgeBytes(seen, {
    isUtf8: text !== undefined,
    isSame: JSON.stringify(taken) === JSON.stringify(inUtf8),
  });
  if (text === undefined) return bytes;
  const shape: Verdict = {
    rule: "json",
    level: "must",
    expected: "a JSON body {results: [...]}",
    trouble: inUtf8 ? null : `a body that begins with ${JSON.stringify(text.slice(0, 60))}`,
  };
  const json = v.safeParse(v.pipe(v.string(), v.parseJson(), anyReply), text);
  if (taken === null || !json.success) return [...bytes, shape];
  const results = json.output.results.filter((one) => v.is(anyResult, one));
  return [
    ...bytes,
    shape,
    ...judgeData(json.output, taken, asked),
    ...judgeIds(results, asked),
    ...judgeTimes(results, seen, deadlineMs),
    judgeCurrency(results, asked),
    judgeTrouble(text),
  ];
}

/**
 * Checks that a reply has no error next to its results. If it has both, the service uses the
 * results, but does not trust `not_found`.
 */
const judgeTrouble = (text: string): Verdict => ({
  rule: "no-error-beside",
  level: "must",
  expected:
    "no error, errors, fault, message or warnings next to results (otherwise not_found counts as unavailable)",
  trouble: reportsError(JSON.parse(text)) ? "results next to an error" : null,
});

function judgeBytes(
  { headers }: Answered,
  { isUtf8, isSame }: { readonly isUtf8: boolean; readonly isSame: boolean },
): Verdict[] {
  const type = headers.get("content-type") ?? "none";
  const lie = isSame ? null : `${type}, but the body is different or invalid in that charset`;
  return [
    {
      rule: "content-type",
      level: "should",
      expected: "Content-Type: application/json",
      trouble: /^application\/([\w.-]+\+)?json\b/i.test(type) ? null : type,
    },
    {
      rule: "encoding",
      level: "must",
      expected: "a body in UTF-8, and no other charset in Content-Type",
      trouble: isUtf8 ? lie : "bytes that are not valid UTF-8",
    },
  ];
}

/**
 * Checks the data of the results against the schema, and against the values that the service
 * accepts.
 */
function judgeData(
  json: v.InferOutput<typeof anyReply>,
  taken: readonly AcceptedItem[],
  asked: ReadRequest,
): Verdict[] {
  const parsed = v.safeParse(upstreamReplies.get(asked.scraper) ?? v.never(), json);
  // The output contains only fields of the schema, even if parsing fails.
  const named = v.parse(anyReply, parsed.output).results;
  const replyResults = taken.flatMap((one) => {
    // If an ID has several results, the service uses only the first.
    const at = json.results.findIndex(
      (result) => v.is(anyResult, result) && idOfResult(asked.scraper, result) === one.id,
    );
    const result = named[at];
    return v.is(anyResult, result)
      ? [{ at, sent: result.status, data: result["data"], taken: one }]
      : [];
  });
  const foundDifferences = replyResults
    .filter((one) => isSentFound(one) && one.taken.data !== undefined)
    .flatMap((one) => differences(one.data, one.taken.data, `results.${one.at}.data`));
  return [
    ...judgeSchema(parsed.issues ?? [], unknownKeys(json, parsed.output), foundDifferences),
    ...judgeDifferences(foundDifferences),
    ...judgeResults(replyResults, taken, asked),
  ];
}

/**
 * Turns schema violations into verdicts: one for each rule that they violate. A violation that the
 * service tolerates is only a warning.
 */
function judgeSchema(
  issues: readonly v.BaseIssue<unknown>[],
  unknown: readonly string[],
  foundDifferences: readonly Difference[],
): Verdict[] {
  // Other rules check `fetchedAt`.
  const others = issues.filter((issue) => lastKeyOf(issue) !== "fetchedAt");
  const dropped = foundDifferences.filter(({ kind }) => kind === "dropped").map(({ path }) => path);
  const isLesser = (issue: v.BaseIssue<unknown>): boolean =>
    isNumericId(issue) ||
    (isText(issue) && !dropped.some((path) => `${pathOf(issue)}.`.startsWith(`${path}.`)));
  return [
    {
      rule: "schema",
      level: "must",
      expected: "results that match the schema",
      trouble: joinTroubles(others.filter((issue) => !isLesser(issue)).map(formatIssue)),
    },
    {
      rule: "types",
      level: "should",
      expected: "numbers and booleans that are not sent as strings, and IDs that are",
      trouble: joinTroubles(others.filter(isLesser).map(formatIssue)),
    },
    {
      rule: "unknown-fields",
      level: "should",
      expected: "only fields of the schema (the service drops others)",
      trouble: joinTroubles(unknown),
    },
  ];
}

const isText = ({ expected, input }: v.BaseIssue<unknown>): boolean =>
  typeof input === "string" &&
  ((expected === "number" && input.trim() !== "" && Number.isFinite(Number(input))) ||
    (expected === "boolean" && (input === "true" || input === "false")));

const isNumericId = (issue: v.BaseIssue<unknown>): boolean =>
  lastKeyOf(issue) === "id" && typeof issue.input === "number";

const lastKeyOf = ({ path }: v.BaseIssue<unknown>): unknown => path?.at(-1)?.key;

const pathOf = ({ path }: v.BaseIssue<unknown>): string =>
  (path ?? []).map(({ key }) => String(key)).join(".");

function judgeCurrency(
  results: readonly AnyResult[],
  { scraper, marketplace }: Pick<ReadRequest, "scraper" | "marketplace">,
): Verdict {
  const currency = currencyOf(stepScrapers[scraper].platform, marketplace);
  const strangers = results.filter((one) => currenciesIn(one).some((code) => code !== currency));
  return {
    rule: "currency",
    level: "must",
    expected: `only prices in ${currency} (otherwise the item counts as unavailable)`,
    trouble: joinTroubles(strangers.map(({ id }) => textOf(id))),
  };
}

function currenciesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    name === "currency" && typeof inner === "string" ? [inner] : currenciesIn(inner),
  );
}

/** Returns the paths of fields that are not in the schema. Ignores fields with the value null. */
function unknownKeys(value: unknown, known: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(known ?? {}));
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    name in own
      ? unknownKeys(inner, own[name], `${path}${name}.`)
      : inner === null
        ? []
        : [path + name],
  );
}

const formatIssue = (issue: v.BaseIssue<unknown>): string =>
  `${pathOf(issue)}: ${issue.expected ?? issue.message}, not ${issue.received}`;

function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}
