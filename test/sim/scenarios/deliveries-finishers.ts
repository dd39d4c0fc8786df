import { createHash } from "node:crypto";
import { publisher } from "../../../functions/composition/publishing.ts";
import { eventBodies } from "../../../functions/composition/on-first-use/event-bodies.ts";
import { putSnapshot } from "../../../shared/events/event-archive.ts";
import type { RunEvents } from "../../../shared/events/event.ts";
import { injectedNames, isRejectedBySqs } from "../checks/failures.ts";
import { busNameOf } from "../lambdas.ts";
import type { Task } from "../task-scheduler.ts";
import type { User } from "../world.ts";
import { type DeliveryScene, type PublishedRun, untilSent } from "./deliveries-scene.ts";
import { anyRun } from "./deliveries-workload.ts";

/**
 * Ends the runs of the accounts, one after another or together, and starts to publish each run.
 * Does not wait for the end of the publications.
 */
export async function finishRuns(scene: DeliveryScene): Promise<void> {
  const { world, workload, users } = scene;
  const { random } = world;
  for (let number = 1; number <= workload.runs; number += 1) {
    const pause = random.pick(workload.runs > 20 ? [0, 0, 500] : pausesMs);
    if (number > 1 && random.isHit(0.3)) {
      await untilSent(scene);
      await world.pause(random.between(1, 400));
    } else if (pause > 0) await world.pause(pause);
    const run = endRun(scene, random.pick(users), number);
    world.begin(`finisher of ${run.run.runId}`, () => publishWithRepeats(scene, run));
  }
}
const pausesMs = [0, 0, 900, 30_000, 10 * 60_000, 3 * 3_600_000];

function endRun(scene: DeliveryScene, { accountId }: User, number: number): PublishedRun {
  const { world, workload, runs, endpoints } = scene;
  const { random, tasks } = world;
  const known = endpoints.get(accountId) ?? [];
  const wanted = {
    accountId,
    number,
    endedAt: new Date(tasks.now()),
    eventsMax: workload.eventsMax,
    webhookEndpointId: known.length > 0 && random.isHit(0.2) ? random.pick(known) : null,
  };
  const ended = anyRun(wanted, random);
  const run: PublishedRun = {
    run: number % 2 === 0 ? withSnapshot(ended) : ended,
    publishes: [],
  };
  runs.set(run.run.runId, run);
  return run;
}

/** The bytes of the snapshot file of a run. Exports copy them without reading them. */
export const snapshotBytes = ({ runId }: Pick<RunEvents, "runId">): Buffer =>
  Buffer.from(`the items of ${runId}`);

function withSnapshot(run: RunEvents): RunEvents {
  const bytes = snapshotBytes(run);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { ...run, snapshot: { name: "1", rows: 1, bytes: bytes.length, sha256 } };
}

/**
 * Publishes a run. As with the finisher's message, the publication is repeated after a failure and
 * may run twice.
 */
async function publishWithRepeats(scene: DeliveryScene, run: PublishedRun): Promise<void> {
  const { world } = scene;
  const { random, faults } = world;
  const again = faults.draw("message_twice") === undefined ? 0 : 1;
  for (let copy = 0; copy < again; copy += 1) {
    world.begin(`second message of ${run.run.runId}`, () => untilDone(scene, run));
  }
  await untilDone(scene, run);
  if (faults.draw("message_after_done") === undefined) return;
  await world.pause(random.between(0, 8 * 60_000));
  await untilDone(scene, run);
}

async function untilDone({ world }: DeliveryScene, run: PublishedRun): Promise<void> {
  for (;;) {
    const task = await publish(world, run);
    if (task.state === "done") {
      if (run.publishes.length > 1) world.reached("a run was published twice");
      return;
    }
    world.reached("a publication failed");
    await world.pause(world.random.pick([1_000, 60_000, 30 * 60_000]));
  }
}

function publish(world: DeliveryScene["world"], { run, publishes }: PublishedRun): Promise<Task> {
  const overrides = world.overridesOfOther();
  const environment = {
    DELIVERIES_TABLE: world.table,
    EVENTS_BUCKET: "events",
    DELIVERIES_QUEUE_URL: "https://sqs/deliveries",
    EVENT_BUS_NAME: busNameOf(overrides),
  };
  const attempt = { begunAt: world.tasks.now(), endedAt: null as number | null };
  publishes.push(attempt);
  return new Promise((resolve, reject) => {
    const work = async (): Promise<void> => {
      // `begin` runs the task up to its first call. This empty call lets the seed also determine
      // the order of the work that follows.
      await world.tasks.call({ label: "begins to publish", effect: async () => {} });
      if (run.snapshot !== undefined) {
        const bodies = eventBodies(environment, overrides);
        await putSnapshot(run, run.snapshot, { bytes: snapshotBytes(run), bodies });
      }
      await publisher(environment, overrides).publish(run);
      attempt.endedAt = world.tasks.now();
    };
    world.tasks.begin(`publication ${publishes.length} of ${run.runId}`, work, (task) => {
      const { error } = task;
      if (
        error instanceof Error &&
        !injectedNames.has(error.name) &&
        !isRejectedBySqs(error.message)
      ) {
        reject(new Error("A publication failed without a fault", { cause: error }));
      } else resolve(task);
    });
  });
}
