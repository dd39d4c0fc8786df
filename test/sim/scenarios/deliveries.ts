import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { deliveryKeys } from "../../../shared/aws/table/table.ts";
import { checkDeliveries } from "../checks/deliveries.ts";
import { recordDeliveries } from "../checks/deliveries-history.ts";
import { checkSecrets } from "../checks/deliveries-secrets.ts";
import { checkEventBus } from "../checks/event-bus.ts";
import { checkExports } from "../checks/exports.ts";
import { seededRandom } from "../random.ts";
import type { Scenario } from "../scenario.ts";
import type { User, World } from "../world.ts";
import { finishRuns } from "./deliveries-finishers.ts";
import type { DeliveryScene } from "./deliveries-scene.ts";
import {
  actOnDeliveries,
  addEndpoint,
  askRecover,
  askRedelivery,
  changeFormat,
  enable,
  putDestination,
  wholeSpan,
} from "./deliveries-users.ts";
import { anyWorkload } from "./deliveries-workload.ts";

const minute = 60_000;

/**
 * Runs publish events to webhook endpoints, buckets and the event bus, while users change endpoints
 * and buckets.
 */
export const deliveries: Scenario = {
  name: "deliveries",
  about: "delivery of run events to webhook endpoints and buckets, while users change both",
  async play(world) {
    const scene = await openScene(world);
    const stop = faultStopper(scene);
    await setUpTargets(scene);
    await setRequestsAtOnce(scene);
    if (scene.workload.outageMs > 0) world.begin("outage", () => outage(scene));
    world.begin("runs", () => finishRuns(scene));
    for (const user of scene.users) {
      world.begin(user.name, () => actOnDeliveries(scene, user));
    }
    await world.until(() => world.users() === 0, "all users have finished");
    if (scene.workload.isRecovery) await recoverAll(scene);
    stop();
    breakTargets(scene);
    await untilQuiet(world);
    await check(scene);
    if (!recoverEverything(scene)) return;
    await untilQuiet(world);
    await check(scene);
  },
};

async function openScene(world: World): Promise<DeliveryScene> {
  const workload = anyWorkload(world.random);
  const history = recordDeliveries(world);
  const users: User[] = [];
  for (let n = 1; n <= workload.accounts; n += 1) users.push(await world.newUser(`tenant-${n}`, 0));
  return {
    world,
    workload,
    users,
    history,
    endpoints: new Map(),
    runs: new Map(),
    userRequests: { redeliveries: [], recoveries: [], backfills: [] },
    recorded: [],
    given: new Set(),
    bucketsMade: 0,
  };
}

async function setUpTargets(scene: DeliveryScene): Promise<void> {
  const { world, workload, users } = scene;
  for (const user of users) {
    const count = world.random.between(1, workload.endpointsMax);
    const hasDestination = world.random.isHit(0.5);
    world.begin(`${user.name} sets up`, async () => {
      for (let n = 0; n < count; n += 1) await addEndpoint(scene, user, !workload.isRecovery);
      if (hasDestination) await putDestination(scene, user);
    });
  }
  await world.until(() => world.users() === 0, "all endpoints and destinations are set up");
}

/**
 * In some seeds, sets the number of concurrent requests of each endpoint, as an operator can. The
 * draws are separate, so that they do not change the rest of the seed.
 */
async function setRequestsAtOnce({ world, workload, history }: DeliveryScene): Promise<void> {
  const random = seededRandom(world.seed, "requests at once");
  const isCrowded = workload.runs > 20;
  if (!random.isHit(isCrowded ? 0.7 : 0.3)) return;
  for (const { id, accountId, states } of history.endpoints.values()) {
    const last = states.at(-1);
    if (last?.value === null || last === undefined) continue;
    const requestsAtOnce = random.pick(isCrowded ? [2, 12, 12] : [1, 2, 12]);
    await world.client.send(
      new UpdateCommand({
        TableName: world.table,
        Key: deliveryKeys.endpoint(accountId, id),
        UpdateExpression: "SET requests_at_once = :requests",
        ExpressionAttributeValues: { ":requests": requestsAtOnce },
      }),
    );
    const endpoint = { ...last.value.endpoint, requestsAtOnce };
    states.splice(-1, 1, { at: last.at, value: { ...last.value, endpoint } });
  }
}

/** Enables each endpoint and recovers the events that it missed. */
async function recoverAll(scene: DeliveryScene): Promise<void> {
  const { world } = scene;
  beginAll(scene, async (user, id) => {
    await enable(scene, user, id);
    await askRecover(scene, user, { endpointId: id, body: wholeSpan(scene) });
  });
  await world.until(() => world.users() === 0, "all recoveries were requested");
}

function beginAll(
  { world, users, endpoints }: DeliveryScene,
  act: (user: User, endpointId: string) => Promise<void>,
): void {
  for (const user of users) {
    for (const id of endpoints.get(user.accountId) ?? []) {
      world.begin(`${user.name} of ${id}`, () => act(user, id));
    }
  }
}

/**
 * Returns a function that stops the faults. The faults also stop earlier, after a maximum number of
 * requests.
 */
function faultStopper(scene: DeliveryScene): () => void {
  const { faults, tasks, afterEffect } = scene.world;
  const stop = (): void => {
    if (faults.isStopped()) return;
    tasks.note("no more faults");
    // Clocks have no errors from now on, so the clocks of running tasks jump. The checks allow for
    // this jump in a task that is marked as paused.
    for (const task of tasks.working()) task.hasPaused = true;
    faults.stop();
  };
  let attempts = 0;
  afterEffect.push(() => {
    attempts += 1;
    if (attempts === faultyAttemptsMax) stop();
  });
  return stop;
}
const faultyAttemptsMax = 180;

/** Makes all receivers fail for a period. */
async function outage(scene: DeliveryScene): Promise<void> {
  const { world, workload } = scene;
  const { dead } = world.receivers;
  const urls = urlsOf(scene);
  for (const url of urls) dead.add(url);
  await world.pause(workload.outageMs);
  for (const url of urls) dead.delete(url);
}

const urlsOf = ({ history }: DeliveryScene): readonly string[] =>
  [...history.endpoints.values()].flatMap(({ states }) => states.at(-1)?.value?.endpoint.url ?? []);

/**
 * In some seeds, makes one receiver fail from now on. Independently, in some seeds makes all
 * buckets fail from now on.
 */
function breakTargets(scene: DeliveryScene): void {
  const { random, receivers, buckets } = scene.world;
  const urls = urlsOf(scene);
  if (urls.length > 0 && random.isHit(0.1)) receivers.dead.add(random.pick(urls));
  if (random.isHit(0.05)) buckets.setDead(true);
}

const untilQuiet = (world: World): Promise<void> =>
  world.until(
    async () => world.users() === 0 && world.isIdle() && (await world.dues()).length === 0,
    "no pending work",
  );

/**
 * In some seeds, repairs all targets, and then recovers and backfills everything. Returns false in
 * the other seeds.
 */
function recoverEverything(scene: DeliveryScene): boolean {
  const { world, users } = scene;
  world.receivers.dead.clear();
  world.buckets.setDead(false);
  if (world.random.isHit(0.85)) return false;
  world.tasks.note("recover and backfill everything");
  world.tasks.jumpTo(world.tasks.now() + world.random.pick([minute, 25 * 60 * minute]));
  beginAll(scene, async (user, id) => {
    await enable(scene, user, id);
    await askRecover(scene, user, { endpointId: id, body: wholeSpan(scene) });
    await askRedelivery(scene, user, id);
  });
  for (const user of users) {
    const { value = null } = scene.history.destinations.get(user.accountId)?.at(-1) ?? {};
    const compression = value?.compression === "gzip" ? "none" : "gzip";
    world.begin(`${user.name}, final backfill`, () => changeFormat(scene, user, compression));
    // The endpoint must not receive events that are older than the endpoint.
    world.begin(`${user.name}, new endpoint`, async () => {
      const endpointId = await addEndpoint(scene, user, true);
      if (endpointId === undefined) return;
      await askRecover(scene, user, { endpointId, body: wholeSpan(scene) });
    });
  }
  return true;
}

async function check(scene: DeliveryScene): Promise<void> {
  await checkDeliveries(scene);
  await checkExports(scene);
  checkEventBus(scene);
  await checkSecrets(scene);
}
