import assert from "node:assert/strict";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { hashApiKey } from "../../../shared/accounts/api-key.ts";
import { accountKeys } from "../../../shared/aws/table/table.ts";
import type { ApiAnswer, ApiRequest } from "../api.ts";
import type { User, World } from "../world.ts";
import { type LedgerState, readLedgerState, type Entry, sumOf, takenBack } from "./ledger-state.ts";
import { assertLedgerInvariants } from "./ledger-invariants.ts";
import type { Histories, History } from "./ledger-watch.ts";
import { checkPreview, isPreview, notePreview } from "./previews.ts";
import { assertReconciled } from "./reconciled.ts";

/** A call and its response. Without a response, the outcome of the call is unknown. */
export interface RecordedCall {
  readonly user: User;
  readonly request: ApiRequest;
  readonly answer: ApiAnswer | undefined;
  /** The times of the call and of its response, in milliseconds of the virtual clock. */
  readonly calledAt: number;
  readonly answeredAt: number;
}

const minute = 60_000;
/**
 * The longest time until the hold of an abandoned call is released, in milliseconds. Sum of the
 * longest call (specification, "Client time allowance"), a clock error of two minutes, two passes
 * of the sweeper, and the longest pause of the sweeper.
 */
const refundedWithinMs = (5 + 2 + 2 * 3 + 50) * minute;

export interface Observed {
  readonly recorded: readonly RecordedCall[];
  readonly histories: Histories;
  /** The time at which the faults stopped. */
  readonly calmAt: number;
}

/**
 * Checks all calls with their charges and holds. Call it when no work is left.
 * @throws Error if a check fails
 */
export async function checkCalls(
  world: World,
  users: readonly User[],
  { recorded, histories, calmAt }: Observed,
): Promise<void> {
  for (const user of users) {
    const ledger = await readLedgerState(world, user.accountId);
    const history = histories.get(user.accountId);
    assert(history !== undefined, `${user.name} has no recorded history`);
    assertLedgerInvariants(ledger);
    assert.equal(ledger.held, 0, "no credits stay held");
    const own = recorded.filter((call) => call.user === user);
    await checkKeys(world, own, ledger);
    for (const call of own) {
      if (call.answer !== undefined) checkAnswer(call, call.answer, { ledger, history });
    }
    checkLate(world, ledger);
    checkHolds(ledger, history, calmAt);
    noteStates(world, own, { ledger, history });
  }
  await assertReconciled(world);
}

interface Kept {
  readonly ledger: LedgerState;
  readonly history: History;
}

interface Result {
  readonly id: string;
  /** The ASIN of the item, even if `id` is the ID of an offer. */
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

/**
 * Checks that each entry that charges a call, or refunds its credits, names the API key of the call
 * (invariant M13).
 */
async function checkKeys(
  { client, table }: World,
  calls: readonly RecordedCall[],
  { entries }: LedgerState,
): Promise<void> {
  const keyIds = new Map<string, unknown>();
  for (const key of new Set(calls.map(({ request }) => request.key))) {
    const Key = accountKeys.keyHash(hashApiKey(key));
    const { Item } = await client.send(new GetCommand({ TableName: table, Key }));
    keyIds.set(key, Item?.["key_id"]);
  }
  for (const { request, answer } of calls) {
    const requestId = answer?.headers["x-request-id"];
    if (requestId === undefined) continue;
    for (const { type, apiKeyId } of entries.filter((entry) => entry.requestId === requestId)) {
      // Reservations are not checked: they show the source that is stored with their hold, or with
      // the entry that resolves the hold.
      if (type !== "reserve") assert.equal(apiKeyId, keyIds.get(request.key), `${requestId}: key`);
    }
  }
}

const isItemCall = ({ path }: ApiRequest): boolean =>
  path.startsWith("/v1/products") || path.startsWith("/v1/offers") || path.endsWith("/preview");

/**
 * Checks that the body and the headers of a response show the charge of the ledger (invariant M5).
 */
function checkAnswer(call: RecordedCall, answer: ApiAnswer, kept: Kept): void {
  const { request } = call;
  const name = `${request.method} ${request.path}: ${answer.status}`;
  const { "x-request-id": requestId, "x-service-credits": shown } = answer.headers;
  // A 503 without this header reports that the service does not know whether it charged the call.
  if (isItemCall(request) && answer.status === 503 && shown === undefined) return;
  assert.match(requestId ?? "", /^req_/, name);
  const own = kept.ledger.entries.filter((entry) => entry.requestId === requestId);
  const charged = sumOf(own, "charge") - takenBack(own);
  const refunded = sumOf(own, "refund");
  assert.equal(sumOf(own, "reserve"), charged + refunded, `${name}: resolved`);
  if (!isItemCall(request) || answer.status !== 200) {
    assert.equal(charged, 0, `${name}: costs nothing`);
    if (isItemCall(request) && shown !== undefined) assert.equal(shown, "0", name);
    checkRefusal(call, answer, kept.history);
    return;
  }
  const wasExpired = isExpired(own, kept.history);
  const credits = isPreview(request)
    ? checkPreview(request, answer, wasExpired)
    : checkResults(request, answer, wasExpired);
  assert.equal(shown, String(credits), name);
  assert.equal(charged, credits, `${name}: charge in the ledger and in the response`);
  checkBalance(call, answer, kept.history);
}

/** Checks the body of an item call. Returns the credits that it shows. */
function checkResults(request: ApiRequest, answer: ApiAnswer, wasExpired: boolean): number {
  const name = `${request.method} ${request.path}`;
  const { results, stats, credits } = answer.body as unknown as Body;
  assert.deepEqual(
    results.map(nameOf),
    [...new Set(namesIn(request))],
    `${name}: one result per unique item, in the order of the request`,
  );
  checkStats({ results, stats, name });
  if (request.path === "/v1/offers/check") results.forEach(checkOfferCheck);
  assert.equal(credits, wasExpired ? 0 : costOf(request, results), name);
  return credits;
}

/**
 * Checks that the reason for a refusal was true at some instant during the call (invariant C8):
 * - 402: the balance was too low.
 * - 409 for the daily budget: the budget left too few credits.
 * - `CONCURRENCY_LIMIT`: all slots were in use.
 */
function checkRefusal(
  { calledAt, answeredAt }: RecordedCall,
  { status, body }: ApiAnswer,
  history: History,
): void {
  const { code, message = "" } = (body as unknown as Refusal).error ?? {};
  const moments = history.between(calledAt, answeredAt);
  if (status === 402) {
    const needed = Number(/must reserve (\d+) credit/.exec(message)?.[1]);
    const least = Math.min(...moments.map(({ balance }) => balance));
    assert(least < needed, `${message}: the balance was at least ${least} credits`);
  }
  if (status === 409 && message.includes("daily_credit_budget")) {
    const needed = Number(/must reserve (\d+) credit/.exec(message)?.[1]);
    const least = Math.min(...moments.map(({ budgetLeft }) => budgetLeft));
    assert(least < needed, `${message}: the budget left at least ${least} credits`);
  }
  if (code !== "CONCURRENCY_LIMIT") return;
  assert(
    moments.some(({ isFull }) => isFull),
    `${message}: a slot was free during the whole call`,
  );
}

interface Refusal {
  readonly error?: { readonly code?: string; readonly message?: string };
}

/**
 * Checks that a response shows a balance that the account had at some instant during the call
 * (invariant C8). With several shards, the balance is a sum, and the summands may be from
 * different instants.
 */
function checkBalance(
  { calledAt, answeredAt }: RecordedCall,
  { headers }: ApiAnswer,
  history: History,
): void {
  const shown = Number(headers["x-service-balance"]);
  const moments = history.between(calledAt, answeredAt);
  const shards = Math.max(...moments.map(({ balances }) => balances.length));
  if (shards === 1) {
    const had = new Set(moments.map(({ balance }) => balance));
    assert(had.has(shown), `the account never had the balance ${shown}`);
    return;
  }
  const partsOf = (shard: number): number[] => moments.map(({ balances }) => balances[shard] ?? 0);
  const bound = (least: (...values: number[]) => number): number =>
    Array.from({ length: shards }, (_, shard) => least(...partsOf(shard))).reduce(
      (sum, part) => sum + part,
    );
  assert(
    shown >= bound(Math.min) && shown <= bound(Math.max),
    `the shards never had the balance ${shown}`,
  );
}

/**
 * Checks that a call was charged nothing if the service responded after the gateway's timeout
 * (invariant M5).
 */
function checkLate({ lateAnswers, reached }: World, { entries }: LedgerState): void {
  for (const { headers, status } of lateAnswers) {
    const requestId = headers["x-request-id"];
    const own = entries.filter((entry) => entry.requestId === requestId);
    // Skips a 503 without this header: the service does not know whether it charged the call, and
    // logs this fact.
    if (own.length === 0 || (status === 503 && headers["x-service-credits"] === undefined))
      continue;
    const charged = sumOf(own, "charge") - takenBack(own);
    assert.equal(charged, 0, `${requestId}: charge of a late response with status ${status}`);
    reached("a call with a late response cost nothing");
  }
}

const nameOf = ({ id, asin = id }: Result): string => (asin === id ? id : `${asin} ${id}`);

interface Asked {
  readonly ids?: readonly string[];
  readonly offers?: readonly { readonly asin: string; readonly offerListingId: string }[];
}

/** Returns the items of a request, with the names that the results have. */
function namesIn({ path, body = {} }: ApiRequest): readonly string[] {
  const { ids, offers } = body as Asked;
  if (offers !== undefined) return offers.map(({ offerListingId: id, asin }) => `${asin} ${id}`);
  return ids ?? [path.split("/")[3] ?? ""];
}

/**
 * Returns true if the hold of a call expired before the call settled it. Such a call is not
 * charged. A hold can expire during its call if the process paused, or if the clock of the process
 * is slow.
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

/** Checks that the result of an offer check has `buyable` if and only if its status is `ok`. */
function checkOfferCheck({ id, offerListingId, status, buyable }: Result): void {
  assert.equal(offerListingId, id);
  assert.equal(typeof buyable, status === "ok" ? "boolean" : "undefined", `offer ${id}: ${status}`);
}

const rates = { pulse: 0.25, lite: 1, full: 5 };

/**
 * Returns the charge of a call according to the specification: the sum for all answered items,
 * rounded up once.
 */
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

/**
 * Checks that each hold was reserved once and resolved once (invariant M3), and that it was
 * resolved in time (invariant M6).
 */
function checkHolds({ holds, entries }: LedgerState, history: History, calmAt: number): void {
  for (const { id, state, credits, charged } of holds) {
    const name = `hold ${id}`;
    assert.notEqual(state, "open", `${name} is still open`);
    const own = entries.filter(({ holdId }) => holdId === id);
    const back = takenBack(own);
    assert.equal(sumOf(own, "reserve"), credits, `${name}: reserved`);
    assert.equal(sumOf(own, "charge") - back, charged, `${name}: charged`);
    assert(back <= sumOf(own, "charge"), `${name}: more was refunded than charged`);
    assert.equal(charged + sumOf(own, "refund"), credits, `${name}: resolved once`);
  }
  for (const [id, { madeAt, resolvedAt = Infinity }] of history.holds) {
    const tookMs = resolvedAt - Math.max(madeAt, calmAt);
    assert(tookMs <= refundedWithinMs, `hold ${id} was resolved too late, after ${tookMs} ms`);
  }
}

/** Functions that return the name of a rare state from an error code, by status of the response. */
const rareAnswers: Readonly<Record<number, (code: string | undefined) => string>> = {
  402: () => "a call was refused for lack of credits",
  409: () => "a call was refused for the daily budget or the limit of API keys",
  429: (code) => `a call was refused: ${code}`,
  503: () => "a call returned 503",
};

function noteStates(
  world: World,
  recorded: readonly RecordedCall[],
  { ledger, history }: Kept,
): void {
  const { reached } = world;
  for (const call of recorded) {
    noteAnswer(reached, call.request, call.answer);
    const { request, answer } = call;
    if (isPreview(request) && answer?.status === 200) notePreview(world, answer);
    noteFullShards(reached, call, history);
  }
  for (const { id, state } of ledger.holds) {
    if (state === "cancelled") reached("the charge of a call was refunded");
    const own = ledger.entries.filter(({ holdId }) => holdId === id);
    if (!isExpired(own, history)) continue;
    reached("an expired hold was released");
    const wasAnswered = recorded.some(
      ({ answer }) => answer?.headers["x-request-id"] === id && answer.status === 200,
    );
    if (wasAnswered) reached("a call succeeded after the release of its hold");
  }
}

/** Records a refused call as a rare state if all slots of several shards were in use. */
function noteFullShards(
  reached: World["reached"],
  { answer, calledAt, answeredAt }: RecordedCall,
  history: History,
): void {
  const { code } = (answer?.body as Refusal | undefined)?.error ?? {};
  if (code !== "CONCURRENCY_LIMIT") return;
  const full = history.between(calledAt, answeredAt).find(({ isFull }) => isFull);
  const shards = full?.balances.length ?? 1;
  if (shards > 1) reached(`a call was refused while all slots of ${shards} shards were in use`);
}

function noteAnswer(
  reached: World["reached"],
  request: ApiRequest,
  answer: ApiAnswer | undefined,
): void {
  if (answer === undefined) return reached("a client got no response");
  const body = answer.body as unknown as Body & { readonly error?: { readonly code?: string } };
  const rare = rareAnswers[answer.status];
  if (rare !== undefined) reached(rare(body.error?.code));
  if (!isItemCall(request)) return;
  const isUnknown = answer.status === 503 && answer.headers["x-service-credits"] === undefined;
  if (isUnknown) reached("a response reported an unknown charge");
  if (answer.status !== 200 || isPreview(request)) return;
  const { unavailable, requested } = body.stats;
  if (unavailable === requested) reached("a call found no item available");
}
