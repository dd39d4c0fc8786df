import { dynamoAccountStore } from "../../shared/aws/account-store.ts";
import { createAccount } from "../../shared/accounts/create-account.ts";
import { ServiceError } from "../../shared/base/errors.ts";
import { newItem } from "../../shared/watchlists/item.ts";
import type { Watchlist } from "../../shared/watchlists/watchlist.ts";
import type { SerializedEvent } from "../../shared/events/event.ts";
import { aWatchlist } from "./a-watchlist.ts";
import { isInjected } from "./faulty-client.ts";
import { seededFaults, userActions } from "./faulty-kinds.ts";
import { messageName, messagePool } from "./faulty-messages.ts";
import { seededChance, seededRandom } from "./faulty-random.ts";
import { seededTurns, type Task } from "./faulty-turns.ts";
import { checkEverything } from "./run-faults-checks.ts";
import { anyList } from "./run-faults-lists.ts";
import {
  type Process,
  startProcess,
  storesOn,
  type Surroundings,
  sweepWith,
  workOn,
} from "./run-faults-processes.ts";
import { collectRecords, type RunRecords } from "./run-faults-records.ts";
import { actAsUser, noDeeds } from "./run-faults-users.ts";
import type { TestTables } from "./tables.ts";

/** What happened under a seed. */
export interface Played {
  /** Of every call in its order. */
  readonly hash: string;
  readonly trace: readonly string[];
  /** What did not hold afterwards. */
  readonly failure?: Error;
}

const start = new Date("2026-03-01T00:00:00.000Z");
const workersMax = 3;
const minute = 60_000;

/** Plays a list's few runs under the faults of a seed, then without any, and checks what is left. */
export async function playFaults(
  seed: number,
  tables: TestTables,
  fired: Map<string, number>,
): Promise<Played> {
  const world = await openWorld(seed, tables, fired);
  const { turns } = world;
  try {
    await world.playFaulty();
    await world.playOut();
    await checkEverything(world);
    return { hash: turns.hash(), trace: turns.trace };
  } catch (failure) {
    return { hash: turns.hash(), trace: turns.trace, failure: failure as Error };
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>;

async function openWorld(seed: number, tables: TestTables, fired: Map<string, number>) {
  const random = seededRandom(seed, "play");
  const faults = seededFaults(seededRandom(seed, "faults"), fired);
  const turns = seededTurns(start, seededRandom(seed, "turns"));
  const pool = messagePool(turns, faults, seededRandom(seed, "messages"));
  const { client } = tables;
  const table = await tables.create();
  const published = new Map<string, SerializedEvent>();
  const raw = storesOn(client, {
    table,
    clock: { now: () => new Date(turns.now()), sleep: async () => {} },
    chance: seededChance(seededRandom(seed, "setup")),
  });
  const ids = anyList(random, 12);
  const list = await createList();
  const deeds = noDeeds();
  /** What the runs of a deleted list recorded, looked at before it is gone. */
  let kept: readonly RunRecords[] | undefined;
  const unexpected: string[] = [];

  async function createList(): Promise<Watchlist> {
    const base = { clock: { now: () => start, sleep: async () => {} } };
    const chance = seededChance(seededRandom(seed, "account"));
    const accounts = dynamoAccountStore(client, { accounts: table, ledger: table });
    const account = await createAccount(
      { name: "Faults", email: "faults@example.com", signupCredits: random.pick([25, 90, 5_000]) },
      { accounts, chance, ...base },
    );
    const watchlist = aWatchlist({
      ...ids.settings,
      accountId: account.id,
      itemCounts: { new: ids.ids.length, active: 0, delisted: 0 },
      nextRunAt: start.toISOString(),
    });
    await raw.purges.expectCreation(watchlist.id, new Date(start.getTime() + 60 * minute));
    const at = start.toISOString();
    await raw.pages.create(
      watchlist.id,
      ids.ids.map((id) => newItem(id, at)),
    );
    await raw.watchlists.create({ watchlist, record: null, answer: "" });
    return watchlist;
  }

  const surroundings: Surroundings = {
    client,
    table,
    turns,
    faults,
    random: seededRandom(seed, "processes"),
    pool,
    batchIdsMax: random.between(1, 3),
    published,
    beforeRemoval: async () => {
      kept ??= await collectRecords(raw, list.id);
    },
  };
  let processes: Process[] = [];
  let [workers, sweeper, user]: [Task[], Task | undefined, Task | undefined] = [
    [],
    undefined,
    undefined,
  ];
  let begun = 0;
  let nextSweepAt = turns.now() + minute;
  const isWorking = (task: Task | undefined): boolean => task?.state === "working";

  const begin = (name: string, work: (process: Process) => Promise<unknown>): Promise<Task> => {
    processes = processes.filter((process) => process.isAlive());
    let process = processes.find((one) => one.isFree());
    if (process === undefined) {
      process = startProcess(surroundings);
      processes.push(process);
    }
    const chosen = process;
    begun += 1;
    return chosen.run(`#${begun} ${name}`, () => work(chosen));
  };

  const deliver = async (): Promise<void> => {
    const taken = pool.take();
    if (taken === undefined) return;
    const task = await begin(messageName(taken.message), async ({ ports }) => {
      await workOn(taken.message, ports);
    });
    settling.set(task, () => pool.settle(taken, task));
    workers.push(task);
  };
  /** What is still to be done once a task has ended. */
  const settling = new Map<Task, () => void>();
  const settleEnded = (): void => {
    for (const [task, settle] of settling) {
      if (isWorking(task)) continue;
      settling.delete(task);
      noteFailure(task);
      settle();
    }
    workers = workers.filter(isWorking);
  };
  const noteFailure = ({ name, state, error }: Task): void => {
    if (state !== "failed" || isInjected(error)) return;
    const isBusy = error instanceof ServiceError;
    if (isBusy && (!faults.isStopped() || deeds.isDeletionAsked)) return;
    // What a late delivery looks for is gone together with its list; it comes again to nothing.
    if (kept !== undefined) return;
    unexpected.push(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
  };

  const beginSweep = async (): Promise<void> => {
    nextSweepAt = turns.now() + random.between(1, 4) * minute;
    sweeper = await begin("sweep", ({ ports }) => sweepWith(ports));
    settling.set(sweeper, () => {});
  };

  /** Lets one thing happen of those that can at this time; false when none can. */
  const happen = async (): Promise<boolean> => {
    settleEnded();
    const can: (readonly [number, () => Promise<void>])[] = [];
    if (turns.isReady()) can.push([8, () => turns.turn()]);
    if (workers.length < workersMax && pool.isWaiting()) can.push([3, deliver]);
    if (turns.now() >= nextSweepAt && !isWorking(sweeper)) can.push([1, beginSweep]);
    if (can.length === 0) return false;
    let place = random.fraction() * can.reduce((sum, [weight]) => sum + weight, 0);
    const chosen = can.find(([weight]) => (place -= weight) < 0) ?? can[0];
    await chosen?.[1]();
    return true;
  };
  /** Nothing can happen now: the time comes at which something can. */
  const waitForNext = (): void => {
    const times = [
      turns.nextReadyAt(),
      workers.length < workersMax ? pool.nextVisibleAt() : undefined,
      isWorking(sweeper) ? undefined : nextSweepAt,
    ].filter((time) => time !== undefined);
    turns.jumpTo(Math.min(...times));
  };

  const current = (): Promise<Watchlist | undefined> => raw.watchlists.get(list.accountId, list.id);
  /** True when nobody works, nothing waits, and the rows want nothing. */
  const isQuiet = async (): Promise<boolean> => {
    settleEnded();
    if (turns.working().length > 0 || pool.size() > 0) return false;
    const { runs } = await raw.runs.list(list.id, 50);
    if (runs.some(({ phase }) => phase !== "done")) return false;
    const now = await current();
    if (now === undefined)
      return (await raw.purges.due(new Date(turns.now() + 1e9), 1)).length === 0;
    return now.nextRunAt === null || Date.parse(now.nextRunAt) > turns.now();
  };

  const act = async (): Promise<void> => {
    if (isWorking(user)) return;
    const action = random.pick(userActions);
    if (action === "list_deleted" && !random.isHit(0.4)) return;
    faults.count(action);
    user = await begin(`user: ${action}`, ({ ports }) =>
      actAsUser(action, { list, ids, deeds, random }, ports),
    );
    settling.set(user, () => {});
  };

  return {
    turns,
    raw,
    client,
    table,
    list,
    ids,
    deeds,
    published,
    unexpected,
    current,
    records: async (): Promise<readonly RunRecords[]> =>
      kept ?? (await collectRecords(raw, list.id)),
    /** Two or three due times, and what comes of them as far as it comes. */
    async playFaulty(): Promise<void> {
      const userRate = random.pick([0, 0.01, 0.03]);
      for (let round = random.between(2, 3); round > 0; round -= 1) {
        const scheduledTime = (await current())?.nextRunAt;
        if (typeof scheduledTime !== "string") return;
        turns.jumpTo(Date.parse(scheduledTime));
        const { accountId, id: watchlistId } = list;
        pool.put({ queue: "due", due: { accountId, watchlistId, scheduledTime } });
        for (let left = random.between(40, 260); left > 0; left -= 1) {
          if (random.isHit(userRate)) await act();
          if (await happen()) continue;
          if (await isQuiet()) break;
          waitForNext();
        }
      }
    },
    /** No more faults: until nothing is left to be done. */
    async playOut(): Promise<void> {
      faults.stop();
      turns.note("no more faults");
      const latest = turns.now() + 180 * minute;
      while (turns.now() < latest) {
        if (await happen()) continue;
        if (await isQuiet()) return;
        waitForNext();
      }
      throw new Error("It never comes to rest");
    },
  };
}
