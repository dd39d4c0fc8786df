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
import type { Moments, Register } from "./watchlists-register.ts";

/** Maximum difference between the clocks of processes. */
export const clocksOffMs = 10 * 60_000;

/** A watchlist that its tenant knows. */
export interface KnownWatchlist {
  readonly id: string;
  readonly platform: ListPlatform;
  /** Its number among the tenant's watchlists, which determines which hand owns which setting. */
  readonly number: number;
  /** The hand that created it, and that alone deletes it. */
  readonly maker: number;
  readonly settings: Readonly<Record<SettingName, Register>>;
  /** Whether each possible item is on the watchlist: "in" or "out". */
  readonly items: ReadonlyMap<string, Register>;
  /** IDs of manual runs. */
  readonly runs: Set<string>;
  /** Number of calls that requested a run. */
  runsAsked: number;
  /** Number of calls that requested its deletion. */
  deletes: number;
  /** The moment from which it is known to be deleted. */
  goneAt: number | undefined;
}

/** The creation of one watchlist, with all its calls. */
export interface Creation {
  readonly name: string;
  readonly body: object;
  readonly platform: ListPlatform;
  readonly ids: readonly string[];
  readonly isPaused: boolean;
  readonly key: string | undefined;
  /** Number of calls. */
  calls: number;
  /** Number of responses that created the watchlist, instead of replaying. */
  fresh: number;
  outcome: "open" | "made" | "refused" | "unknown";
  /** The body of the response. */
  text: string | undefined;
  /** Time of the first response, in milliseconds. */
  madeAt: number;
  /** Time of the first call, with which the day of its key starts. */
  readonly begunAt: number;
  list: KnownWatchlist | undefined;
}

export interface KnownKey {
  readonly id: string;
  readonly key: string;
  /** The moment from which it is known to be revoked. */
  revokedAt: number | undefined;
  revokes: number;
}

export interface Tenant {
  readonly user: User;
  readonly hands: number;
  readonly lists: KnownWatchlist[];
  readonly creations: Creation[];
  /** Number of watchlists from the set-up, which no user changes. */
  readonly others: number;
  readonly keys: KnownKey[];
  /** Number of keys from the set-up. */
  readonly otherKeys: number;
  /** Number of key creations with an unknown outcome. */
  keysUnknown: number;
  endpoint: { readonly id: string; readonly url: string } | undefined;
}

/** A hand: one of a tenant's concurrent users, with the world it acts in. */
export interface Acting {
  readonly world: World;
  readonly moments: Moments;
  readonly tenants: readonly Tenant[];
  readonly tenant: Tenant;
  /** Its number among the tenant's hands. */
  readonly hand: number;
}

export interface CallResult {
  /** The moment before the call. */
  readonly since: number;
  /** Undefined when the outcome is unknown. */
  readonly answer: ApiAnswer | undefined;
}

/** Calls the API and checks what every response must have. */
export async function ask(
  { world, moments, tenant }: Acting,
  request: Omit<ApiRequest, "key"> & { readonly key?: string },
): Promise<CallResult> {
  const since = moments.next();
  const answer = await world.call({ key: tenant.user.key, ...request });
  const { fired } = world.faults;
  // The rate limiter refuses a call when DynamoDB throttles its count.
  const isThrottled = answer?.status === 429 && fired.some(({ kind }) => kind === "throttled");
  if (answer === undefined || answer.status >= 500 || isThrottled) {
    const what = `${request.method} ${request.path}: ${answer?.text ?? "no answer"}`;
    assert.notEqual(fired.length, 0, `no fault explains ${what}`);
    return { since, answer: undefined };
  }
  assert.ok(answer.headers["x-request-id"], "every response has X-Request-Id");
  if (answer.status >= 400) errorOf(answer);
  return { since, answer };
}

interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly param?: string };
}

/** Returns the error in a response. @throws AssertionError for an error without code or message */
export function errorOf({ text, status }: ApiAnswer): ErrorBody["error"] {
  const { error } = JSON.parse(text) as ErrorBody;
  assert.ok(error.code && error.message, `an error of status ${status}: ${text}`);
  return error;
}

export const bodyOf = ({ text }: ApiAnswer): unknown => JSON.parse(text);

/** @throws AssertionError for a response with another status */
export function expectStatus(answer: ApiAnswer, wanted: readonly number[], what: string): void {
  assert.ok(wanted.includes(answer.status), `${what}: ${answer.status} ${answer.text}`);
}

/** Records a 404. @throws AssertionError when no user has requested the deletion */
export function noteMissing({ moments }: Acting, list: KnownWatchlist): void {
  assert.ok(list.deletes > 0, `${list.id} is missing without a deletion`);
  list.goneAt ??= moments.next();
}

/** @throws AssertionError when the watchlist was known to be deleted before the call */
export function noteExisting(list: KnownWatchlist, since: number): void {
  const isGone = list.goneAt !== undefined && list.goneAt < since;
  assert.ok(!isGone, `${list.id} exists after its deletion`);
}

/** True for the only hand that changes this setting of this watchlist. */
export const isOwner = (
  { tenant, hand }: Pick<Acting, "tenant" | "hand">,
  list: KnownWatchlist,
  setting: SettingName,
): boolean => (settingNames.indexOf(setting) + list.number) % tenant.hands === hand;

/** Checks that each setting of a watchlist in a response has a possible value. */
export function checkShown(
  list: KnownWatchlist,
  { shown, since }: { readonly shown: Shown; readonly since: number },
): void {
  noteExisting(list, since);
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
    // The service itself may pause a watchlist.
    if (name === "status" && shown.paused_reason === "insufficient_credits") continue;
    assert.ok(
      setting.may(value, since),
      `${list.id} has ${name} ${value}, expected ${setting.values().join(" or ")}`,
    );
  }
}

/** Sets the known settings of this hand to those in a response; no change of them may be pending. */
export function settleSettings(acting: Acting, list: KnownWatchlist, shown: Shown): void {
  const values = settingsOf(shown);
  for (const name of settingNames) {
    if (name === "status" && shown.paused_reason === "insufficient_credits") continue;
    if (isOwner(acting, list, name)) list.settings[name].is(values[name]);
  }
}

/** Checks the invariants of a watchlist in any response (R8, R10). */
function checkSound(shown: Shown): void {
  const { id, status, paused_reason: reason, items_by_state: counts } = shown;
  assert.equal(shown.next_run_at === null, status === "paused", `${id}: next run of ${status}`);
  assert.equal(reason === null, status === "active", `${id}: ${status} for ${reason}`);
  if (reason === "insufficient_credits") assert.ok(shown.consecutive_skips >= 3, id);
  const { new: fresh, active, delisted } = counts;
  assert.ok(Math.min(fresh, active, delisted) >= 0, `${id}: counts below zero`);
  assert.equal(shown.item_count, fresh + active + delisted, `${id}: item_count`);
}
