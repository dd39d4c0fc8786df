import { limits } from "../../../shared/base/limits.ts";
import { watchCommits } from "../checks/watchlists-commits.ts";
import { checkEnd } from "../checks/watchlists-end.ts";
import { watchPurges } from "../checks/watchlists-purged.ts";
import { watchSchedules } from "../checks/watchlists-schedules.ts";
import type { Scenario } from "../scenario.ts";
import type { World } from "../world.ts";
import { changeItems, changeSettings, deleteWatchlist, runNow } from "./watchlists-change.ts";
import { createList, repeatCreation, reuseForgottenKey } from "./watchlists-create.ts";
import { followEndpoint } from "./watchlists-endpoint.ts";
import { actOnKeys, newKey } from "./watchlists-keys.ts";
import {
  filterItems,
  readAllItems,
  readWatchlist,
  readWatchlists,
  readRuns,
  tryForeign,
  walkItems,
} from "./watchlists-read.ts";
import { countMoments, type Moments } from "./watchlists-register.ts";
import { fillKeys, fillWatchlists } from "./watchlists-setup.ts";
import { type Acting, ask, bodyOf, type Tenant } from "./watchlists-tenant.ts";

const second = 1_000;
const minute = 60 * second;

/**
 * Users of each tenant ("hands") create, change and delete watchlists and API keys at the same
 * time.
 */
export const watchlists: Scenario = {
  name: "watchlists",
  about: "changes of watchlists, items, idempotency keys and API keys, up to their limits",
  async play(world) {
    const commits = watchCommits(world);
    const schedules = watchSchedules(world);
    const purges = watchPurges(world);
    const moments = countMoments();
    const tenants: Tenant[] = [];
    for (let n = world.random.isHit(0.12) ? 2 : 1; n > 0; n -= 1) {
      tenants.push(await newTenant(world, `tenant-${n}`));
    }
    const isLong = world.random.isHit(0.08);
    for (const acting of handsOf({ world, moments, tenants })) {
      const { tenant, hand } = acting;
      const name = `${tenant.user.name}.${hand}`;
      world.begin(name, () => act(acting, { isLong: isLong && hand === 0 }));
    }
    await world.until(() => world.users() === 0, "every hand has finished");
    commits.check();
    world.faults.stop();
    await quiet(world);
    await schedules.settle(() => quiet(world));
    for (const tenant of tenants) {
      const acting = { world, moments, tenants, tenant, hand: 0 };
      world.begin(`${tenant.user.name}, final reads`, () => readEverything(acting));
    }
    await world.until(() => world.users() === 0, "everything has been read");
    await quiet(world);
    commits.check();
    await checkEnd(world, tenants, purges);
  },
};

async function newTenant(world: World, name: string): Promise<Tenant> {
  const { random } = world;
  const user = await world.newUser(name, random.pick([0, 0, 0, 0, 0, 3, 60, 5_000]));
  const others = random.isHit(0.07) ? limits.watchlistsMax - random.pick([3, 2, 1, 1]) : 0;
  if (others > 0) await fillWatchlists(world, user, others);
  const otherKeys = random.isHit(0.2) ? limits.apiKeysMax - random.between(2, 3) : 0;
  await fillKeys(world, user, otherKeys);
  return {
    user,
    hands: random.pick(others > 0 ? [2, 3] : [1, 1, 1, 1, 1, 2, 3]),
    lists: [],
    creations: [],
    others,
    keys: [],
    otherKeys,
    keysUnknown: 0,
    endpoint: undefined,
  };
}

interface SharedState {
  readonly world: World;
  readonly moments: Moments;
  readonly tenants: readonly Tenant[];
}

const handsOf = (shared: SharedState): readonly Acting[] =>
  shared.tenants.flatMap((tenant) =>
    Array.from({ length: tenant.hands }, (_, hand) => ({ ...shared, tenant, hand })),
  );

/** The actions of a hand, with their relative frequencies. */
const acts: readonly (readonly [times: number, act: (acting: Acting) => Promise<void>])[] = [
  [2, createList],
  [2, repeatCreation],
  [5, changeSettings],
  [5, changeItems],
  [3, deleteWatchlist],
  [2, runNow],
  [1, (acting) => readWatchlist(acting)],
  [1, (acting) => readWatchlists(acting)],
  [2, walkItems],
  [1, filterItems],
  [1, (acting) => readRuns(acting)],
  [1, tryForeign],
  [2, actOnKeys],
];
const anyAct = acts.flatMap(([times, one]) => Array<typeof one>(times).fill(one));

async function act(acting: Acting, { isLong }: { readonly isLong: boolean }): Promise<void> {
  const { world, hand } = acting;
  const { random } = world;
  if (hand === 0 && random.isHit(0.3)) await registerEndpoint(acting);
  // Near the limit, all hands create watchlists at the same time. The first check of the limit then
  // accepts all creations, and the conditional write must refuse the creations above the limit.
  if (acting.tenant.others > 0) await createList(acting);
  if (acting.tenant.otherKeys > 0) await newKey(acting);
  if (hand === 0 || random.isHit(0.3)) await createList(acting);
  else await world.pause(2 * second);
  for (let left = random.pick([1, 1, 2]); left > 0; left -= 1) {
    await random.pick(anyAct)(acting);
    if (random.isHit(0.3)) await world.pause(random.pick([0, 5 * second, minute, 10 * minute]));
  }
  if (isLong) await reuseForgottenKey(acting);
}

async function registerEndpoint(acting: Acting): Promise<void> {
  const url = `https://${acting.tenant.user.name}.example.org/hook`;
  const path = "/v1/webhook_endpoints";
  const { answer } = await ask(acting, { method: "POST", path, body: { url } });
  if (answer?.status !== 201) return;
  acting.tenant.endpoint = { id: (bodyOf(answer) as { readonly id: string }).id, url };
}

/** Reads and checks all watchlists, without faults. */
async function readEverything(acting: Acting): Promise<void> {
  await readWatchlists(acting, 100);
  for (const list of acting.tenant.lists) {
    await readAllItems(acting, list);
    if (list.goneAt === undefined) await readRuns(acting, list);
  }
  await followEndpoint(acting);
}

/** Waits until no task runs and no work is due. Runs of watchlists may still be due later. */
async function quiet(world: World): Promise<void> {
  const isQuiet = async (): Promise<boolean> =>
    world.isIdle() &&
    (await world.dues()).every(({ kind, at }) => kind === "watchlist" && at > world.tasks.now());
  await world.until(isQuiet, "quiet");
}
