import assert from "node:assert/strict";
import type { Run } from "../../../shared/runs/run.ts";
import type { RunsScene, WatchlistScene } from "./runs-scene.ts";

const minute = 60_000;

type Decision = "release" | "discard";

/** Returns true if the run was held and then discarded. */
export const isDiscarded = ({ hold }: Run): boolean => hold?.status === "discarded";

/**
 * Releases or discards the held runs of a watchlist until the virtual time `endsAt`. Sometimes
 * requests a release and a discard at the same time, and checks that only one of them is accepted.
 * @throws Error if a check fails
 */
export async function decideHolds(
  scene: RunsScene,
  list: WatchlistScene,
  endsAt: number,
): Promise<void> {
  const { world } = scene;
  while (world.tasks.now() < endsAt) {
    await world.pause(world.random.pick([minute / 4, minute, 3 * minute]));
    await decideHold(scene, list);
  }
}

/**
 * Releases or discards all held runs. Repeats this until no run is held, because runs in progress
 * may still be held when they end. Call it when no faults are injected and no watchlist starts a
 * run.
 * @throws Error if a watchlist could start a run while its last run is held
 */
export async function decideAllHolds(scene: RunsScene, untilQuiet: () => Promise<void>) {
  const { world, lists, stores } = scene;
  for (;;) {
    await untilQuiet();
    const rows = await Promise.all(
      lists.map(async (list) => ({
        list,
        row: await stores.watchlists.get(list.user.accountId, list.id),
      })),
    );
    const held = rows.filter(({ row }) => row?.lastRunStatus === "held");
    for (const { list, row } of held) {
      assert.notEqual(row?.runningRun, null, `${list.id} can start a run during a hold`);
    }
    if (held.length === 0) return;
    world.begin("last decisions", async () => {
      for (const { list } of held) await decideHold(scene, list);
    });
    await world.until(() => world.users() === 0, "all holds are decided", world.tasks.now());
  }
}

/** Releases or discards the newest run if it is held. */
async function decideHold({ world }: RunsScene, { id, user }: WatchlistScene): Promise<void> {
  const { key } = user;
  const path = `/v1/watchlists/${id}/runs`;
  const answer = await world.call({ method: "GET", path: `${path}?limit=1`, key });
  const [run] = (answer?.body?.["data"] ?? []) as readonly Readonly<Record<string, unknown>>[];
  if (run?.["status"] !== "held") return;
  const decide = async (decision: Decision): Promise<[Decision, number | undefined]> => {
    const decided = await world.call({
      method: "POST",
      path: `${path}/${String(run["run_number"])}/${decision}`,
      key,
    });
    return [decision, decided?.status];
  };
  const choice = world.random.pick(["release", "discard", "both"] as const);
  const decisions: readonly Decision[] = choice === "both" ? ["release", "discard"] : [choice];
  const outcomes = await Promise.all(decisions.map(decide));
  const accepted = outcomes.filter(([, status]) => status === 202);
  assert(accepted.length <= 1, `run ${String(run["run_number"])} of ${id} was decided twice`);
  if (choice === "both" && accepted.length === 1)
    world.reached("two requests decided a hold at the same time");
}
