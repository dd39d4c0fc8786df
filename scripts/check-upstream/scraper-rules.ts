/** Checks one scraper of an upstream server. */
import { gzipSync } from "node:zlib";
import { reportsError } from "../../shared/sources/contract/reply-error.ts";
import { jsonOf, type CallOutcome, send, sendPatiently, type Server, summary } from "./exchange.ts";
import { type Finding, findingOf, skippedFinding, type Verdict } from "./finding.ts";
import { deadlineMs, readBody, type Subject } from "./read-call.ts";
import { judgeReply } from "./reply-rules.ts";
import { type ReadRequest, resultsToStore } from "./taken.ts";

/** The maximum time of a reply to a call with `deadline_ms` 1, in milliseconds. */
const shortReplyMsMax = 2_000;
/**
 * The rule `too-many` sends one ID more than the declared maximum, so the check must invent IDs. It
 * skips this rule if the declared maximum is at least this number.
 */
const tooManyMax = 10_000;

/**
 * Checks one scraper of the server. Reads at most the declared maximum of IDs. Returns one skipped
 * finding if there are no IDs to read. If an ordinary call does not get 200, returns only findings
 * about the size of the reply, the status, and earlier refusals because of load.
 */
export async function checkScraper(server: Server, subject: Subject): Promise<Finding[]> {
  const { scraper, maxBatch } = subject;
  const ids = subject.ids.slice(0, maxBatch);
  const [first] = ids;
  if (first === undefined) {
    return [skippedFinding("reply", "pass --ids of items that exist", scraper)];
  }
  const { seen, turnedAway } = await sendPatiently(server, {
    path: "/read",
    body: readBody(subject, ids),
  });
  const ordinary = [...judgeArrival(seen), judgeBusy(turnedAway)];
  if (seen.kind !== "answered" || seen.status !== 200) return withScraper(ordinary, scraper);
  const { marketplace } = subject;
  const verdicts = [
    ...ordinary,
    ...(await judgeReply(seen, { scraper, marketplace, ids }, deadlineMs)),
    ...(await judgeVariants(server, subject, first)),
  ];
  return [
    ...withScraper(verdicts, scraper),
    ...(await checkTooMany(server, subject)),
    await checkUnknownId(server, subject),
  ];
}

const withScraper = (verdicts: readonly Verdict[], scraper: string): Finding[] =>
  verdicts.map((verdict) => findingOf(verdict, scraper));

function judgeArrival(seen: CallOutcome): Verdict[] {
  const isTooLarge = seen.kind === "none" && seen.reason.startsWith("a body of more");
  return [
    {
      rule: "size",
      level: "must",
      expected: "a reply of 5 MB at most",
      trouble: isTooLarge ? summary(seen) : null,
    },
    {
      rule: "reply",
      level: "must",
      expected: "a complete reply with status 200",
      trouble: seen.kind === "answered" && seen.status === 200 ? null : summary(seen),
    },
  ];
}

const judgeBusy = (turnedAway: readonly (string | null)[]): Verdict => ({
  rule: "busy",
  level: "should",
  expected: "no 429 or 503 for calls that are sent one at a time, and Retry-After in a 429 or 503",
  trouble:
    turnedAway.length === 0
      ? null
      : `429 or 503 ${turnedAway.length} times, Retry-After: ${turnedAway.join(", ")}`,
});

/** Checks variants of a valid call: an ID twice, gzip, and a deadline of 1 ms. */
async function judgeVariants(server: Server, subject: Subject, id: string): Promise<Verdict[]> {
  const path = "/read";
  const body = readBody(subject, [id]);
  const doubled = await send(server, { path, body: readBody(subject, [id, id]) });
  const zipped = await send(server, { path, body, headers: { "Accept-Encoding": "gzip" } });
  const zippedBody = gzipSync(JSON.stringify(body));
  const fromZip = await send(server, {
    path,
    body: zippedBody,
    headers: { "Content-Encoding": "gzip" },
  });
  const late = await send(server, { path, body: readBody(subject, [id], 1) });
  return [
    {
      rule: "doubled-ids",
      level: "must",
      expected: "200 or 400 if a call contains an ID twice",
      trouble: troubleUnless(doubled, [200, 400]),
    },
    {
      rule: "gzip-reply",
      level: "should",
      expected: "a reply in gzip if the call accepts gzip",
      trouble:
        zipped.kind === "answered" && zipped.headers.get("content-encoding") === "gzip"
          ? null
          : `${summary(zipped)}, not in gzip`,
    },
    {
      rule: "gzip-request",
      level: "should",
      expected: "200 for a call whose body is in gzip",
      trouble: troubleUnless(fromZip, [200]),
    },
    {
      rule: "late-call",
      level: "should",
      expected: `a reply within ${shortReplyMsMax} ms if deadline_ms is 1`,
      trouble:
        late.milliseconds > shortReplyMsMax
          ? `${late.milliseconds} ms`
          : troubleUnless(late, [200]),
    },
  ];
}

async function checkTooMany(server: Server, subject: Subject): Promise<Finding[]> {
  const { maxBatch, scraper } = subject;
  const rule = "too-many";
  if (maxBatch === undefined || maxBatch >= tooManyMax) {
    return [skippedFinding(rule, `the server declares no maxBatch below ${tooManyMax}`, scraper)];
  }
  const ids = Array.from({ length: maxBatch + 1 }, (_, n) => madeUpId(scraper, n));
  const seen = await send(server, { path: "/read", body: readBody(subject, ids) });
  const expected = "200, 400 or 413 for more IDs than maxBatch";
  const trouble = troubleUnless(seen, [200, 400, 413]);
  return [findingOf({ rule, level: "must", expected, trouble }, scraper)];
}

function madeUpId(scraper: string, n: number): string {
  if (scraper === "retailer_a.offer_check") return `B${String(n).padStart(9, "0")}:made-up-${n}`;
  return scraper.startsWith("retailer_a.")
    ? `B${String(n).padStart(9, "0")}`
    : String(9_100_000 + n);
}

async function checkUnknownId(server: Server, subject: Subject): Promise<Finding> {
  const { scraper, unknownId } = subject;
  const rule = "unknown-id";
  if (unknownId === undefined) {
    return skippedFinding(rule, "pass --unknown-id of an item that does not exist", scraper);
  }
  const seen = await send(server, { path: "/read", body: readBody(subject, [unknownId]) });
  const expected = `${unknownId} with not_found or unavailable, in a 200 without an error`;
  const trouble = await foundTrouble(seen, { ...subject, ids: [unknownId] });
  return findingOf({ rule, level: "must", expected, trouble }, scraper);
}

/**
 * Checks the reply to a request for an item that does not exist. Returns null for a correct reply.
 * Otherwise, describes the violation: the item was found, or the reply is invalid.
 */
async function foundTrouble(seen: CallOutcome, asked: ReadRequest): Promise<string | null> {
  if (seen.kind !== "answered" || seen.status !== 200) return summary(seen);
  const taken = await resultsToStore(seen, asked);
  if (taken === null) return "a body that is not a reply of the contract";
  if (reportsError(jsonOf(seen))) return "an error next to the results";
  const foundResult = taken.find(({ isFound }) => isFound);
  if (foundResult === undefined) return null;
  return asked.scraper === "retailer_a.offer_check" ? "buyable" : foundResult.status;
}

const troubleUnless = (seen: CallOutcome, statuses: readonly number[]): string | null =>
  seen.kind === "answered" && statuses.includes(seen.status) ? null : summary(seen);
