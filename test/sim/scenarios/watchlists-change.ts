import assert from "node:assert/strict";
import type { ApiAnswer } from "../api.ts";
import {
  aPipeline,
  aSchedule,
  type Choice,
  idsOfHand,
  type SettingName,
  settingNames,
  type Shown,
} from "./watchlists-bodies.ts";
import {
  type Acting,
  ask,
  bodyOf,
  checkShown,
  clocksOffMs,
  errorOf,
  expectStatus,
  noteMissing,
  assertMayExist,
  isOwner,
  type KnownWatchlist,
} from "./watchlists-tenant.ts";

/** Draws one of the tenant's watchlists, even a deleted one; undefined if there are none. */
export function someWatchlist({ world, tenant }: Acting): KnownWatchlist | undefined {
  const { lists } = tenant;
  return lists.length === 0 ? undefined : world.random.pick(lists);
}

/**
 * Changes some of the settings that only this hand changes (see `isOwner`), or sends an invalid
 * change. Does nothing if the tenant has no watchlist.
 */
export async function changeSettings(acting: Acting): Promise<void> {
  const { world } = acting;
  const list = someWatchlist(acting);
  if (list === undefined) return;
  if (world.random.isHit(0.1)) return changeWrongly(acting, list);
  const own = settingNames.filter((name) => isOwner(acting, list, name));
  const some = world.random.some(own, 0.6);
  const names = some.length === 0 ? own.slice(0, 1) : some;
  // In most cases, sends the first change separately from the others, at the same time. Neither
  // request may undo the other.
  const cut = world.random.isHit(0.6) ? 1 : names.length;
  const parts = [names.slice(0, cut), names.slice(cut)].filter(({ length }) => length > 0);
  await Promise.all(parts.map((part) => patch(acting, list, part)));
}

async function patch(
  acting: Acting,
  list: KnownWatchlist,
  names: readonly SettingName[],
): Promise<void> {
  const { world } = acting;
  const changes = names.map((name) => [name, choiceOf(acting, list, name)] as const);
  const body = Object.assign({}, ...changes.map(([, { sent }]) => sent)) as object;
  const neverRan = list.runsAsked === 0 && !list.settings.status.may("active", 0);
  const pending = changes.map(([name, { shown }]) => list.settings[name].startChange(shown));
  const { since, answer } = await ask(acting, { method: "PATCH", path: pathOf(list), body });
  if (answer === undefined) return world.reached("a change of settings had an unknown outcome");
  expectStatus(answer, [200, 400, 404, 409], `PATCH of ${list.id}`);
  checkRefreshSetting(acting, { list, body, since }, answer);
  if (answer.status === 200) {
    for (const one of pending) one.succeeded();
    const shown = bodyOf(answer) as Shown;
    if (neverRan && shown.status === "active") checkDueAtOnce(acting, shown);
    return checkShown(list, { shown, since });
  }
  for (const one of pending) one.refused();
  if (answer.status === 404) return noteMissing(acting, list);
  return world.reached("a change of settings was refused");
}

/**
 * Checks that a watchlist that was created paused is due as soon as it is resumed. Checks nothing
 * if the watchlist has had a run, or if the tenant has other hands.
 */
function checkDueAtOnce({ world, tenant }: Acting, shown: Shown): void {
  // If there are other hands, the watchlist may be due later: they may have removed all items, or
  // its first due time may have passed.
  if (tenant.hands > 1 || shown.run_count > 0) return;
  world.reached("a watchlist was created paused and resumed");
  const dueAt = Date.parse(String(shown.next_run_at));
  const now = world.tasks.now();
  assert.ok(
    dueAt <= now + clocksOffMs,
    `${shown.id} was resumed, but is due only at ${String(shown.next_run_at)}`,
  );
}

interface SettingsCall {
  readonly list: KnownWatchlist;
  readonly body: object;
  readonly since: number;
}

/** Checks a change of `refresh_every_runs`. Only the default pipeline of retailer_a accepts it. */
function checkRefreshSetting(
  { world }: Acting,
  { list, body, since }: SettingsCall,
  answer: ApiAnswer,
): void {
  const what = `PATCH of ${list.id} with ${JSON.stringify(body)}: ${answer.status}`;
  if (answer.status === 400) {
    assert.equal(errorOf(answer).param, "refresh_every_runs", what);
    world.reached("refresh_every_runs was refused");
  }
  if (!("refresh_every_runs" in body)) return;
  const { pipeline } = list.settings;
  const ownPossible = ["one", "two"].some((step) => pipeline.may(step, since));
  const [mayRefuse, mayTake] =
    list.platform !== "retailer_a"
      ? [true, false]
      : "pipeline" in body
        ? [body.pipeline !== null, body.pipeline === null]
        : [ownPossible, pipeline.may("default", since)];
  if (answer.status === 400) assert.ok(mayRefuse, `${what}, although the change is valid`);
  if (answer.status === 200) assert.ok(mayTake, `${what}, although the change is invalid`);
}

function choiceOf(acting: Acting, list: KnownWatchlist, name: SettingName): Choice {
  const { world, tenant, moments } = acting;
  const { random } = world;
  const status = random.pick(["active", "paused"]);
  const refresh = random.between(0, 4);
  const text = `name ${moments.next()}`;
  const { endpoint } = tenant;
  const named =
    endpoint === undefined || random.isHit(0.4)
      ? { sent: { webhook_endpoint_id: null }, shown: "null" }
      : { sent: { webhook_endpoint_id: endpoint.id }, shown: endpoint.url };
  const choices: Readonly<Record<SettingName, () => Choice>> = {
    name: () => ({ sent: { name: text }, shown: text }),
    schedule: () => aSchedule(random),
    status: () => ({ sent: { status }, shown: status }),
    endpoint: () => named,
    refresh: () => ({ sent: { refresh_every_runs: refresh }, shown: String(refresh) }),
    pipeline: () => aPipeline(list.platform, random),
  };
  return choices[name]();
}

const wrong: readonly (readonly [body: object, param: string])[] = [
  [{ every: "12h", cron: "@daily" }, "cron"],
  [{ every: "1m" }, "every"],
  [{ cron: "0 25 * * *" }, "cron"],
  [{ name: "" }, "name"],
  [{ platform: "retailer_b" }, "platform"],
  [{ webhook_endpoint_id: "we_000000000000000000000000" }, "webhook_endpoint_id"],
];

/** Sends an invalid change. If it has an effect, later reads detect the effect. */
async function changeWrongly(acting: Acting, list: KnownWatchlist): Promise<void> {
  const [body, param] = acting.world.random.pick(wrong);
  const { answer } = await ask(acting, { method: "PATCH", path: pathOf(list), body });
  if (answer === undefined) return;
  expectStatus(answer, [400, 404], `PATCH of ${list.id} with ${JSON.stringify(body)}`);
  if (answer.status === 404) return noteMissing(acting, list);
  assert.equal(errorOf(answer).param, param);
}

interface Tally {
  readonly object: string;
  readonly watchlist_id: string;
  readonly added: number;
  readonly reactivated: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly missing: number;
}

interface Change {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/**
 * Adds and removes items of this hand, and checks the response. An ID that is in both lists must
 * become a new item.
 * @throws Error if a check fails
 */
export async function changeItems(acting: Acting): Promise<void> {
  const { world, hand } = acting;
  const { random } = world;
  const list = someWatchlist(acting);
  if (list === undefined) return;
  const own = idsOfHand(list.platform, hand);
  const change: Change = random.isHit(0.15)
    ? { add: [], remove: own }
    : { add: random.some(own, 0.4), remove: random.some(own, 0.3) };
  const ids = [...new Set([...change.add, ...change.remove])];
  if (ids.length === 0) return;
  for (const id of ids) list.touched.add(id);
  const before = new Map(ids.map((id) => [id, itemOf(list, id).values()]));
  const pending = ids.map((id) =>
    itemOf(list, id).startChange(change.add.includes(id) ? "in" : "out"),
  );
  const legacy = random.isHit(0.2);
  const { since, answer } = await ask(acting, {
    method: "POST",
    path: `${pathOf(list)}/${legacy ? "asins" : "items"}`,
    body: Object.fromEntries(Object.entries(change).filter(([, some]) => some.length > 0)),
  });
  if (answer === undefined) return world.reached("a change of items had an unknown outcome");
  expectStatus(answer, [200, 404], `items of ${list.id}`);
  if (answer.status === 404) {
    for (const one of pending) one.refused();
    return noteMissing(acting, list);
  }
  assertMayExist(list, since);
  for (const one of pending) one.succeeded();
  const tally = bodyOf(answer) as Tally;
  assert.equal(tally.object, legacy ? "watchlist_asins" : "watchlist_items");
  assert.equal(tally.watchlist_id, list.id);
  if (tally.reactivated > 0) world.reached("a delisted item was added again");
  checkTally(tally, change, before);
}

/**
 * Checks the counts in the response to a change of items. Checks only the sums of the counts if the
 * state of an item before the change was not known.
 */
function checkTally(
  tally: Tally,
  { add, remove }: Change,
  before: ReadonlyMap<string, readonly string[]>,
): void {
  assert.equal(
    tally.added + tally.reactivated + tally.updated + tally.unchanged,
    add.length,
    "number of added IDs",
  );
  assert.equal(tally.removed + tally.missing, remove.length, "number of removed IDs");
  if ([...before.values()].some(({ length }) => length > 1)) return;
  const removed = remove.filter((id) => before.get(id)?.[0] === "in");
  const added = add.filter((id) => before.get(id)?.[0] === "out" || removed.includes(id));
  assert.deepEqual(
    { removed: tally.removed, added: tally.added },
    { removed: removed.length, added: added.length },
    `result of +${add.join(" ")} -${remove.join(" ")}`,
  );
}

/**
 * Returns the possible states of an item (see `Register`): `in` if it is on the watchlist, `out` if
 * not.
 * @throws AssertionError if the users of the tenant never add or remove this ID
 */
export function itemOf(list: KnownWatchlist, id: string) {
  const found = list.items.get(id);
  assert.ok(found, `${id} is not an ID of ${list.platform}`);
  return found;
}

/**
 * Deletes a watchlist that this hand created, and checks the response. The watchlist may be deleted
 * already. Does nothing if this hand created none.
 * @throws Error if a check fails
 */
export async function deleteWatchlist(acting: Acting): Promise<void> {
  const { world, tenant, hand, moments } = acting;
  const own = tenant.lists.filter(({ maker }) => maker === hand);
  if (own.length === 0) return;
  const list = world.random.pick(own);
  const isFirst = list.deletes === 0;
  list.deletes += 1;
  const { since, answer } = await ask(acting, { method: "DELETE", path: pathOf(list) });
  if (answer === undefined) return world.reached("a deletion had an unknown outcome");
  expectStatus(answer, [200, 404], `DELETE of ${list.id}`);
  if (answer.status === 200) {
    assertMayExist(list, since);
    assert.deepEqual(bodyOf(answer), { id: list.id, object: "watchlist", deleted: true });
  } else if (isFirst) {
    world.reached("a retry of a deletion returned 404");
    assert.notEqual(world.faults.fired.length, 0, `${list.id} does not exist before its deletion`);
  }
  list.goneAt ??= moments.next();
}

interface ShownRun {
  readonly id: string;
  readonly object: string;
  readonly watchlist_id: string;
  readonly status: string;
}

/**
 * Requests a manual run of one of the tenant's watchlists, and checks the response. Does nothing if
 * there are none.
 * @throws Error if a check fails
 */
export async function runNow(acting: Acting): Promise<void> {
  const { world } = acting;
  const list = someWatchlist(acting);
  if (list === undefined) return;
  list.runsAsked += 1;
  const { since, answer } = await ask(acting, { method: "POST", path: `${pathOf(list)}/run` });
  if (answer === undefined) return;
  expectStatus(answer, [202, 404, 409], `run of ${list.id}`);
  if (answer.status === 404) return noteMissing(acting, list);
  assertMayExist(list, since);
  if (answer.status === 409) return checkRunRefused(acting, list, { since, answer });
  const run = bodyOf(answer) as ShownRun;
  assert.equal(run.watchlist_id, list.id);
  assert.equal(run.status, "running");
  list.runs.add(run.id);
  if (list.settings.status.values().join() === "paused") world.reached("a paused watchlist ran");
}

/**
 * Checks the refusal of a run. A refusal because the watchlist has no items is correct only if each
 * item may have been absent during the call. The only other reason is another run in progress.
 */
function checkRunRefused(
  { world }: Acting,
  list: KnownWatchlist,
  { since, answer }: { readonly since: number; readonly answer: ApiAnswer },
): void {
  const { message } = errorOf(answer);
  if (!message.startsWith("This watchlist has no items")) {
    return world.reached("a run was refused during another");
  }
  const mayBeEmpty = [...list.items.values()].every((item) => item.may("out", since));
  assert.ok(mayBeEmpty, `${list.id} has items: ${message}`);
  return world.reached("a run of an empty watchlist was refused");
}

/** Returns the path of a watchlist in the API. */
export const pathOf = ({ id }: KnownWatchlist): string => `/v1/watchlists/${id}`;
