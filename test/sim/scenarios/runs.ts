import assert from "node:assert/strict";
import { presentPipeline } from "../../../shared/pipelines/default.ts";
import { renamed } from "../../support/renamed-pipeline.ts";
import { isEmpty, type Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { watchLedgers } from "../checks/ledger-watch.ts";
import { watchRuns } from "../checks/run-claims.ts";
import { watchSends } from "../checks/run-sends.ts";
import { checkRuns } from "../checks/runs.ts";
import type { Random } from "../random.ts";
import type { Scenario } from "../scenario.ts";
import type { User, World } from "../world.ts";
import {
  anyListRequest,
  type WatchlistRequest,
  offersPipeline,
  oftenDueRequest,
  ownPipelineRequest,
  ownPipelines,
  shapeRequest,
} from "./runs-watchlists.ts";
import { decideAllHolds, decideHolds } from "./runs-holds.ts";
import { type LabelCalls, labeledItem, noteLabels } from "./runs-labels.ts";
import { collectRecords } from "./runs-records.ts";
import {
  type Receiver,
  type RunsScene,
  type ShownChange,
  storesOf,
  type WatchlistScene,
} from "./runs-scene.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
/**
 * Maximum time from the due time of a run to its start, in milliseconds. It includes the time until
 * the sweeper starts an overdue run.
 */
const startsWithinMs = 10 * minute;

/** An account with its endpoints, destination and watchlists. */
export interface Tenant {
  readonly credits: number;
  /** For each endpoint, the event types that it subscribes to; null for all types. */
  readonly hooks: readonly (readonly string[] | null)[];
  readonly bucket: { readonly prefix: string; readonly compression: "gzip" | "none" } | null;
  readonly lists: readonly WatchlistRequest[];
}

/** A workload of runs: its accounts, the users' actions, and its duration. */
export interface RunsPlan {
  readonly tenants: readonly Tenant[];
  readonly minutes: number;
  /**
   * True to check, after the faults have stopped, that each active watchlist runs at its due time.
   */
  readonly runsOnceMore: boolean;
  readonly act: (scene: RunsScene, list: WatchlistScene) => Promise<void>;
}

/** Watchlists run on schedule and manually, while users change them. */
export const runs: Scenario = {
  name: "runs",
  about: "runs of watchlists from the tick to webhooks and export, while users change them",
  play: (world) => playRuns(world, anyPlan(world.random)),
};

/**
 * Runs a workload to its end and checks the results.
 * @throws Error if a check fails
 */
export async function playRuns(world: World, plan: RunsPlan): Promise<void> {
  const scene = await openScene(world, plan.tenants);
  for (const list of scene.lists) {
    world.begin(`of ${list.request.name}`, () => plan.act(scene, list));
  }
  const endsAt = world.tasks.now() + plan.minutes * minute;
  for (const list of scene.lists) {
    if (list.request.brake === null) continue;
    world.begin(`decisions about ${list.request.name}`, () => decideHolds(scene, list, endsAt));
  }
  const isOver = (): boolean => world.users() === 0 && world.tasks.now() >= endsAt;
  await world.until(isOver, "all users have finished", endsAt);
  world.faults.stop();
  world.tasks.note("no more faults");
  await checkEmptyWatchlists(scene);
  if (plan.runsOnceMore) await checkDueWatchlists(scene);
  await pauseAll(scene, scene.lists);
  await decideAllHolds(scene, () =>
    world.until(async () => world.isIdle() && (await isQuiet(world)), "quiet"),
  );
  await checkRuns(scene);
}

/** Draws the plan of a seed. */
export function anyPlan(random: Random): RunsPlan {
  if (random.isHit(0.12)) return poorPlan(random);
  const other = random.fraction();
  if (other < 0.12) return budgetPlan(random);
  if (other < 0.2) return shapePlan(random);
  return random.isHit(0.15) ? manyRunsPlan(random) : richPlan(random);
}

/**
 * Draws many manual runs in sequence, whose steps depend on reads, owed retries and reports of
 * earlier runs.
 */
function manyRunsPlan(random: Random): RunsPlan {
  const pipeline = random.pick(ownPipelines);
  const forms = [pipeline, renamed(pipeline)].map(presentPipeline);
  return {
    tenants: [
      {
        credits: 5_000,
        hooks: random.pick([[], [null]]),
        bucket: null,
        lists: [ownPipelineRequest(random, "1.1", pipeline)],
      },
    ],
    minutes: 1,
    runsOnceMore: false,
    act: async (scene, list) => {
      for (let left = 6; left > 0; left -= 1) {
        await runEnd(scene, list);
        if (random.isHit(0.5)) await patch(scene, list, { pipeline: random.pick(forms) });
        await runNow(scene, list);
      }
    },
  };
}

/**
 * Draws a plan of several runs of a watchlist whose account has too few credits for them. Sometimes
 * the account buys credits between two runs.
 */
const poorPlan = (random: Random): RunsPlan => ({
  tenants: [
    {
      credits: random.pick([0, 0, 1, 6]),
      hooks: random.pick([[], [null]]),
      bucket: null,
      lists: [oftenDueRequest(random, "1.1")],
    },
  ],
  minutes: random.pick([11, 11, 16]),
  runsOnceMore: false,
  act: async (scene, list) => {
    if (random.isHit(0.5)) return;
    await scene.world.pause(random.between(1, 9) * minute);
    if (!scene.world.faults.force("user_acts")) return;
    await pay(scene, list, { type: "purchase", credits: random.pick([5, 60]) });
  },
});

/**
 * Draws runs of a watchlist whose account has a small daily budget, which its user then raises or
 * removes. The processes of the later runs may have cached the small budget.
 */
const budgetPlan = (random: Random): RunsPlan => ({
  tenants: [{ credits: 5_000, hooks: [], bucket: null, lists: [oftenDueRequest(random, "1.1")] }],
  minutes: 16,
  runsOnceMore: false,
  act: async (scene, list) => {
    for (const budget of [random.between(1, 6), random.pick([200, null])]) {
      await setBudget(scene, list, budget);
      await scene.world.pause(7 * minute);
    }
  },
});

/**
 * Draws many scheduled runs of a watchlist whose brake holds a run only for the shape of its
 * answers. The user releases or discards each held run.
 */
const shapePlan = (random: Random): RunsPlan => ({
  tenants: [{ credits: 5_000, hooks: [], bucket: null, lists: [shapeRequest(random, "1.1")] }],
  minutes: 61,
  runsOnceMore: false,
  act: async () => {},
});

const richPlan = (random: Random): RunsPlan => ({
  tenants: Array.from({ length: random.isHit(0.06) ? 2 : 1 }, (_, n) => ({
    credits: random.pick([25, 90, 5_000]),
    hooks: Array.from({ length: random.pick([0, 0, 0, 0, 1, 2]) }, () =>
      random.isHit(0.6) ? null : ["watchlist.run.completed"],
    ),
    bucket: random.isHit(0.12)
      ? { prefix: random.pick(["", "shop/"]), compression: random.pick(["gzip", "none"]) }
      : null,
    lists: Array.from({ length: random.isHit(0.08) ? 2 : 1 }, (__, list) =>
      anyListRequest(random, `${n + 1}.${list + 1}`),
    ),
  })),
  minutes: random.pick([1, 1, 1, 6, 6, 11]),
  runsOnceMore: random.isHit(0.12),
  act: actOnList,
});

/** Returns true if nothing is due except runs of watchlists, and the expiry of held runs. */
const isQuiet = async (world: World): Promise<boolean> =>
  (await world.dues()).every(
    ({ kind, at }) => kind === "watchlist" || (kind === "run" && at > world.tasks.now() + day),
  );

/** Creates the accounts with their endpoints, buckets and watchlists. Injects no faults. */
async function openScene(world: World, tenants: readonly Tenant[]): Promise<RunsScene> {
  const users: User[] = [];
  const lists: WatchlistScene[] = [];
  const receivers = new Map<string, readonly Receiver[]>();
  const scene = { world, receivers, lists, stores: storesOf(world) };
  const seen = watchRuns(world);
  keepRecords(scene);
  watchSends(world);
  for (const [n, { credits }] of tenants.entries()) {
    users.push(await world.newUser(`tenant-${n + 1}`, credits));
  }
  world.faults.suspend();
  world.begin("set-up", async () => {
    for (const [n, user] of users.entries()) {
      const tenant = tenants[n];
      if (tenant === undefined) continue;
      receivers.set(user.accountId, await registerReceivers(world, user, tenant));
      for (const request of tenant.lists) {
        const snapshot = tenant.bucket && { ...tenant.bucket, snapshot: snapshotOf(tenant.bucket) };
        lists.push({ ...(await createList(scene, user, request)), snapshot });
      }
    }
  });
  await world.until(() => world.users() === 0, "everything is set up", world.tasks.now());
  world.faults.resume();
  return { ...scene, users, seen, ledgers: await watchLedgers(world, users) };
}

/**
 * Returns the choice of snapshot files of a bucket. It depends on the compression instead of a
 * random number, because one more random number would change every later choice of the seed.
 */
const snapshotOf = ({ compression }: NonNullable<Tenant["bucket"]>): "run" | "day" =>
  compression === "gzip" ? "run" : "day";

async function registerReceivers(
  world: World,
  { name, key }: User,
  { hooks, bucket }: Tenant,
): Promise<readonly Receiver[]> {
  const receivers: Receiver[] = [];
  for (const [n, events] of hooks.entries()) {
    const url = `https://r${n + 1}.${name}.com/hook`;
    const body = { url, ...(events && { events }) };
    const path = "/v1/webhook_endpoints";
    const made = await mustSucceed(world.call({ method: "POST", path, key, body }));
    receivers.push({ id: String(made["id"]), url, events });
  }
  if (bucket === null) return receivers;
  const body = {
    ...bucket,
    snapshot: snapshotOf(bucket),
    enabled: true,
    bucket: `bucket-of-${name}`,
    region: "us-east-1",
    auth: "access_key",
    access_key_id: "AKIACUSTOMER",
    secret_access_key: "customer-secret-of-the-bucket",
  };
  await mustSucceed(world.call({ method: "PUT", path: "/v1/s3_destination", key, body }));
  return receivers;
}

async function createList(
  { world, receivers }: Pick<RunsScene, "receivers" | "world">,
  user: User,
  request: WatchlistRequest,
): Promise<Omit<WatchlistScene, "snapshot">> {
  const { others: _, ...wanted } = request;
  const { key } = user;
  const choice = [null, ...(receivers.get(user.accountId) ?? [])];
  const receiver = choice.length > 1 ? world.random.pick(choice) : null;
  const ids = wanted.ids.map((one) => labeledItem(one, 0));
  const body = { ...wanted, ids, ...(receiver && { webhook_endpoint_id: receiver.id }) };
  const labelCalls: LabelCalls = new Map();
  for (const call of noteLabels(labelCalls, ids, -1)) call.ends = -1;
  const made = await mustSucceed(world.call({ method: "POST", path: "/v1/watchlists", key, body }));
  return {
    user,
    request,
    id: String(made["id"]),
    receiver,
    touched: new Set(),
    isThere: new Map(),
    labelCalls,
    isDeletionAsked: false,
    deletedAt: null,
    shownChanges: [],
    kept: undefined,
  };
}

async function mustSucceed(
  call: ReturnType<World["call"]>,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await call;
  if (answer !== undefined && answer.status < 300) return answer.body ?? {};
  throw new Error(`A call failed without faults: ${answer?.status} ${answer?.text}`);
}

/**
 * Before the purge deletes the first row of a deleted watchlist, stores the runs of the watchlist
 * in `kept`.
 */
function keepRecords(scene: Pick<RunsScene, "lists" | "stores" | "world">): void {
  scene.world.beforeEffect.push(async ({ operation, input }) => {
    if (operation !== "BatchWriteItem") return;
    const text = JSON.stringify(input);
    if (!/"DeleteRequest":.*"(run|step|starts|batch|before|result)#/.test(text)) return;
    for (const list of scene.lists) {
      if (list.kept !== undefined || !list.isDeletionAsked) continue;
      const { runs: known } = await scene.stores.runs.list(list.id, 100);
      const isOfList = known.some(({ id }) => text.includes(id)) || text.includes(list.id);
      if (isOfList) list.kept = await collectRecords(scene.stores, list.id);
    }
  });
}

type Act = (scene: RunsScene, list: WatchlistScene) => Promise<void>;

/** The actions of a user during runs. */
const acts: readonly Act[] = [
  (scene, list) =>
    changeItems(scene, list, { remove: scene.world.random.some(list.request.ids, 0.3) }),
  (scene, list) => changeItems(scene, list, { add: scene.world.random.some(everyId(list), 0.3) }),
  (scene, list) => {
    const both = scene.world.random.some(everyId(list), 0.4);
    return changeItems(scene, list, { add: both, remove: both });
  },
  (scene, list) => deleteWatchlist(scene, list),
  (scene, list) =>
    pay(scene, list, { type: "purchase", credits: scene.world.random.between(5, 60) }),
  (scene, list) =>
    pay(scene, list, { type: "adjust", credits: -scene.world.random.between(5, 60) }),
  (scene, list) => changePipelines(scene, list),
  (scene, list) => missRefresh(scene, list),
  async (scene, list) => {
    await patch(scene, list, { status: "paused" });
    await patch(scene, list, { status: "active" });
  },
  (scene, list) => runNow(scene, list),
  async (scene, list) => {
    const { random, pause } = scene.world;
    await changeItems(scene, list, { remove: everyId(list) });
    await pause(random.between(0, 7) * minute);
    if (random.isHit(0.5)) await changeItems(scene, list, { add: list.request.ids });
  },
];

/**
 * Deletes a watchlist, or does nothing. Often starts a run before the deletion. Otherwise, few
 * watchlists would be deleted during a run, and the purge must not delete the rows of a run in
 * progress.
 */
async function deleteWatchlist(scene: RunsScene, list: WatchlistScene): Promise<void> {
  const { world } = scene;
  const { random } = world;
  if (!random.isHit(0.6)) return;
  if (random.isHit(0.75)) {
    await runNow(scene, list);
    await world.pause(random.between(0, 3_000));
  }
  list.isDeletionAsked = true;
  const path = `/v1/watchlists/${list.id}`;
  const answer = await world.call({ method: "DELETE", path, key: list.user.key });
  if (answer?.status === 200) list.deletedAt = world.tasks.now();
}

/** Changes the pipeline between runs, so that a run makes owed retries of an earlier pipeline. */
async function changePipelines(scene: RunsScene, list: WatchlistScene): Promise<void> {
  const { random, pause } = scene.world;
  const own = [offersPipeline, renamed(offersPipeline)].map(presentPipeline);
  for (let left = random.pick([1, 3]); left > 0; left -= 1) {
    const isOwn = list.request.platform === "retailer_a" && random.isHit(0.5);
    const pipeline = isOwn ? random.pick(own) : null;
    const hasSetting = pipeline === null && list.request.platform === "retailer_a";
    const refresh = { refresh_every_runs: random.between(0, 2) };
    await patch(scene, list, { pipeline, ...(hasSetting && refresh) });
    if (left === 1) return;
    await runNow(scene, list);
    await pause(minute / 2);
  }
}

/**
 * Spends all credits before a refresh is due, and buys credits after the refresh was skipped. The
 * next run must then be the refresh.
 */
async function missRefresh(scene: RunsScene, list: WatchlistScene): Promise<void> {
  const { world } = scene;
  const { key } = list.user;
  if (list.request.platform !== "retailer_a") return;
  const shown = await world.call({ method: "GET", path: `/v1/watchlists/${list.id}`, key });
  const account = await world.call({ method: "GET", path: "/v1/account", key });
  const [ran, balance] = [shown?.body?.["run_count"], account?.body?.["credit_balance"]];
  if (typeof ran !== "number" || typeof balance !== "number") return;
  await patch(scene, list, { pipeline: null, refresh_every_runs: ran + 1 });
  await pay(scene, list, { type: "adjust", credits: -balance });
  await runNow(scene, list);
  await world.pause(minute / 2);
  await pay(scene, list, { type: "purchase", credits: 200 });
  await runNow(scene, list);
  await world.pause(minute / 2);
}

async function runNow({ world }: RunsScene, { id, user }: WatchlistScene): Promise<void> {
  await world.call({ method: "POST", path: `/v1/watchlists/${id}/run`, key: user.key });
}

/**
 * Waits for the end of the run in progress, because the API refuses a manual run during another
 * run. Waits at most ten minutes. In odd seeds, checks every five seconds: several runs can then
 * end before the sweeper restarts the finisher of an earlier run.
 */
async function runEnd({ world, stores }: RunsScene, { user, id }: WatchlistScene): Promise<void> {
  const endsAt = world.tasks.now() + startsWithinMs;
  const everyMs = world.seed % 2 === 1 ? minute / 12 : minute / 2;
  do {
    await world.pause(everyMs);
    const effect = () => stores.watchlists.get(user.accountId, id);
    const row = await world.tasks.call({ label: `test: run of ${id}`, effect });
    if (row?.runningRun === null) return;
  } while (world.tasks.now() < endsAt);
}

const everyId = ({ request }: WatchlistScene): readonly string[] =>
  [...request.ids, ...request.others].toSorted();

async function actOnList(scene: RunsScene, list: WatchlistScene): Promise<void> {
  const { random, faults, pause } = scene.world;
  for (let left = random.pick([0, 1, 1, 2]); left > 0; left -= 1) {
    await pause(random.between(0, random.pick([1, 1, 6]) * minute));
    if (!faults.force("user_acts")) continue;
    await random.pick(acts)(scene, list);
  }
  // The choice depends on the seed's number instead of a random number, because one more random
  // number would change every later choice of the seeds.
  if (scene.world.seed % 5 === 4) await readChanges(scene, list);
}

/**
 * Reads the changes of a watchlist after its run in progress, newest first. Stores the changes of a
 * successful response in `shownChanges`.
 */
async function readChanges(scene: RunsScene, list: WatchlistScene): Promise<void> {
  await runEnd(scene, list);
  const path = `/v1/watchlists/${list.id}/changes`;
  const answer = await scene.world.call({ method: "GET", path, key: list.user.key });
  if (answer?.status !== 200) return;
  list.shownChanges.push(...(answer.body?.["data"] as unknown as readonly ShownChange[]));
}

/**
 * Adds and removes items in one call. Records in `isThere`, for each ID of the call, whether it is
 * on the watchlist afterward; undefined if the call did not return 200. Does nothing without IDs.
 */
export async function changeItems(
  { world }: RunsScene,
  { id, user, touched, isThere, labelCalls }: WatchlistScene,
  change: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
): Promise<void> {
  const { add = [], remove = [] } = change;
  const named = [...add, ...remove];
  if (named.length === 0) return;
  for (const one of named) {
    touched.add(one);
    isThere.set(one, undefined);
  }
  const path = `/v1/watchlists/${id}/items`;
  const begins = world.tasks.now();
  const number = [...labelCalls.values()].flat().length;
  const items = add.map((one) => labeledItem(one, number));
  const body = { ...change, ...(change.add && { add: items }) };
  const removals = noteLabels(
    labelCalls,
    remove.map((one) => ({ id: one })),
    begins,
  );
  const additions = noteLabels(labelCalls, items, begins);
  const answer = await world.call({ method: "POST", path, key: user.key, body });
  if (answer?.status !== 200) return;
  // If the call both removes and adds an item, the item has the labels of the addition. The removal
  // must therefore end first.
  for (const call of removals) call.ends = begins;
  for (const call of additions) call.ends = world.tasks.now();

  for (const one of remove) isThere.set(one, false);
  for (const one of add) isThere.set(one, true);
}

/** Changes settings of a watchlist. Ignores the response. */
export async function patch(
  { world }: RunsScene,
  { id, user }: WatchlistScene,
  body: object,
): Promise<void> {
  await world.call({ method: "PATCH", path: `/v1/watchlists/${id}`, key: user.key, body });
}

/** Changes the daily budget of the account. Ignores the response. */
async function setBudget(
  { world }: RunsScene,
  { user }: WatchlistScene,
  budget: number | null,
): Promise<void> {
  const body = { daily_credit_budget: budget };
  await world.call({ method: "PATCH", path: "/v1/account", key: user.key, body });
}

async function pay(
  { world, stores }: RunsScene,
  { user }: WatchlistScene,
  { type, credits }: { readonly type: "purchase" | "adjust"; readonly credits: number },
): Promise<void> {
  const now = world.clock.now();
  const changeId = `${type}-${now.toISOString()}`;
  const effect = (): Promise<unknown> =>
    stores.changes.apply({ accountId: user.accountId, changeId, type, credits, now });
  await world.tasks.call({ label: `operator: ${type} of ${credits}`, effect });
}

/**
 * Checks that each active watchlist with items runs at its due time. Called after the faults have
 * ended.
 */
async function checkDueWatchlists(scene: RunsScene): Promise<void> {
  const { world, lists, stores } = scene;
  const expected = new Map<WatchlistScene, { readonly count: number; readonly at: number }>();
  const running: WatchlistScene[] = [];
  for (const list of lists) {
    const row = await stores.watchlists.get(list.user.accountId, list.id);
    if (row === undefined || row.status === "paused" || isEmpty(row)) continue;
    assert.notEqual(row.nextRunAt, null, `${list.id} is active without a due time`);
    if (row.runningRun !== null) running.push(list);
    else expected.set(list, { count: row.runCount, at: Date.parse(row.nextRunAt ?? "") });
  }
  await pauseAll(scene, running);
  if (expected.size === 0) return;
  const latest = Math.max(world.tasks.now(), ...[...expected.values()].map(({ at }) => at));
  const endsAt = latest + startsWithinMs;
  const notYetRun = async (): Promise<readonly string[]> => {
    const rows = await Promise.all(
      [...expected].map(async ([{ user, id }, { count }]) => {
        const row = await stores.watchlists.get(user.accountId, id);
        return row?.status === "active" && row.runCount <= count ? [id] : [];
      }),
    );
    return rows.flat();
  };
  const isOver = async (): Promise<boolean> =>
    world.tasks.now() >= endsAt || (await notYetRun()).length === 0;
  await world.until(isOver, "every watchlist ran", endsAt);
  assert.deepEqual(await notYetRun(), [], "watchlists that did not run at their due time");
}

/**
 * Called after the faults have ended. Checks that the due time of an active watchlist without items
 * advances, although the watchlist does not run.
 */
async function checkEmptyWatchlists({ world, lists, stores }: RunsScene): Promise<void> {
  const rowOf = ({ user, id }: WatchlistScene): Promise<Watchlist | undefined> =>
    stores.watchlists.get(user.accountId, id);
  for (const list of lists) {
    const before = await rowOf(list);
    const dueAt = before?.nextRunAt ?? null;
    if (before === undefined || dueAt === null || !isEmpty(before)) continue;
    const endsAt = Math.max(world.tasks.now(), Date.parse(dueAt)) + startsWithinMs;
    const isOver = async (): Promise<boolean> =>
      world.tasks.now() >= endsAt || (await rowOf(list))?.nextRunAt !== dueAt;
    await world.until(isOver, "the due time of an empty watchlist advanced", endsAt);
    const after = await rowOf(list);
    // A write of a call that timed out can add items later.
    if (after !== undefined && !isEmpty(after)) continue;
    assert.notEqual(after?.nextRunAt, dueAt, `${list.id}, which is empty, has the same due time`);
    assert.equal(after?.runCount, before.runCount, `${list.id}, which is empty, ran`);
  }
}

/** Pauses watchlists, so that no new runs start. */
async function pauseAll(scene: RunsScene, lists: readonly WatchlistScene[]): Promise<void> {
  const { world } = scene;
  world.begin("pause all", async () => {
    for (const list of lists) await patch(scene, list, { status: "paused" });
  });
  await world.until(() => world.users() === 0, "all watchlists are paused", world.tasks.now());
}
