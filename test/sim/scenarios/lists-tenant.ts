import assert from "node:assert/strict";
import type { ApiAnswer, ApiRequest } from "../api.ts";
import type { User, World } from "../world.ts";
import {
  type ListPlatform,
  type SettingName,
  settingNames,
  settingsOf,
  type Shown,
} from "./lists-bodies.ts";
import type { Moments, Register } from "./lists-register.ts";

/** Clocks of processes may be off by some minutes. */
export const clocksOffMs = 10 * 60_000;

/** A list that its tenant knows of. */
export interface KnownList {
  readonly id: string;
  readonly platform: ListPlatform;
  /** Its place among the tenant's: says which hand changes which of its settings. */
  readonly number: number;
  /** The hand that made it, which alone deletes it. */
  readonly maker: number;
  readonly settings: Readonly<Record<SettingName, Register>>;
  /** Whether each item that there may be is on it: "in" or "out". */
  readonly items: ReadonlyMap<string, Register>;
  /** Runs that were begun by hand. */
  readonly runs: Set<string>;
  /** Calls that asked for a run, whatever was answered. */
  runsAsked: number;
  /** Attempts to delete it that were begun. */
  deletes: number;
  /** The moment from which on it is known to be gone. */
  goneAt: number | undefined;
}

/** A wish for one list, in as many calls as it takes. */
export interface Intent {
  readonly name: string;
  readonly body: object;
  readonly platform: ListPlatform;
  readonly ids: readonly string[];
  readonly isPaused: boolean;
  readonly key: string | undefined;
  /** Calls that were begun. */
  calls: number;
  /** Calls that were answered with a list that was made just then. */
  fresh: number;
  outcome: "open" | "made" | "refused" | "unknown";
  /** The answer, byte by byte. */
  text: string | undefined;
  /** When it was first heard, in milliseconds. */
  madeAt: number;
  /** When it was first asked for: its key is remembered for a day from there. */
  readonly begunAt: number;
  list: KnownList | undefined;
}

export interface KnownKey {
  readonly id: string;
  readonly key: string;
  /** A moment from which on it is known to work no more. */
  revokedAt: number | undefined;
  revokes: number;
}

export interface Tenant {
  readonly user: User;
  readonly hands: number;
  readonly lists: KnownList[];
  readonly intents: Intent[];
  /** Lists that are there from the beginning and that nobody touches. */
  readonly others: number;
  readonly keys: KnownKey[];
  /** Keys that are there from the beginning. */
  readonly otherKeys: number;
  /** Keys that were asked for with an outcome that nobody heard. */
  keysUnknown: number;
  endpoint: { readonly id: string; readonly url: string } | undefined;
}

/** What a hand needs to act. */
export interface Acting {
  readonly world: World;
  readonly moments: Moments;
  readonly tenants: readonly Tenant[];
  readonly tenant: Tenant;
  /** Its number among the tenant's hands. */
  readonly hand: number;
}

export interface Heard {
  /** The moment before the call. */
  readonly since: number;
  /** Undefined when nothing was heard of a success or a refusal: the outcome is unknown. */
  readonly answer: ApiAnswer | undefined;
}

/** Calls the API and holds the answer to what every answer has to be. */
export async function ask(
  { world, moments, tenant }: Acting,
  request: Omit<ApiRequest, "key"> & { readonly key?: string },
): Promise<Heard> {
  const since = moments.next();
  const answer = await world.call({ key: tenant.user.key, ...request });
  const { fired } = world.faults;
  // A call that DynamoDB throttled cannot be counted: it is refused like one too many.
  const isThrottled = answer?.status === 429 && fired.some(({ kind }) => kind === "throttled");
  if (answer === undefined || answer.status >= 500 || isThrottled) {
    const what = `${request.method} ${request.path}: ${answer?.text ?? "no answer"}`;
    assert.notEqual(fired.length, 0, `nothing had gone wrong before ${what}`);
    return { since, answer: undefined };
  }
  assert.ok(answer.headers["x-request-id"], "every answer carries X-Request-Id");
  if (answer.status >= 400) errorOf(answer);
  return { since, answer };
}

interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly param?: string };
}

/** The error in an answer, which has the shape that every error has. */
export function errorOf({ text, status }: ApiAnswer): ErrorBody["error"] {
  const { error } = JSON.parse(text) as ErrorBody;
  assert.ok(error.code && error.message, `an error of status ${status}: ${text}`);
  return error;
}

export const bodyOf = ({ text }: ApiAnswer): unknown => JSON.parse(text);

/** @throws AssertionError for an answer of another status */
export function expectStatus(answer: ApiAnswer, wanted: readonly number[], what: string): void {
  assert.ok(wanted.includes(answer.status), `${what}: ${answer.status} ${answer.text}`);
}

/** A 404: right only when somebody has begun to delete the list. */
export function heardGone({ moments }: Acting, list: KnownList): void {
  assert.ok(list.deletes > 0, `${list.id} answers 404, and nobody has deleted it`);
  list.goneAt ??= moments.next();
}

/** An answer of a list that is there: wrong when it was known to be gone before. */
export function heardThere(list: KnownList, since: number): void {
  const isGone = list.goneAt !== undefined && list.goneAt < since;
  assert.ok(!isGone, `${list.id} was gone and answers`);
}

/** True for the one hand that changes this setting of this list. */
export const isOwner = (
  { tenant, hand }: Pick<Acting, "tenant" | "hand">,
  list: KnownList,
  setting: SettingName,
): boolean => (settingNames.indexOf(setting) + list.number) % tenant.hands === hand;

/** A list in an answer: each of its settings is one that it may have. */
export function checkShown(
  list: KnownList,
  { shown, since }: { readonly shown: Shown; readonly since: number },
): void {
  heardThere(list, since);
  checkSound(shown);
  const isResumable = list.settings.status.may("active", 0);
  if (!isResumable && list.runsAsked === 0) {
    assert.equal(shown.run_count, 0, `${list.id} was created paused and never resumed`);
  }
  const values = settingsOf(shown);
  for (const name of settingNames) {
    const [setting, value] = [list.settings[name], values[name]];
    // The service pauses a list by itself, whoever wished what.
    if (name === "status" && shown.paused_reason === "insufficient_credits") continue;
    assert.ok(
      setting.may(value, since),
      `${list.id} shows ${name} ${value}, may be ${setting.values().join(" or ")}`,
    );
  }
}

/** After a look while no change of this hand is under way: its settings are what was shown. */
export function settleSettings(acting: Acting, list: KnownList, shown: Shown): void {
  const values = settingsOf(shown);
  for (const name of settingNames) {
    if (name === "status" && shown.paused_reason === "insufficient_credits") continue;
    if (isOwner(acting, list, name)) list.settings[name].is(values[name]);
  }
}

/** What holds of any list in any answer (R8, R10). */
function checkSound(shown: Shown): void {
  const { id, status, paused_reason: reason, items_by_state: counts } = shown;
  assert.equal(shown.next_run_at === null, status === "paused", `${id}: next run of ${status}`);
  assert.equal(reason === null, status === "active", `${id}: ${status} for ${reason}`);
  if (reason === "insufficient_credits") assert.ok(shown.consecutive_skips >= 3, id);
  const { new: fresh, active, delisted } = counts;
  assert.ok(Math.min(fresh, active, delisted) >= 0, `${id}: counts below zero`);
  assert.equal(shown.item_count, fresh + active + delisted, `${id}: item_count`);
}
