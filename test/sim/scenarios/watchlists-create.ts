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
import { type Register, register } from "./watchlists-register.ts";
import {
  type Acting,
  ask,
  bodyOf,
  checkShown,
  clocksOffMs,
  errorOf,
  expectStatus,
  type Heard,
  type Intent,
  type KnownWatchlist,
  type Tenant,
} from "./watchlists-tenant.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const callsMax = 4;

/** Draws a creation. */
function newIntent(acting: Acting, key?: string): Intent {
  const { world, tenant, hand } = acting;
  const { random } = world;
  const platform = random.pick<ListPlatform>(["retailer_a", "retailer_d"]);
  const name = `${tenant.user.name}.${hand}-${tenant.intents.length}`;
  const pools = Array.from({ length: tenant.hands }, (_, n) => idsOfHand(platform, n)).flat();
  const some = random.some(pools, 0.4);
  const ids = some.length === 0 ? pools.slice(0, 1) : some;
  const named: Choice =
    tenant.endpoint !== undefined && random.isHit(0.3)
      ? { sent: { webhook_url: tenant.endpoint.url }, shown: tenant.endpoint.url }
      : { sent: {}, shown: "null" };
  const pipeline = aPipeline(platform, random);
  const isPaused = random.isHit(0.15);
  const body = {
    name,
    platform,
    ids,
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

/** Creates a watchlist, with retries while the outcome is unknown. */
export async function createList(acting: Acting): Promise<void> {
  const { tenant, hand, world } = acting;
  // All tenants use the same keys, which must not conflict (C2).
  const key = world.random.isHit(0.75) ? `key-${hand}-${tenant.intents.length}` : undefined;
  await pursue(acting, newIntent(acting, key));
}

async function pursue(acting: Acting, intent: Intent): Promise<void> {
  const { world, tenant } = acting;
  const { random } = world;
  tenant.intents.push(intent);
  for (let left = callsMax; left > 0 && intent.outcome === "open"; left -= 1) {
    const isTwice = intent.key !== undefined && random.isHit(0.2);
    const heard = await Promise.all(
      Array.from({ length: isTwice ? 2 : 1 }, () => post(acting, intent)),
    );
    for (const one of heard) take(acting, intent, one);
    if (isSettled(intent, heard)) break;
    if (intent.key === undefined) break;
    await world.pause(random.pick([0, 1, 20, 40, 300]) * second);
  }
  if (intent.outcome === "open") intent.outcome = "unknown";
}

async function post(acting: Acting, intent: Intent, body: object = intent.body): Promise<Heard> {
  intent.calls += 1;
  const { key } = intent;
  const inBody = key !== undefined && acting.world.random.isHit(0.3);
  return ask(acting, {
    method: "POST",
    path: "/v1/watchlists",
    body: inBody ? { ...body, idempotency_key: key } : body,
    headers: key === undefined || inBody ? {} : { "Idempotency-Key": key },
  });
}

/** True when the creation succeeded, or when all concurrent calls were refused at the limit. */
function isSettled(intent: Intent, heard: readonly Heard[]): boolean {
  if (intent.outcome === "made") return true;
  const isRefused = heard.every(({ answer }) => answer !== undefined && isTooMany(answer));
  if (isRefused) intent.outcome = "refused";
  return isRefused;
}

const isTooMany = (answer: ApiAnswer): boolean =>
  answer.status === 409 && errorOf(answer).message.startsWith("An account has at most");

function take(acting: Acting, intent: Intent, { since, answer }: Heard): void {
  const { world, tenant } = acting;
  if (answer === undefined) return world.reached("a creation had an unknown outcome");
  expectStatus(answer, [201, 409], `POST of ${intent.name}`);
  if (answer.status === 201) return made(acting, intent, { since, answer });
  if (isTooMany(answer)) {
    world.reached("a watchlist beyond the limit was refused");
    const most = mostLists(tenant, since) - 1;
    assert.ok(
      most >= limits.watchlistsMax,
      `${intent.name} is refused with at most ${most} watchlists`,
    );
    return undefined;
  }
  assert.match(errorOf(answer).message, /^A request with this idempotency key is in progress/);
  assert.ok(intent.calls > 1, `${intent.name} is in progress at its first call`);
  return world.reached("a creation in progress was refused");
}

/** Maximum number of concurrent watchlists since a moment. */
function mostLists({ intents, lists, others }: Tenant, since: number): number {
  const known = lists.filter(({ goneAt = Infinity }) => goneAt > since).length;
  const unheard = intents.filter(
    ({ outcome, list }) => list === undefined && outcome !== "refused",
  ).length;
  return others + known + unheard;
}

function made(
  acting: Acting,
  intent: Intent,
  { since, answer }: { readonly since: number; readonly answer: ApiAnswer },
): void {
  const { world, tenant, hand } = acting;
  const isReplay = answer.headers["idempotent-replayed"] === "true";
  if (isReplay) {
    world.reached("a creation was replayed");
    assert.ok(intent.calls > 1, `${intent.name} is replayed at its first call`);
  } else {
    intent.fresh += 1;
    assert.equal(intent.fresh, 1, `${intent.name} is created once`);
    if (intent.calls > 2) world.reached("a repeat finished a creation");
  }
  const shown = bodyOf(answer) as Shown;
  if (intent.text === undefined) {
    intent.text = answer.text;
    intent.madeAt = world.tasks.now();
    intent.outcome = "made";
    intent.list = knownWatchlist(acting, {
      shown,
      intent,
      maker: hand,
      number: tenant.lists.length,
    });
    tenant.lists.push(intent.list);
    assert.equal(shown.name, intent.name);
    assert.equal(shown.item_count, intent.ids.length, `items of ${intent.name}`);
    assert.equal(shown.items_by_state.new, intent.ids.length, `new items of ${intent.name}`);
    assert.equal(shown.run_count, 0);
    assert.deepEqual(
      [shown.status, shown.paused_reason],
      intent.isPaused ? ["paused", "user"] : ["active", null],
      `${intent.name} is created with its status`,
    );
    if (intent.isPaused) world.reached("a watchlist was created paused");
    checkShown(intent.list, { shown, since });
  } else assert.equal(answer.text, intent.text, `${intent.name}: the same bytes`);
}

interface NewList {
  readonly shown: Shown;
  readonly intent: Pick<Intent, "platform" | "ids">;
  readonly maker: number;
  readonly number: number;
}

export function knownWatchlist(
  { moments, tenant }: Pick<Acting, "moments" | "tenant">,
  { shown, intent: { platform, ids }, maker, number }: NewList,
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
    runs: new Set(),
    runsAsked: 0,
    deletes: 0,
    goneAt: undefined,
  };
}

/** Successful creations of this hand, each the last one of its key. */
const ownKeyed = ({ tenant: { intents }, hand }: Acting): readonly Intent[] =>
  intents.filter(
    (one, n) =>
      one.key !== undefined &&
      one.list?.maker === hand &&
      !intents.slice(n + 1).some(({ key }) => key === one.key),
  );

/** Repeats a successful creation, with the same body or another (C2). */
export async function repeatCreation(acting: Acting): Promise<void> {
  const { world } = acting;
  const { random } = world;
  const own = ownKeyed(acting);
  if (own.length === 0) return createList(acting);
  const intent = random.pick(own);
  const { list } = intent;
  if (list?.goneAt !== undefined) {
    // The deletion of its watchlist deleted the key.
    world.reached("a creation was repeated after the deletion of its watchlist");
    return pursue(acting, newIntent(acting, intent.key));
  }
  if ((list?.deletes ?? 0) > 0) return createList(acting);
  const age = world.tasks.now() - intent.begunAt;
  if (age > 24 * hour - clocksOffMs) return undefined;
  if (!random.isHit(0.4)) return repeatSame(acting, intent);
  const heard = await post(acting, intent, { ...intent.body, name: "other" });
  if (heard.answer === undefined) return undefined;
  world.reached("an idempotency key was reused with another body");
  assert.equal(heard.answer.status, 422, heard.answer.text);
  const { code, param } = errorOf(heard.answer);
  return assert.deepEqual({ code, param }, { code: "INVALID_PARAM", param: "idempotency_key" });
}

/** Checks that a repeated creation returns the stored response. */
async function repeatSame(acting: Acting, intent: Intent): Promise<void> {
  const heard = await post(acting, intent);
  if (heard.answer === undefined) return;
  assert.equal(heard.answer.status, 201, `repeat of ${intent.name}: ${heard.answer.text}`);
  assert.equal(heard.answer.headers["idempotent-replayed"], "true", `repeat of ${intent.name}`);
  const ageMs = acting.world.tasks.now() - intent.begunAt;
  if (ageMs > 20 * hour)
    acting.world.reached("a creation was replayed shortly before its key expired");
  take(acting, intent, heard);
}

/** Repeats a creation shortly before its key expires, and reuses the key after that. */
export async function reuseForgottenKey(acting: Acting): Promise<void> {
  const { world } = acting;
  const [first] = ownKeyed(acting);
  if (first === undefined) return;
  // The day of a key starts with its first call, and a call may pause for most of an hour.
  const latest = first.begunAt + 22.5 * hour;
  const late = world.random.between(first.begunAt + 20 * hour, latest);
  await world.pause(Math.max(0, late - world.tasks.now()));
  const isKept = (first.list?.deletes ?? 0) === 0 && world.tasks.now() <= latest;
  if (isKept) await repeatSame(acting, first);
  await world.pause(Math.max(0, first.madeAt + 24 * hour + clocksOffMs - world.tasks.now()));
  world.reached("an idempotency key expired");
  await pursue(acting, newIntent(acting, first.key));
}
