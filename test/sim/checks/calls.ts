import assert from "node:assert/strict";
import type { ApiAnswer, ApiRequest } from "../api.ts";
import type { User, World } from "../world.ts";
import { type Books, booksOf, type Entry, sumOf, takenBack } from "./books.ts";
import { assertSound } from "./books-sound.ts";
import type { Histories, History } from "./books-watch.ts";
import { assertReconciled } from "./reconciled.ts";

/** A call and what its client came to know: no answer says nothing of what was done. */
export interface HeardCall {
  readonly user: User;
  readonly request: ApiRequest;
  readonly answer: ApiAnswer | undefined;
  /** When it was made, and when that was heard, in milliseconds. */
  readonly calledAt: number;
  readonly heardAt: number;
}

const minute = 60_000;
/**
 * An abandoned hold is back after the longest call (specification, "Client time allowance"), by a
 * clock that may be two minutes off, and two sweeps, one of which may stand still before.
 */
const givenBackMs = (5 + 2 + 2 * 3 + 50) * minute;

export interface Observed {
  readonly heard: readonly HeardCall[];
  readonly histories: Histories;
  /** When the faults stopped. */
  readonly calmAt: number;
}

/** Everything that has to hold of calls once all is quiet. */
export async function checkCalls(
  world: World,
  users: readonly User[],
  { heard, histories, calmAt }: Observed,
): Promise<void> {
  for (const user of users) {
    const books = await booksOf(world, user.accountId);
    const history = histories.get(user.accountId);
    assert(history !== undefined, `${user.name} was watched`);
    assertSound(books);
    assert.equal(books.held, 0, "nothing is held once all is quiet");
    const own = heard.filter((call) => call.user === user);
    for (const call of own) {
      if (call.answer !== undefined) checkAnswer(call, call.answer, { books, history });
    }
    checkLate(world, books);
    checkHolds(books, history, calmAt);
    sightStates(world, own, { books, history });
  }
  await assertReconciled(world);
}

interface Kept {
  readonly books: Books;
  readonly history: History;
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
function checkAnswer(call: HeardCall, answer: ApiAnswer, kept: Kept): void {
  const { request } = call;
  const name = `${request.method} ${request.path}: ${answer.status}`;
  const { "x-request-id": requestId, "x-service-credits": said } = answer.headers;
  // Said to the client too: nobody knows whether it was charged.
  if (isItemCall(request) && answer.status === 503 && said === undefined) return;
  assert.match(requestId ?? "", /^req_/, name);
  const own = kept.books.entries.filter((entry) => entry.requestId === requestId);
  const charged = sumOf(own, "charge") - takenBack(own);
  const refunded = sumOf(own, "refund");
  assert.equal(sumOf(own, "reserve"), charged + refunded, `${name}: resolved`);
  if (!isItemCall(request) || answer.status !== 200) {
    assert.equal(charged, 0, `${name}: costs nothing`);
    if (isItemCall(request) && said !== undefined) assert.equal(said, "0", name);
    checkRefusal(call, answer, kept.history);
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
  assert.equal(credits, isExpired(own, kept.history) ? 0 : costOf(request, results), name);
  assert.equal(said, String(credits), name);
  assert.equal(charged, credits, `${name}: the ledger says what the answer said`);
  checkBalance(call, answer, kept.history);
}

/**
 * A call is refused for its credits only if there were fewer at some instant while it went on, and for
 * its slot only if all were in use at one.
 */
function checkRefusal(
  { calledAt, heardAt }: HeardCall,
  { status, body }: ApiAnswer,
  history: History,
): void {
  const { code, message = "" } = (body as unknown as Refusal).error ?? {};
  const moments = history.between(calledAt, heardAt);
  if (status === 402) {
    const needed = Number(/reserves (\d+) credit/.exec(message)?.[1]);
    const least = Math.min(...moments.map(({ balance }) => balance));
    assert(least < needed, `${message}: there were ${least} credits at the least`);
  }
  if (code !== "CONCURRENCY_LIMIT") return;
  assert(
    moments.some(({ isFull }) => isFull),
    `${message}: there was a free slot all the time`,
  );
}

interface Refusal {
  readonly error?: { readonly code?: string; readonly message?: string };
}

/**
 * The balance that an answer tells is the account's at an instant while the call went on; with several
 * shards, each of them had its part at one.
 */
function checkBalance(
  { calledAt, heardAt }: HeardCall,
  { headers }: ApiAnswer,
  history: History,
): void {
  const said = Number(headers["x-service-balance"]);
  const moments = history.between(calledAt, heardAt);
  const shards = Math.max(...moments.map(({ balances }) => balances.length));
  if (shards === 1) {
    const had = new Set(moments.map(({ balance }) => balance));
    assert(had.has(said), `a balance of ${said} that the account had`);
    return;
  }
  const partsOf = (shard: number): number[] => moments.map(({ balances }) => balances[shard] ?? 0);
  const bound = (least: (...values: number[]) => number): number =>
    Array.from({ length: shards }, (_, shard) => least(...partsOf(shard))).reduce(
      (sum, part) => sum + part,
    );
  assert(said >= bound(Math.min) && said <= bound(Math.max), `a balance of ${said} by its parts`);
}

/** A call that the gateway answered before the service did costs nothing (M5). */
function checkLate({ lateAnswers, sighted }: World, { entries }: Books): void {
  for (const { headers, status } of lateAnswers) {
    const requestId = headers["x-request-id"];
    const own = entries.filter((entry) => entry.requestId === requestId);
    // It is known then that it may have been charged, and the log says so.
    if (own.length === 0 || (status === 503 && headers["x-service-credits"] === undefined))
      continue;
    const charged = sumOf(own, "charge") - takenBack(own);
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
function isExpired(own: readonly Entry[], { holds }: History): boolean {
  const hold = holds.get(own[0]?.holdId ?? "");
  const refund = own.find(({ type }) => type === "refund");
  if (hold === undefined || refund === undefined || sumOf(own, "charge") > 0) return false;
  return refund.at / 1_000 > hold.expiresAt;
}

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

/** Every hold was made once and resolved once, by whoever was first, and in time (M6). */
function checkHolds({ holds, entries }: Books, history: History, calmAt: number): void {
  for (const { id, state, credits, charged } of holds) {
    const name = `hold ${id}`;
    assert.notEqual(state, "open", name);
    const own = entries.filter(({ holdId }) => holdId === id);
    const back = takenBack(own);
    assert.equal(sumOf(own, "reserve"), credits, `${name}: reserved`);
    assert.equal(sumOf(own, "charge") - back, charged, `${name}: charged`);
    assert(back <= sumOf(own, "charge"), `${name}: taken back once`);
    assert.equal(charged + sumOf(own, "refund"), credits, `${name}: resolved once`);
  }
  for (const [id, { madeAt, resolvedAt = Infinity }] of history.holds) {
    const tookMs = resolvedAt - Math.max(madeAt, calmAt);
    assert(tookMs <= givenBackMs, `hold ${id} was resolved after ${tookMs} ms`);
  }
}

/** Rare answers by status. */
const rareAnswers: Readonly<Record<number, (code: string | undefined) => string>> = {
  402: () => "a call was refused for want of credits",
  409: () => "an account has all its keys",
  429: (code) => `a call was refused: ${code}`,
  503: () => "a call was answered 503",
};

function sightStates(
  { sighted }: World,
  heard: readonly HeardCall[],
  { books, history }: Kept,
): void {
  for (const call of heard) {
    sightAnswer(sighted, call.request, call.answer);
    sightFull(sighted, call, history);
  }
  for (const { id, state } of books.holds) {
    if (state === "cancelled") sighted("the charge of a call was taken back");
    const own = books.entries.filter(({ holdId }) => holdId === id);
    if (!isExpired(own, history)) continue;
    sighted("a hold expired and was given back");
    const wasAnswered = heard.some(
      ({ answer }) => answer?.headers["x-request-id"] === id && answer.status === 200,
    );
    if (wasAnswered) sighted("a call was answered after its hold was given back");
  }
}

/** Many shards, and no free slot in any of them. */
function sightFull(
  sighted: World["sighted"],
  { answer, calledAt, heardAt }: HeardCall,
  history: History,
): void {
  const { code } = (answer?.body as Refusal | undefined)?.error ?? {};
  if (code !== "CONCURRENCY_LIMIT") return;
  const full = history.between(calledAt, heardAt).find(({ isFull }) => isFull);
  const shards = full?.balances.length ?? 1;
  if (shards > 1) sighted(`a call was refused while all slots of ${shards} shards were in use`);
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
