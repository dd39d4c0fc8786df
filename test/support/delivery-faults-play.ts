import type { RunEvents } from "../../shared/events/event.ts";
import { dueKeys, whenever } from "../../shared/aws/due-keys.ts";
import { ServiceError } from "../../shared/base/errors.ts";
import { newId } from "../../shared/base/ids.ts";
import type { Target } from "../../shared/outbox/outbox.ts";
import { type Endpoint, endpointSecretContext } from "../../shared/webhooks/endpoint.ts";
import { newSecret, secretHint } from "../../shared/webhooks/secret.ts";
import { memorySecretBox } from "../fakes/memory-secret-box.ts";
import { checkDeliveries } from "./delivery-faults-checks.ts";
import { checkExports } from "./delivery-faults-exports.ts";
import { type DeliveryHistory, rememberingClient } from "./delivery-faults-history.ts";
import { deliveryUserActions, seededDeliveryFaults } from "./delivery-faults-kinds.ts";
import { virtualBodies, virtualBuckets, virtualReceivers } from "./delivery-faults-outside.ts";
import { hintPool, messageName } from "./delivery-faults-pool.ts";
import {
  beginProcess,
  type DeliveryPorts,
  deliveryStoresOn,
  type DeliverySurroundings,
  workOnMessage,
} from "./delivery-faults-processes.ts";
import { anyRun, anyWorkload } from "./delivery-faults-runs.ts";
import {
  actOnDelivery,
  anyFilter,
  askBackfill,
  askRecover,
  type DeliveryScene,
  noDeliveryDeeds,
} from "./delivery-faults-users.ts";
import { isInjected } from "./faulty-client.ts";
import { seededChance, seededRandom } from "./faulty-random.ts";
import { seededTurns, type Task } from "./faulty-turns.ts";
import type { TestTables } from "./tables.ts";

/** What happened under a seed. */
export interface PlayedDelivery {
  /** Of every call in its order. */
  readonly hash: string;
  readonly trace: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
  /** What did not hold. */
  readonly failure?: Error;
}

/** One hand-over of a run by its finisher; `endedAt` null until it succeeded. Milliseconds. */
export interface PublishAttempt {
  readonly begunAt: number;
  endedAt: number | null;
}
export interface PublishedRun {
  readonly run: RunEvents;
  readonly publishes: PublishAttempt[];
}

const start = new Date("2026-03-01T00:00:00.000Z");
const workersMax = 4;
const minute = 60_000;
const day = 24 * 60 * minute;

/** Plays the delivery of runs under the faults of a seed, then without any, and checks the rest. */
export async function playDelivery(
  seed: number,
  tables: TestTables,
  fired: Map<string, number>,
): Promise<PlayedDelivery> {
  const world = await openDeliveryWorld(seed, tables, fired);
  const { turns } = world;
  const played = () => ({ hash: turns.hash(), trace: turns.trace, figures: world.figures() });
  try {
    await world.playFaulty();
    await world.playOut();
    await checkDeliveries(world);
    await checkExports(world);
    if (await world.askAnew()) {
      await checkDeliveries(world);
      await checkExports(world);
    }
    return played();
  } catch (failure) {
    return { ...played(), failure: failure as Error };
  }
}

export type DeliveryFaultWorld = Awaited<ReturnType<typeof openDeliveryWorld>>;

async function openDeliveryWorld(seed: number, tables: TestTables, fired: Map<string, number>) {
  const random = seededRandom(seed, "play");
  const faults = seededDeliveryFaults(seededRandom(seed, "faults"), fired);
  const turns = seededTurns(start, seededRandom(seed, "turns"));
  const pool = hintPool(turns, faults, seededRandom(seed, "messages"));
  const secrets = memorySecretBox();
  const tableName = await tables.create();
  const chance = seededChance(seededRandom(seed, "setup"));
  const clock = { now: () => new Date(turns.now()), sleep: async () => {} };
  const raw = deliveryStoresOn(tables.client, { tableName, clock, chance });
  const history: DeliveryHistory = {
    endpoints: new Map(),
    destinations: new Map(),
    delivered: new Map(),
    exported: new Map(),
  };
  const client = rememberingClient(tables.client, history, {
    now: () => turns.now(),
    raw: () => raw,
    secrets,
    onTrespass: (what) => unexpected.push(`Written by who does not hold it: ${what}`),
  });
  const outside = { turns, faults, random: seededRandom(seed, "outside") };
  const receivers = virtualReceivers(outside);
  const buckets = virtualBuckets(outside);
  const workload = anyWorkload(random);
  const deeds = noDeliveryDeeds();
  const unexpected: string[] = [];
  /** Targets whose first attempts may be out of order: a process died, stood still or failed. */
  const troubled = new Set<string>();
  /** Processes that died or stood still, and how often each heard that conditions did not hold. */
  const troubledTasks = new Set<string>();
  const losses = new Map<string, number>();
  const targetsOfTasks = new Map<Task, Target>();
  const published = new Map<string, PublishedRun>();
  let bucketsMade = 0;

  const surroundings: DeliverySurroundings = {
    client,
    tableName,
    turns,
    faults,
    random: seededRandom(seed, "processes"),
    pool,
    secrets,
    receivers,
    buckets,
    // Going through many runs has to be broken off in the middle.
    bodies: virtualBodies({
      faults,
      random: seededRandom(seed, "bodies"),
      refusedShare: workload.isRecovery ? 0.07 : 0,
    }),
    onTrouble(task) {
      troubledTasks.add(task.name);
      const target = targetsOfTasks.get(task);
      // Until the process's task is known, it may be at any target.
      if (target !== undefined) troubled.add(target.targetId);
      else troubled.add(task.name);
    },
    onLoss(task) {
      losses.set(task.name, (losses.get(task.name) ?? 0) + 1);
    },
  };

  async function addEndpoints(accountId: string, count: number): Promise<Endpoint[]> {
    const stores = deliveryStoresOn(client, { tableName, clock, chance });
    const made: Endpoint[] = [];
    for (let n = 1; n <= count; n += 1) {
      const id = newId("webhookEndpoint", new Date(start.getTime() - 1_000 + n), chance);
      const secret = newSecret(chance);
      const endpoint: Endpoint = {
        id,
        accountId,
        url: `https://r${n}.${accountId.replace("_", "-")}.test/`,
        description: null,
        events: random.isHit(0.5) ? null : anyFilter(random),
        enabled: !workload.isRecovery && random.isHit(0.9),
        secret: await secrets.seal(secret, endpointSecretContext(accountId, id)),
        secretHint: secretHint(secret),
        previousSecret: null,
        createdAt: start.toISOString(),
        updatedAt: start.toISOString(),
      };
      await stores.endpoints.create(accountId, endpoint);
      made.push(endpoint);
    }
    return made;
  }

  const endpoints: Endpoint[] = [];
  for (const accountId of workload.accounts) {
    endpoints.push(...(await addEndpoints(accountId, random.between(1, workload.endpointsMax))));
  }
  const ofAccount = (accountId: string): Endpoint[] =>
    endpoints.filter((endpoint) => endpoint.accountId === accountId);

  let [workers, sweeper, user]: [Task[], Task | undefined, Task | undefined] = [
    [],
    undefined,
    undefined,
  ];
  let begun = 0;
  let nextSweepAt = turns.now() + minute;
  let runsLeft = workload.runs;
  const isWorking = (task: Task | undefined): boolean => task?.state === "working";
  const begin = (name: string, work: (ports: DeliveryPorts) => Promise<unknown>): Promise<Task> => {
    begun += 1;
    return beginProcess(surroundings, `#${begun} ${name}`, work);
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
  const noteFailure = (task: Task): void => {
    const { name, state, error } = task;
    if (state !== "failed") return;
    const target = targetsOfTasks.get(task);
    if (target !== undefined) troubled.add(target.targetId);
    if (isInjected(error)) return;
    if (error instanceof ServiceError && !faults.isStopped()) return;
    unexpected.push(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
  };

  const deliver = async (): Promise<void> => {
    const taken = pool.take();
    if (taken === undefined) return;
    const { message } = taken;
    const attempt: PublishAttempt = { begunAt: turns.now(), endedAt: null };
    if (message.kind === "publish") published.get(message.run.runId)?.publishes.push(attempt);
    const task = await begin(messageName(message), async (ports) => {
      await workOnMessage(message, ports);
      attempt.endedAt = turns.now();
    });
    if (message.kind === "hint") {
      targetsOfTasks.set(task, message.target);
      if (troubled.has(task.name)) troubled.add(message.target.targetId);
    }
    settling.set(task, () => pool.settle(taken, task));
    workers.push(task);
  };
  const beginSweep = async (): Promise<void> => {
    nextSweepAt = turns.now() + random.between(1, 4) * minute;
    sweeper = await begin("sweep", ({ sweep }) => sweep());
    settling.set(sweeper, () => {});
  };

  const finishRuns = (count: number): void => {
    // Runs may end in the same moment.
    turns.jumpTo(turns.now() + 1);
    for (; count > 0 && runsLeft > 0; count -= 1, runsLeft -= 1) {
      const accountId = random.pick(workload.accounts);
      const number = workload.runs - runsLeft + 1;
      const named = random.isHit(0.2) ? random.pick(ofAccount(accountId)).id : null;
      const run = anyRun(
        {
          accountId,
          number,
          endedAt: new Date(turns.now()),
          eventsMax: workload.eventsMax,
          webhookEndpointId: named,
        },
        random,
      );
      published.set(run.runId, { run, publishes: [] });
      pool.put({ kind: "publish", run });
    }
  };

  const newBucket = (): string => {
    bucketsMade += 1;
    return `bucket-${bucketsMade}`;
  };
  const sceneFor = (accountId: string): DeliveryScene => ({
    accountId,
    endpointId: random.pick(ofAccount(accountId)).id,
    startedAt: start,
    deeds,
    random,
    newBucket,
  });
  const act = async (): Promise<void> => {
    if (isWorking(user)) return;
    const action = random.pick(deliveryUserActions);
    if (/deleted|disabled/.test(action) && !random.isHit(0.4)) return;
    faults.count(action);
    const scene = sceneFor(random.pick(workload.accounts));
    user = await begin(`user: ${action}`, (ports) => actOnDelivery(action, scene, ports));
    settling.set(user, () => {});
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

  /** When the next target of all is due; undefined when none will be. */
  const nextDueAt = async (): Promise<number | undefined> => {
    const query = { kind: "outbox", by: whenever, limit: 1 } as const;
    const [next] = await dueKeys(tables.client, tableName, query);
    return next === undefined ? undefined : Date.parse(next.dueAt);
  };
  /** Nothing can happen now: the time comes at which something can. */
  const waitForNext = async (): Promise<void> => {
    if (!isWorking(sweeper)) {
      // A sweep that finds nothing changes nothing.
      const dueAt = (await nextDueAt()) ?? nextSweepAt + 10 * minute;
      nextSweepAt = Math.max(nextSweepAt, dueAt);
    }
    const times = [
      turns.nextReadyAt(),
      workers.length < workersMax ? pool.nextVisibleAt() : undefined,
      isWorking(sweeper) ? undefined : nextSweepAt,
    ].filter((time) => time !== undefined);
    turns.jumpTo(Math.min(...times));
  };
  const isQuiet = async (): Promise<boolean> => {
    settleEnded();
    return turns.working().length === 0 && pool.size() === 0 && (await nextDueAt()) === undefined;
  };
  const untilQuiet = async (): Promise<void> => {
    const latest = turns.now() + 12 * day;
    for (let turn = 0; turn < 30_000 && turns.now() < latest; turn += 1) {
      if (await happen()) continue;
      if (await isQuiet()) return;
      await waitForNext();
    }
    throw new Error("It never comes to rest");
  };

  const spanUntil = (until: number) => ({
    since: start.toISOString(),
    until: new Date(until).toISOString(),
  });
  /** Every endpoint is enabled and asks for what it did not get. */
  const askForAll = async (until: number): Promise<void> => {
    for (const { accountId, id: endpointId } of endpoints) {
      const scene = { ...sceneFor(accountId), endpointId };
      const task = await begin(`user: all for ${endpointId}`, async (ports) => {
        await actOnDelivery("endpoint_enabled", scene, ports);
        await unlessRefused(askRecover(spanUntil(until), scene, ports));
      });
      settling.set(task, () => {});
    }
  };

  const setDestinations = async (): Promise<void> => {
    for (const accountId of workload.accounts) {
      if (!random.isHit(0.6)) continue;
      const scene = sceneFor(accountId);
      await begin("user: first destination", (ports) =>
        actOnDelivery("destination_replaced", scene, ports),
      );
      while (turns.working().length > 0) if (!(await happen())) await waitForNext();
    }
  };
  /** What comes when nothing can happen at this time; false when nothing does. */
  const moveOn = async (userRate: number): Promise<boolean> => {
    if (runsLeft > 0 && random.isHit(0.3)) finishRuns(random.between(1, 2));
    else if (runsLeft === 0 && userRate === 0 && (await isQuiet())) return false;
    else await waitForNext();
    return true;
  };

  return {
    turns,
    raw,
    client: tables.client,
    tableName,
    endpoints,
    accounts: workload.accounts,
    history,
    published,
    deeds,
    sent: receivers.sent,
    buckets: buckets.buckets,
    manifests: buckets.manifests,
    puts: buckets.puts,
    troubled,
    troubledTasks,
    losses,
    unexpected,
    figures: () => ({
      turns: turns.trace.length,
      sent: receivers.sent.length,
      objects: [...buckets.buckets.values()].reduce((sum, { size }) => sum + size, 0),
    }),
    /** Runs that end, and what comes of them as far as it comes. */
    async playFaulty(): Promise<void> {
      await setDestinations();
      const userRate = random.pick([0, 0.01, 0.04]);
      finishRuns(workload.isRecovery ? workload.runs : random.between(1, 3));
      let asksAt = workload.isRecovery ? random.between(150, 700) : 0;
      for (let left = random.between(40, 400) + asksAt; left > 0; left -= 1) {
        if (random.isHit(userRate)) await act();
        if (asksAt > 0 && (asksAt -= 1) === 0) {
          await askForAll(turns.now());
        }
        if (random.isHit(0.02)) finishRuns(random.between(1, workload.eventsMax === 1 ? 12 : 3));
        if (await happen()) continue;
        if (!(await moveOn(userRate))) break;
      }
    },
    /** No more faults: until nothing is left to be done. */
    async playOut(): Promise<void> {
      finishRuns(runsLeft);
      faults.stop();
      turns.note("no more faults");
      if (random.isHit(0.1)) receivers.dead.add(random.pick(endpoints).url);
      if (random.isHit(0.05)) buckets.setDead(true);
      await untilQuiet();
    },
    /** Mostly: whoever can receive asks for everything once more; false when nobody does. */
    async askAnew(): Promise<boolean> {
      receivers.dead.clear();
      buckets.setDead(false);
      if (random.isHit(0.4)) return false;
      turns.note("everything is asked for once more");
      turns.jumpTo(turns.now() + random.pick([minute, 25 * 60 * minute]));
      await askForAll(turns.now());
      for (const { accountId, id: endpointId } of endpoints) {
        const scene = { ...sceneFor(accountId), endpointId };
        await begin(`user: at last ${endpointId} again`, (ports) =>
          actOnDelivery("redelivery_asked", scene, ports),
        );
      }
      for (const accountId of workload.accounts) {
        const scene = sceneFor(accountId);
        await begin(`user: at last ${accountId}`, (ports) =>
          unlessRefused(askBackfill(spanUntil(turns.now()), scene, ports)),
        );
      }
      await untilQuiet();
      return true;
    },
  };
}

/** What an endpoint or destination that is gone, or disabled, answers. */
async function unlessRefused(call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}
