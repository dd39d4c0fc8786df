import assert from "node:assert/strict";
import type { Row } from "../../../shared/aws/dynamo.ts";
import type { ApiAnswer, ApiRequest } from "../api.ts";
import type { User, World } from "../world.ts";
import { assertReconciled, assertSound, booksOf, type Rows, takenBack } from "./books.ts";

/** A call and what its client came to know: no answer says nothing of what was done. */
export interface HeardCall {
  readonly user: User;
  readonly request: ApiRequest;
  readonly answer: ApiAnswer | undefined;
  /** When that was, in milliseconds. */
  readonly heardAt: number;
}

const minute = 60_000;
/**
 * An abandoned hold is back after the longest call (specification, "Client time allowance"), by a
 * clock that may be two minutes off, and two sweeps, one of which may stand still before.
 */
const givenBackMs = (5 + 2 + 2 * 3 + 50) * minute;

/** Everything that has to hold of calls once all is quiet. */
export async function checkCalls(
  world: World,
  users: readonly User[],
  heard: readonly HeardCall[],
): Promise<void> {
  for (const user of users) {
    const rows = await booksOf(world, user.accountId);
    assertSound(rows);
    assert.equal(rows.account["held"], 0, "nothing is held once all is quiet");
    const own = heard.filter((call) => call.user === user);
    for (const { request, answer } of own) {
      if (answer !== undefined) checkAnswer(request, answer, rows);
    }
    checkLate(world, rows);
    checkHolds(rows, Math.max(...heard.map(({ heardAt }) => heardAt)));
    sightStates(world, own, rows);
  }
  await assertReconciled(world);
}

interface Result {
  readonly id: string;
  /** The item, also where `id` is an offer of it. */
  readonly asin?: string;
  readonly status: string;
  readonly totalOffers?: number;
  readonly offerListingId?: string;
  readonly buyable?: boolean;
}

interface Body {
  readonly results: readonly Result[];
  readonly stats: Readonly<Record<string, number>>;
  readonly credits: number;
}

const isItemCall = ({ path }: ApiRequest): boolean =>
  path.startsWith("/v1/products") || path.startsWith("/v1/offers");

/** An answer, its headers and the ledger say the same of what a call cost. */
function checkAnswer(request: ApiRequest, answer: ApiAnswer, { entries, holds }: Rows): void {
  const name = `${request.method} ${request.path}: ${answer.status}`;
  const { "x-request-id": requestId, "x-service-credits": said } = answer.headers;
  // Said to the client too: nobody knows whether it was charged.
  if (isItemCall(request) && answer.status === 503 && said === undefined) return;
  assert.match(requestId ?? "", /^req_/, name);
  const own = entries.filter((entry) => entry["request_id"] === requestId);
  const charged = creditsOf(own, "charge") - takenBack(own);
  assert.equal(creditsOf(own, "reserve"), charged + creditsOf(own, "refund"), `${name}: resolved`);
  if (!isItemCall(request) || answer.status !== 200) {
    assert.equal(charged, 0, `${name}: costs nothing`);
    if (isItemCall(request) && said !== undefined) assert.equal(said, "0", name);
    return;
  }
  const { results, stats, credits } = answer.body as unknown as Body;
  assert.deepEqual(
    results.map(nameOf),
    [...new Set(namesIn(request))],
    `${name}: one result per unique item, in the order of the request`,
  );
  checkStats({ results, stats, name });
  if (request.path === "/v1/offers/check") results.forEach(checkOfferCheck);
  assert.equal(credits, isExpired(holds, requestId) ? 0 : costOf(request, results), name);
  assert.equal(said, String(credits), name);
  assert.equal(charged, credits, `${name}: the ledger says what the answer said`);
  const last = own.at(-1);
  assert.equal(
    answer.headers["x-service-balance"],
    String(last?.["balance_after"]),
    `${name}: balance`,
  );
}

/** A call that the gateway answered before the service did costs nothing (M5). */
function checkLate({ lateAnswers, sighted }: World, { entries }: Rows): void {
  for (const { headers, status } of lateAnswers) {
    const requestId = headers["x-request-id"];
    const own = entries.filter((entry) => entry["request_id"] === requestId);
    // It is known then that it may have been charged, and the log says so.
    if (own.length === 0 || (status === 503 && headers["x-service-credits"] === undefined))
      continue;
    const charged = creditsOf(own, "charge") - takenBack(own);
    assert.equal(charged, 0, `${requestId} was answered ${status} too late: costs nothing`);
    sighted("a call that was answered too late cost nothing");
  }
}

const nameOf = ({ id, asin = id }: Result): string => (asin === id ? id : `${asin} ${id}`);

interface Asked {
  readonly ids?: readonly string[];
  readonly offers?: readonly { readonly asin: string; readonly offerListingId: string }[];
}

/** What a call asks for, as results are named. */
function namesIn({ path, body = {} }: ApiRequest): readonly string[] {
  const { ids, offers } = body as Asked;
  if (offers !== undefined) return offers.map(({ offerListingId: id, asin }) => `${asin} ${id}`);
  return ids ?? [path.split("/")[3] ?? ""];
}

/**
 * A process whose clock is slow holds credits for a time that is over for others: they give them
 * back meanwhile, and what it then answers is free.
 */
const isExpired = (holds: readonly Row[], requestId: string | undefined): boolean =>
  holds.some(({ state, request_id: id }) => state === "expired" && id === requestId);

function checkStats({
  results,
  stats,
  name,
}: Pick<Body, "results" | "stats"> & { readonly name: string }): void {
  const count = (status: string): number => results.filter((one) => one.status === status).length;
  assert.equal(stats["requested"], results.length, name);
  assert.equal(stats["ok"], count("ok"), name);
  assert.equal(stats["notFound"], count("not_found"), name);
  assert.equal(stats["unavailable"], count("unavailable"), name);
  assert.equal(stats["partial"], count("partial"), name);
}

/** Yes or no of an offer that was answered, and nothing of one that was not. */
function checkOfferCheck({ id, offerListingId, status, buyable }: Result): void {
  assert.equal(offerListingId, id);
  assert.equal(typeof buyable, status === "ok" ? "boolean" : "undefined", `offer ${id}: ${status}`);
}

const rates = { pulse: 0.25, lite: 1, full: 5 };

/** What a call costs by the specification: items that were answered, rounded up once. */
function costOf({ path, body = {} }: ApiRequest, results: readonly Result[]): number {
  const { tier = "lite" } = body as { readonly tier?: keyof typeof rates };
  const costs = results
    .filter(({ status }) => status === "ok" || status === "not_found")
    .map(({ totalOffers = 0 }) => {
      if (path === "/v1/products") return rates[tier];
      if (path === "/v1/offers/check") return 0.5;
      return totalOffers > 1 ? 3 : 1;
    });
  return Math.ceil(costs.reduce((sum, one) => sum + one, 0));
}

const creditsOf = (rows: readonly Row[], type: string): number =>
  rows.filter((row) => row["type"] === type).reduce((sum, row) => sum + Number(row["credits"]), 0);

/** Every hold was made once and resolved once, by whoever was first, and in time (M6). */
function checkHolds({ holds, entries }: Rows, calmAt: number): void {
  for (const hold of holds) {
    const name = `hold ${String(hold["sk"])}`;
    assert.notEqual(hold["state"], "open", name);
    const since = Math.max(Date.parse(String(hold["created_at"])), calmAt);
    const tookMs = Date.parse(String(hold["resolved_at"])) - since;
    assert(tookMs <= givenBackMs, `${name} was resolved after ${tookMs} ms`);
    const own = entries.filter((entry) => `hold#${String(entry["hold_id"])}` === hold["sk"]);
    const reserves = own.filter(({ type }) => type === "reserve");
    assert.equal(reserves.length, 1, `${name}: reserved once`);
    const charged = creditsOf(own, "charge") - takenBack(own);
    assert.equal(charged, hold["charged"], `${name}: charged`);
    assert(takenBack(own) <= creditsOf(own, "charge"), `${name}: taken back once`);
    assert.equal(
      charged + creditsOf(own, "refund"),
      creditsOf(own, "reserve"),
      `${name}: resolved once`,
    );
  }
}

/** Rare answers by status. */
const rareAnswers: Readonly<Record<number, (code: string | undefined) => string>> = {
  402: () => "a call was refused for want of credits",
  409: () => "an account has all its keys",
  429: (code) => `a call was refused: ${code}`,
  503: () => "a call was answered 503",
};

function sightStates({ sighted }: World, heard: readonly HeardCall[], { holds }: Rows): void {
  for (const { request, answer } of heard) sightAnswer(sighted, request, answer);
  for (const { state, request_id: requestId } of holds) {
    if (state === "cancelled") sighted("the charge of a call was taken back");
    if (state !== "expired") continue;
    sighted("a hold expired and was given back");
    const wasAnswered = heard.some(
      ({ answer }) => answer?.headers["x-request-id"] === requestId && answer?.status === 200,
    );
    if (wasAnswered) sighted("a call was answered after its hold was given back");
  }
}

function sightAnswer(
  sighted: World["sighted"],
  request: ApiRequest,
  answer: ApiAnswer | undefined,
): void {
  if (answer === undefined) return sighted("a client never heard of its call");
  const body = answer.body as unknown as Body & { readonly error?: { readonly code?: string } };
  const rare = rareAnswers[answer.status];
  if (rare !== undefined) sighted(rare(body.error?.code));
  if (!isItemCall(request)) return;
  const isUnknown = answer.status === 503 && answer.headers["x-service-credits"] === undefined;
  if (isUnknown) sighted("a client was told that its charge is not known yet");
  if (answer.status !== 200) return;
  const { unavailable, requested } = body.stats;
  if (unavailable === requested) sighted("a call was answered with nothing");
}
