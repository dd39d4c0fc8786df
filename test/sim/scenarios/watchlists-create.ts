import assert from "node:assert/strict";
import type { ApiAnswer } from "../api.ts";
import { limits } from "../../../shared/base/limits.ts";
import {
  aPipeline,
  aSchedule,
  type Choice,
  idsOfHand,
  type ListPlatform,
  type SettingName,
  settingNames,
  settingsOf,
  type Shown,
} from "./watchlists-bodies.ts";
import { labeledItem, type Labels } from "./runs-labels.ts";
import { type Register, register } from "./watchlists-register.ts";
import {
  type Acting,
  ask,
  bodyOf,
  checkShown,
  clocksOffMs,
  errorOf,
  expectStatus,
  type CallResult,
  type Creation,
  type KnownWatchlist,
  type Tenant,
} from "./watchlists-tenant.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const callsMax = 4;

/** Draws a creation of a watchlist. */
function drawCreation(acting: Acting, key?: string): Creation {
  const { world, tenant, hand } = acting;
  const { random } = world;
  const platform = random.pick<ListPlatform>(["retailer_a", "retailer_d"]);
  const name = `${tenant.user.name}.${hand}-${tenant.creations.length}`;
  const pools = Array.from({ length: tenant.hands }, (_, n) => idsOfHand(platform, n)).flat();
  const some = random.some(pools, 0.4);
  const ids = some.length === 0 ? pools.slice(0, 1) : some;
  const named: Choice =
    tenant.endpoint !== undefined && random.isHit(0.3)
      ? { sent: { webhook_url: tenant.endpoint.url }, shown: tenant.endpoint.url }
      : { sent: {}, shown: "null" };
  const pipeline = aPipeline(platform, random);
  const isPaused = random.isHit(0.15);
  const items = ids.map((id) => labeledItem(id, tenant.creations.length));
  const body = {
    name,
    platform,
    ids: items,
    ...aSchedule(random).sent,
    ...pipeline.sent,
    ...named.sent,
    ...(isPaused ? { status: "paused" } : random.pick([{}, {}, { status: "active" }])),
  };
  return {
    name,
    body,
    platform,
    ids,
    labels: labelsOf(items),
    isPaused,
    key,
    calls: 0,
    fresh: 0,
    outcome: "open",
    text: undefined,
    begunAt: acting.world.tasks.now(),
    madeAt: 0,
    list: undefined,
  };
}

/** Returns the labels of the items of a creation, by item ID. Items without labels are absent. */
const labelsOf = (items: readonly ReturnType<typeof labeledItem>[]): ReadonlyMap<string, Labels> =>
  new Map(
    items.flatMap((item) => {
      if (typeof item === "string") return [];
      const { id, ...labels } = item;
      return [[id, labels]];
    }),
  );

/**
 * Creates a watchlist, in most cases with an idempotency key. With a key, repeats the call while
 * its outcome is unknown. Checks each response.
 * @throws Error if a check fails
 */
export async function createList(acting: Acting): Promise<void> {
  const { tenant, hand, world } = acting;
  // All tenants use the same idempotency keys. The service must store the keys separately for each
  // account (invariant C2).
  const key = world.random.isHit(0.75) ? `key-${hand}-${tenant.creations.length}` : undefined;
  await pursue(acting, drawCreation(acting, key));
}

async function pursue(acting: Acting, creation: Creation): Promise<void> {
  const { world, tenant } = acting;
  const { random } = world;
  tenant.creations.push(creation);
  for (let left = callsMax; left > 0 && creation.outcome === "open"; left -= 1) {
    const isTwice = creation.key !== undefined && random.isHit(0.2);
    const results = await Promise.all(
      Array.from({ length: isTwice ? 2 : 1 }, () => post(acting, creation)),
    );
    for (const one of results) take(acting, creation, one);
    if (isSettled(creation, results)) break;
    if (creation.key === undefined) break;
    await world.pause(random.pick([0, 1, 20, 40, 300]) * second);
  }
  if (creation.outcome === "open") creation.outcome = "unknown";
}

async function post(
  acting: Acting,
  creation: Creation,
  body: object = creation.body,
): Promise<CallResult> {
  creation.calls += 1;
  const { key } = creation;
  const inBody = key !== undefined && acting.world.random.isHit(0.3);
  return ask(acting, {
    method: "POST",
    path: "/v1/watchlists",
    body: inBody ? { ...body, idempotency_key: key } : body,
    headers: key === undefined || inBody ? {} : { "Idempotency-Key": key },
  });
}

/**
 * Returns true if the creation succeeded, or if all simultaneous calls were refused at the limit.
 */
function isSettled(creation: Creation, results: readonly CallResult[]): boolean {
  if (creation.outcome === "made") return true;
  const isRefused = results.every(({ answer }) => answer !== undefined && isTooMany(answer));
  if (isRefused) creation.outcome = "refused";
  return isRefused;
}

const isTooMany = (answer: ApiAnswer): boolean =>
  answer.status === 409 && errorOf(answer).message.includes("which is the maximum");

function take(acting: Acting, creation: Creation, { since, answer }: CallResult): void {
  const { world, tenant } = acting;
  if (answer === undefined) return world.reached("a creation had an unknown outcome");
  expectStatus(answer, [201, 409], `POST of ${creation.name}`);
  if (answer.status === 201) return made(acting, creation, { since, answer });
  if (isTooMany(answer)) {
    world.reached("a watchlist beyond the limit was refused");
    const most = mostLists(tenant, since) - 1;
    assert.ok(
      most >= limits.watchlistsMax,
      `${creation.name} is refused with at most ${most} watchlists`,
    );
    return undefined;
  }
  assert.match(errorOf(answer).message, /^A request with this idempotency key is in progress/);
  assert.ok(creation.calls > 1, `${creation.name} is in progress at its first call`);
  return world.reached("a creation in progress was refused");
}

/** Returns the largest number of watchlists that may have existed at any moment from `since` on. */
function mostLists({ creations, lists, others }: Tenant, since: number): number {
  const known = lists.filter(({ goneAt = Infinity }) => goneAt > since).length;
  const unanswered = creations.filter(
    ({ outcome, list }) => list === undefined && outcome !== "refused",
  ).length;
  return others + known + unanswered;
}

function made(
  acting: Acting,
  creation: Creation,
  { since, answer }: { readonly since: number; readonly answer: ApiAnswer },
): void {
  const { world, tenant, hand } = acting;
  const isReplay = answer.headers["idempotent-replayed"] === "true";
  if (isReplay) {
    world.reached("a creation was replayed");
    assert.ok(creation.calls > 1, `${creation.name} is replayed at its first call`);
  } else {
    creation.fresh += 1;
    assert.equal(creation.fresh, 1, `${creation.name} is created once`);
    if (creation.calls > 2) world.reached("a repeat finished a creation");
  }
  const shown = bodyOf(answer) as Shown;
  if (creation.text === undefined) {
    creation.text = answer.text;
    creation.madeAt = world.tasks.now();
    creation.outcome = "made";
    creation.list = knownWatchlist(acting, {
      shown,
      creation,
      maker: hand,
      number: tenant.lists.length,
    });
    tenant.lists.push(creation.list);
    assert.equal(shown.name, creation.name);
    assert.equal(shown.item_count, creation.ids.length, `items of ${creation.name}`);
    assert.equal(shown.items_by_state.new, creation.ids.length, `new items of ${creation.name}`);
    assert.equal(shown.run_count, 0);
    assert.deepEqual(
      [shown.status, shown.paused_reason],
      creation.isPaused ? ["paused", "user"] : ["active", null],
      `${creation.name} is created with its status`,
    );
    if (creation.isPaused) world.reached("a watchlist was created paused");
    checkShown(creation.list, { shown, since });
  } else assert.equal(answer.text, creation.text, `${creation.name}: the same bytes`);
}

interface NewList {
  readonly shown: Shown;
  readonly creation: Pick<Creation, "platform" | "ids" | "labels">;
  readonly maker: number;
  readonly number: number;
}

/** Returns the expected state of a watchlist, from the response to its creation. */
export function knownWatchlist(
  { moments, tenant }: Pick<Acting, "moments" | "tenant">,
  { shown, creation: { platform, ids, labels }, maker, number }: NewList,
): KnownWatchlist {
  const values = settingsOf(shown);
  const pools = Array.from({ length: tenant.hands }, (_, n) => idsOfHand(platform, n)).flat();
  return {
    id: shown.id,
    platform,
    number,
    maker,
    settings: Object.fromEntries(
      settingNames.map((name) => [name, register(values[name], moments)]),
    ) as Record<SettingName, Register>,
    items: new Map(pools.map((id) => [id, register(ids.includes(id) ? "in" : "out", moments)])),
    labels,
    touched: new Set(),
    runs: new Set(),
    runsAsked: 0,
    deletes: 0,
    goneAt: undefined,
  };
}

/** Returns the successful creations of this hand: the last one for each idempotency key. */
const ownKeyed = ({ tenant: { creations }, hand }: Acting): readonly Creation[] =>
  creations.filter(
    (one, n) =>
      one.key !== undefined &&
      one.list?.maker === hand &&
      !creations.slice(n + 1).some(({ key }) => key === one.key),
  );

/**
 * Uses the idempotency key of a successful creation again, with the same or another body, and
 * checks the response (invariant C2). If this hand has no such creation, creates a watchlist.
 * @throws Error if a check fails
 */
export async function repeatCreation(acting: Acting): Promise<void> {
  const { world } = acting;
  const { random } = world;
  const own = ownKeyed(acting);
  if (own.length === 0) return createList(acting);
  const creation = random.pick(own);
  const { list } = creation;
  if (list?.goneAt !== undefined) {
    // The deletion of the watchlist also deleted the idempotency key.
    world.reached("a creation was repeated after the deletion of its watchlist");
    return pursue(acting, drawCreation(acting, creation.key));
  }
  if ((list?.deletes ?? 0) > 0) return createList(acting);
  const age = world.tasks.now() - creation.begunAt;
  if (age > 24 * hour - clocksOffMs) return undefined;
  if (!random.isHit(0.4)) return repeatSame(acting, creation);
  const result = await post(acting, creation, { ...creation.body, name: "other" });
  if (result.answer === undefined) return undefined;
  world.reached("an idempotency key was reused with another body");
  assert.equal(result.answer.status, 422, result.answer.text);
  const { code, param } = errorOf(result.answer);
  return assert.deepEqual({ code, param }, { code: "INVALID_PARAM", param: "idempotency_key" });
}

/** Checks that a repeated creation returns the stored response. */
async function repeatSame(acting: Acting, creation: Creation): Promise<void> {
  const result = await post(acting, creation);
  if (result.answer === undefined) return;
  assert.equal(result.answer.status, 201, `repeat of ${creation.name}: ${result.answer.text}`);
  assert.equal(result.answer.headers["idempotent-replayed"], "true", `repeat of ${creation.name}`);
  const ageMs = acting.world.tasks.now() - creation.begunAt;
  if (ageMs > 20 * hour)
    acting.world.reached("a creation was replayed shortly before its key expired");
  take(acting, creation, result);
}

/**
 * Repeats a creation shortly before its idempotency key expires. After the expiry, uses the key for
 * another creation.
 */
export async function reuseForgottenKey(acting: Acting): Promise<void> {
  const { world } = acting;
  const [first] = ownKeyed(acting);
  if (first === undefined) return;
  // A key is valid for a day from its first call, and a call may pause for most of an hour.
  const latest = first.begunAt + 22.5 * hour;
  const late = world.random.between(first.begunAt + 20 * hour, latest);
  await world.pause(Math.max(0, late - world.tasks.now()));
  const isKept = (first.list?.deletes ?? 0) === 0 && world.tasks.now() <= latest;
  if (isKept) await repeatSame(acting, first);
  await world.pause(Math.max(0, first.madeAt + 24 * hour + clocksOffMs - world.tasks.now()));
  world.reached("an idempotency key expired");
  await pursue(acting, drawCreation(acting, first.key));
}
