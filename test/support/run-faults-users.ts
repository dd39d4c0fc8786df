import { ServiceError } from "../../shared/base/errors.ts";
import { presentPipeline } from "../../shared/pipelines/default.ts";
import { runNow } from "../../shared/runs/run-now.ts";
import { changeItems } from "../../shared/watchlists/change-items.ts";
import { deleteWatchlist } from "../../shared/watchlists/delete-watchlist.ts";
import type { WatchlistPatch } from "../../shared/watchlists/update-request.ts";
import { updateWatchlist } from "../../shared/watchlists/update-watchlist.ts";
import type { Watchlist } from "../../shared/watchlists/watchlist.ts";
import type { UserAction } from "./faulty-kinds.ts";
import type { Random } from "./faulty-random.ts";
import { type FaultyList, offersPipeline } from "./run-faults-lists.ts";
import type { Ports } from "./run-faults-processes.ts";

/** What users did to the list, as far as they know: a call that failed may have taken effect. */
export interface UserDeeds {
  /** Ids that a call named, whether it went well or not. */
  readonly touched: Set<string>;
  /** Whether an id is on the list, by the last call that named it; undefined after a failed one. */
  readonly isThere: Map<string, boolean | undefined>;
  /** True once a deletion was asked for. */
  isDeletionAsked: boolean;
  /** When a deletion was answered. */
  deletedAt: string | null;
}

export const noDeeds = (): UserDeeds => ({
  touched: new Set(),
  isThere: new Map(),
  isDeletionAsked: false,
  deletedAt: null,
});

interface Scene {
  readonly list: Watchlist;
  readonly ids: FaultyList;
  readonly deeds: UserDeeds;
  readonly random: Random;
}

/** One call of a user; rejects as its process does, but not for what the service refuses. */
export async function actAsUser(action: UserAction, scene: Scene, ports: Ports): Promise<void> {
  try {
    await acts[action](scene, ports);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

type Act = (scene: Scene, ports: Ports) => Promise<void>;

const acts: Readonly<Record<UserAction, Act>> = {
  items_removed: (scene, ports) =>
    change({ add: [], remove: scene.random.some(scene.ids.ids, 0.3) }, scene, ports),
  items_added: (scene, ports) =>
    change({ add: scene.random.some(everyId(scene), 0.3), remove: [] }, scene, ports),
  items_swapped(scene, ports) {
    const both = scene.random.some(everyId(scene), 0.4);
    return change({ add: both, remove: both }, scene, ports);
  },
  async list_deleted({ list, deeds }, ports) {
    deeds.isDeletionAsked = true;
    const ref = { accountId: list.accountId, watchlistId: list.id, now: ports.clock.now() };
    if (await deleteWatchlist(ref, ports)) deeds.deletedAt = ports.clock.now().toISOString();
  },
  credits_bought: (scene, ports) => pay("purchase", scene.random.between(5, 60), { scene, ports }),
  credits_taken: (scene, ports) => pay("adjust", -scene.random.between(5, 60), { scene, ports }),
  pipeline_patched: (scene, ports) =>
    patch(
      scene.list.platform === "retailer_a" && scene.random.isHit(0.5)
        ? { pipeline: presentPipeline(offersPipeline) }
        : { pipeline: null, refreshEveryRuns: scene.random.between(0, 2) },
      scene,
      ports,
    ),
  async status_patched(scene, ports) {
    await patch({ status: "paused" }, scene, ports);
    await patch({ status: "active" }, scene, ports);
  },
  async run_by_hand({ list }, ports) {
    const watchlist = await ports.watchlists.get(list.accountId, list.id);
    if (watchlist !== undefined) await runNow(watchlist, ports.clock.now(), ports);
  },
};

const everyId = ({ ids }: Scene): readonly string[] => [...ids.ids, ...ids.others].sort();

async function change(
  wanted: { readonly add: readonly string[]; readonly remove: readonly string[] },
  { list, deeds }: Scene,
  ports: Ports,
): Promise<void> {
  const watchlist = await ports.watchlists.get(list.accountId, list.id);
  if (watchlist === undefined) return;
  for (const id of [...wanted.add, ...wanted.remove]) {
    deeds.touched.add(id);
    deeds.isThere.set(id, undefined);
  }
  await changeItems({ watchlist, change: wanted, now: ports.clock.now() }, ports);
  for (const id of wanted.remove) deeds.isThere.set(id, false);
  for (const id of wanted.add) deeds.isThere.set(id, true);
}

async function pay(
  type: "purchase" | "adjust",
  credits: number,
  { scene: { list }, ports }: { readonly scene: Scene; readonly ports: Ports },
): Promise<void> {
  const changeId = `${type}-${ports.clock.now().toISOString()}`;
  await ports.changes.apply({
    accountId: list.accountId,
    changeId,
    type,
    credits,
    now: ports.clock.now(),
  });
}

const nothing: WatchlistPatch = {
  name: undefined,
  endpoint: undefined,
  pipeline: undefined,
  refreshEveryRuns: undefined,
  status: undefined,
  schedule: undefined,
  platform: undefined,
  marketplace: undefined,
  every: undefined,
  cron: undefined,
  timezone: undefined,
};

async function patch(
  wanted: Partial<WatchlistPatch>,
  { list }: Scene,
  ports: Ports,
): Promise<void> {
  const watchlist = await ports.watchlists.get(list.accountId, list.id);
  if (watchlist === undefined) return;
  const request = { watchlist, patch: { ...nothing, ...wanted }, now: ports.clock.now() };
  await updateWatchlist(request, ports);
}
