import assert from "node:assert/strict";
import type { ApiAnswer, ApiRequest } from "../api.ts";
import type { User, World } from "../world.ts";
import {
  type ListPlatform,
  type SettingName,
  settingNames,
  settingsOf,
  type Shown,
} from "./watchlists-bodies.ts";
import type { Labels } from "./runs-labels.ts";
import type { Moments, Register } from "./watchlists-register.ts";

/** The largest difference between the clocks of processes, in milliseconds. */
export const clocksOffMs = 10 * 60_000;

/** A watchlist whose ID its tenant has received. */
export interface KnownWatchlist {
  readonly id: string;
  readonly platform: ListPlatform;
  /**
   * The position of the watchlist in the list of its tenant. It determines which hand (see
   * `Acting`) may change which setting.
   */
  readonly number: number;
  /** The number of the hand that created the watchlist. Only this hand deletes it. */
  readonly maker: number;
  readonly settings: Readonly<Record<SettingName, Register>>;
  /** For each possible item, whether it is on the watchlist: "in" or "out". */
  readonly items: ReadonlyMap<string, Register>;
  /** The labels that the creation set, by item ID. */
  readonly labels: ReadonlyMap<string, Labels>;
  /** The IDs of items that a call added or removed after the creation. */
  readonly touched: Set<string>;
  /** The IDs of manual runs. */
  readonly runs: Set<string>;
  /** The number of calls that requested a run. */
  runsAsked: number;
  /** The number of calls that requested the deletion of the watchlist. */
  deletes: number;
  /** The moment from which the watchlist must be deleted; undefined while it may exist. */
  goneAt: number | undefined;
}

/** The creation of one watchlist, with all of its calls. */
export interface Creation {
  readonly name: string;
  readonly body: object;
  readonly platform: ListPlatform;
  readonly ids: readonly string[];
  /** The labels in the body, by item ID. */
  readonly labels: ReadonlyMap<string, Labels>;
  readonly isPaused: boolean;
  readonly key: string | undefined;
  /** The number of calls. */
  calls: number;
  /** The number of responses that were not replays of a stored response; at most 1. */
  fresh: number;
  outcome: "open" | "made" | "refused" | "unknown";
  /** The body of the response; undefined if there was none. */
  text: string | undefined;
  /** The time of the first response to one of the calls, in milliseconds. */
  madeAt: number;
  /**
   * The time of the first call, in milliseconds. The idempotency key is valid for a day from then.
   */
  readonly begunAt: number;
  list: KnownWatchlist | undefined;
}

export interface KnownKey {
  readonly id: string;
  readonly key: string;
  /** The moment from which the key must be revoked; undefined while it may be valid. */
  revokedAt: number | undefined;
  /** The number of calls that requested the revocation of the key. */
  revokes: number;
}

export interface Tenant {
  readonly user: User;
  /** The number of hands of the tenant (see `Acting`). */
  readonly hands: number;
  readonly lists: KnownWatchlist[];
  readonly creations: Creation[];
  /** The number of watchlists that the set-up created. No user changes them. */
  readonly others: number;
  readonly keys: KnownKey[];
  /** The number of API keys that the set-up created. */
  readonly otherKeys: number;
  /** The number of key creations whose outcome is unknown. */
  keysUnknown: number;
  endpoint: { readonly id: string; readonly url: string } | undefined;
}

/** A _hand_: one of the users of a tenant, which act at the same time. */
export interface Acting {
  readonly world: World;
  readonly moments: Moments;
  readonly tenants: readonly Tenant[];
  readonly tenant: Tenant;
  /** The number of the hand within its tenant. */
  readonly hand: number;
}

export interface CallResult {
  /** The number of the moment before the call (see `Moments`). */
  readonly since: number;
  /** The response; undefined if the outcome is unknown. */
  readonly answer: ApiAnswer | undefined;
}

/**
 * Calls the API, and checks the properties that every response must have. `answer` is undefined for
 * an unknown outcome: no response, a status of 500 or above, or a 429 that a fault caused.
 * @throws AssertionError if no fault explains an unknown outcome
 */
export async function ask(
  { world, moments, tenant }: Acting,
  request: Omit<ApiRequest, "key"> & { readonly key?: string },
): Promise<CallResult> {
  const since = moments.next();
  const answer = await world.call({ key: tenant.user.key, ...request });
  const { fired } = world.faults;
  // The rate limiter refuses a call if DynamoDB throttles the row of the key, or if all attempts to
  // count the call fail. If the response to an attempt is lost, the row contains the new count, so
  // the condition of the next attempt fails.
  const isThrottled = fired.some(({ kind }) => kind === "throttled" || kind === "answer_lost");
  if (answer === undefined || answer.status >= 500 || (answer.status === 429 && isThrottled)) {
    const what = `${request.method} ${request.path}: ${answer?.text ?? "no answer"}`;
    assert.notEqual(fired.length, 0, `no fault explains ${what}`);
    return { since, answer: undefined };
  }
  assert.ok(answer.headers["x-request-id"], `${request.method} ${request.path}: no X-Request-Id`);
  if (answer.status >= 400) errorOf(answer);
  return { since, answer };
}

interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly param?: string };
}

/**
 * Returns the error in a response.
 * @throws AssertionError if the error has no code or no message
 */
export function errorOf({ text, status }: ApiAnswer): ErrorBody["error"] {
  const { error } = JSON.parse(text) as ErrorBody;
  assert.ok(
    error.code && error.message,
    `an error with status ${status} has no code or no message: ${text}`,
  );
  return error;
}

/** Parses the body of a response. */
export const bodyOf = ({ text }: ApiAnswer): unknown => JSON.parse(text);

/**
 * Checks the status of a response.
 * @param what names the call in the message of the error
 * @throws AssertionError if the status is not in `wanted`
 */
export function expectStatus(answer: ApiAnswer, wanted: readonly number[], what: string): void {
  assert.ok(wanted.includes(answer.status), `${what}: ${answer.status} ${answer.text}`);
}

/**
 * Records that a call for the watchlist got status 404.
 * @throws AssertionError if no user has requested the deletion of the watchlist
 */
export function noteMissing({ moments }: Acting, list: KnownWatchlist): void {
  assert.ok(list.deletes > 0, `${list.id} is missing without a deletion`);
  list.goneAt ??= moments.next();
}

/**
 * Checks that the watchlist may exist, because a call found it.
 * @param since the moment before the call
 * @throws AssertionError if the watchlist was certainly deleted before the call
 */
export function assertMayExist(list: KnownWatchlist, since: number): void {
  const isGone = list.goneAt !== undefined && list.goneAt < since;
  assert.ok(!isGone, `${list.id} exists after its deletion`);
}

/** Returns true if the acting hand is the only one that changes this setting of the watchlist. */
export const isOwner = (
  { tenant, hand }: Pick<Acting, "tenant" | "hand">,
  list: KnownWatchlist,
  setting: SettingName,
): boolean => (settingNames.indexOf(setting) + list.number) % tenant.hands === hand;

/**
 * Checks a watchlist in the response to a call that began at `since`: each setting must have one of
 * the values that were possible since then. Skips a status that the service itself changed to
 * `paused`.
 * @throws Error if a check fails
 */
export function checkShown(
  list: KnownWatchlist,
  { shown, since }: { readonly shown: Shown; readonly since: number },
): void {
  assertMayExist(list, since);
  checkSound(shown);
  const isResumable = list.settings.status.may("active", 0);
  if (!isResumable && list.runsAsked === 0) {
    assert.equal(
      shown.run_count,
      0,
      `${list.id} ran although it was created paused and never resumed`,
    );
  }
  const values = settingsOf(shown);
  for (const name of settingNames) {
    const [setting, value] = [list.settings[name], values[name]];
    // The service itself may pause a watchlist, for lack of credits.
    if (name === "status" && shown.paused_reason === "insufficient_credits") continue;
    assert.ok(
      setting.may(value, since),
      `${list.id} has ${name} ${value}, expected ${setting.values().join(" or ")}`,
    );
  }
}

/**
 * Sets the expected values of settings to the values in a response. Applies only to settings that
 * the acting hand alone changes. This hand must have no change of these settings in progress.
 */
export function settleSettings(acting: Acting, list: KnownWatchlist, shown: Shown): void {
  const values = settingsOf(shown);
  for (const name of settingNames) {
    if (name === "status" && shown.paused_reason === "insufficient_credits") continue;
    if (isOwner(acting, list, name)) list.settings[name].is(values[name]);
  }
}

/** Checks the invariants of a watchlist that hold in every response (R8, R10). */
function checkSound(shown: Shown): void {
  const { id, status, paused_reason: reason, items_by_state: counts } = shown;
  assert.equal(shown.next_run_at === null, status === "paused", `${id}: next run of ${status}`);
  assert.equal(reason === null, status === "active", `${id}: ${status} for ${reason}`);
  if (reason === "insufficient_credits")
    assert.ok(shown.consecutive_skips >= 3, `${id}: paused too early`);
  const { new: fresh, active, delisted } = counts;
  assert.ok(Math.min(fresh, active, delisted) >= 0, `${id}: counts below zero`);
  assert.equal(shown.item_count, fresh + active + delisted, `${id}: item_count`);
}
