import { type EventType, runEventTypes } from "../../../shared/events/event.ts";
import { type Compression, compressions } from "../../../shared/exports/destination.ts";
import type { Random } from "../random.ts";
import type { User } from "../world.ts";
import {
  ask,
  askUntilAnswered,
  type RequestedRedelivery,
  type RequestedSpan,
  type DeliveryScene,
  type RecordedCall,
  isDone,
  untilSent,
} from "./deliveries-scene.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const pausesMs = [0, 300, 5_000, 40_000, 10 * minute, 5 * 60 * minute, 25 * 60 * minute];

/** The actions of users during deliveries, by name. */
export const deliveryActions = {
  endpoint_disabled: (scene, user) => patchOne(scene, user, { enabled: false }),
  endpoint_enabled: (scene, user) => patchOne(scene, user, { enabled: true }),
  async endpoint_toggled(scene, user) {
    const id = anyEndpoint(scene, user);
    if (id === undefined) return;
    await patch(scene, user, { id, body: { enabled: false } });
    await patch(scene, user, { id, body: { enabled: true } });
  },
  async endpoint_deleted(scene, user) {
    const id = anyEndpoint(scene, user);
    if (id === undefined) return;
    await ask(scene, user, { method: "DELETE", path: `/v1/webhook_endpoints/${id}` });
  },
  async endpoint_added(scene, user) {
    await addEndpoint(scene, user, true);
  },
  filter_changed: (scene, user) => patchOne(scene, user, { events: anyFilter(scene.world.random) }),
  url_changed: (scene, user) =>
    patchOne(scene, user, { url: urlOf(scene.world.random.between(1, 7)) }),
  async secret_rotated(scene, user) {
    const id = anyEndpoint(scene, user);
    if (id === undefined) return;
    const path = `/v1/webhook_endpoints/${id}/rotate`;
    const wanted = scene.world.random.pick([
      {},
      { body: { overlap: true } },
      { body: { overlap: false } },
    ]);
    const { answer } = await ask(scene, user, { method: "POST", path, ...wanted });
    if (answer === undefined) scene.world.reached("a new secret was never received");
  },
  async old_secret_outlived(scene, user) {
    const id = anyEndpoint(scene, user);
    if (id === undefined) return;
    const body = { overlap: true };
    await ask(scene, user, { method: "POST", path: `/v1/webhook_endpoints/${id}/rotate`, body });
    await scene.world.pause(scene.world.random.pick([day - 10 * minute, day + 10 * minute]));
    await askRedelivery(scene, user, id);
  },
  async endpoint_tested(scene, user) {
    const id = anyEndpoint(scene, user);
    if (id === undefined) return;
    await ask(scene, user, { method: "POST", path: `/v1/webhook_endpoints/${id}/test` });
  },
  redelivery_asked: (scene, user) => askRedelivery(scene, user, anyEndpoint(scene, user)),
  async recover_asked(scene, user) {
    const id = anyEndpoint(scene, user);
    if (id === undefined) return;
    await askRecover(scene, user, { endpointId: id, body: anySpan(scene) });
  },
  destination_replaced: (scene, user) => putDestination(scene, user),
  destination_changed: (scene, user) =>
    patchDestination(
      scene,
      user,
      scene.world.random.pick([
        { prefix: "other/" },
        { prefix: "" },
        ...compressions.map((compression) => ({ compression })),
      ]),
    ),
  async destination_reformatted(scene, user) {
    for (const compression of compressions) {
      if (scene.world.random.isHit(0.5)) await untilSent(scene);
      await changeFormat(scene, user, compression);
    }
  },
  destination_disabled: (scene, user) => patchDestination(scene, user, { enabled: false }),
  destination_enabled: (scene, user) => patchDestination(scene, user, { enabled: true }),
  async destination_toggled(scene, user) {
    await patchDestination(scene, user, { enabled: false });
    await patchDestination(scene, user, { enabled: true });
  },
  async destination_deleted(scene, user) {
    await ask(scene, user, { method: "DELETE", path: "/v1/s3_destination" });
  },
  async destination_tested(scene, user) {
    await ask(scene, user, { method: "POST", path: "/v1/s3_destination/test" });
  },
  backfill_asked: (scene, user) => askBackfill(scene, user, anySpan(scene)),
  async logs_read(scene, user) {
    const { random } = scene.world;
    const state = random.pick(["", "&state=failed", "&state=pending"]);
    const paths = [`/v1/webhook_deliveries?limit=3${state}`, "/v1/s3_destination/exports?limit=2"];
    await ask(scene, user, { method: "GET", path: random.pick(paths) });
    const seen = ["/v1/webhook_endpoints", "/v1/s3_destination", "/v1/events?limit=5"];
    await ask(scene, user, { method: "GET", path: random.pick(seen) });
  },
} as const satisfies Record<string, (scene: DeliveryScene, user: User) => Promise<void>>;
type DeliveryAction = keyof typeof deliveryActions;
const actions = Object.keys(deliveryActions) as DeliveryAction[];

/**
 * Performs random actions of a user in sequence, with a pause before each. Deletions and
 * disablements are less frequent than other actions.
 */
export async function actOnDeliveries(scene: DeliveryScene, user: User): Promise<void> {
  const { world, workload } = scene;
  const { random, faults } = world;
  for (let left = workload.actions; left > 0; left -= 1) {
    if (random.isHit(0.4)) await untilSent(scene);
    else await world.pause(random.pick(pausesMs));
    const action = random.pick(actions);
    if (/deleted|disabled/.test(action) && !random.isHit(0.4)) continue;
    faults.force("user_acts");
    world.tasks.note(`${user.name}: ${action}`);
    await deliveryActions[action](scene, user);
  }
}

const urlOf = (n: number): string => `https://r${n}.receivers.example.com/hooks`;
const anyFilter = (random: Random): EventType[] | null =>
  random.isHit(0.3) ? null : random.some(runEventTypes, 0.6);

function anyEndpoint({ world, endpoints }: DeliveryScene, { accountId }: User): string | undefined {
  const known = endpoints.get(accountId) ?? [];
  return known.length === 0 ? undefined : world.random.pick(known);
}

/**
 * Registers an endpoint, and returns its ID. If no response contains the ID, searches the list of
 * endpoints for the URL. Returns undefined if the endpoint was refused or not found.
 * @param isEnabled true to register most endpoints as enabled; false to enable none
 */
export async function addEndpoint(
  scene: DeliveryScene,
  user: User,
  isEnabled: boolean,
): Promise<string | undefined> {
  const { world, endpoints } = scene;
  const known = endpoints.get(user.accountId) ?? [];
  endpoints.set(user.accountId, known);
  const url = urlOf(known.length + 1);
  const events = world.random.isHit(0.5) ? null : anyFilter(world.random);
  const body = { url, events, enabled: isEnabled && world.random.isHit(0.9) };
  const request = { method: "POST", path: "/v1/webhook_endpoints", body } as const;
  const { answer } = await askUntilAnswered(scene, user, request);
  const id = answer?.body?.["id"] ?? (await listedWith(scene, user, url));
  if (typeof id !== "string") return undefined;
  if (!known.includes(id)) known.push(id);
  return id;
}

async function listedWith(
  scene: DeliveryScene,
  user: User,
  url: string,
): Promise<string | undefined> {
  const request = { method: "GET", path: "/v1/webhook_endpoints" } as const;
  const { answer } = await askUntilAnswered(scene, user, request);
  const all = (answer?.body?.["data"] ?? []) as readonly { id: string; url: string }[];
  const found = all.find((one) => one.url === url);
  if (found !== undefined) scene.world.reached("an endpoint was created without a response");
  return found?.id;
}

interface Patch {
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const patch = (scene: DeliveryScene, user: User, { id, body }: Patch): Promise<RecordedCall> =>
  ask(scene, user, { method: "PATCH", path: `/v1/webhook_endpoints/${id}`, body });

async function patchOne(
  scene: DeliveryScene,
  user: User,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  const id = anyEndpoint(scene, user);
  if (id !== undefined) await patch(scene, user, { id, body });
}

/**
 * Enables an endpoint. Repeats the call as `askUntilAnswered` does, and ignores its outcome. With
 * faults, the endpoint may stay disabled.
 */
export async function enable(scene: DeliveryScene, user: User, id: string): Promise<void> {
  const path = `/v1/webhook_endpoints/${id}`;
  await askUntilAnswered(scene, user, { method: "PATCH", path, body: { enabled: true } });
}

/**
 * Requests a redelivery of one of the 20 newest deliveries to an endpoint, and records the request.
 * Does nothing if `endpointId` is undefined or if no delivery is listed.
 */
export async function askRedelivery(
  scene: DeliveryScene,
  user: User,
  endpointId: string | undefined,
): Promise<void> {
  const { world, userRequests } = scene;
  if (endpointId === undefined) return;
  const path = `/v1/webhook_endpoints/${endpointId}/deliveries?limit=20`;
  const { answer } = await ask(scene, user, { method: "GET", path });
  const listed = (answer?.body?.["data"] ?? []) as readonly { readonly id: string }[];
  if (listed.length === 0) return;
  const { id: deliveryId } = world.random.pick(listed);
  const requested: RequestedRedelivery = {
    accountId: user.accountId,
    endpointId,
    deliveryId,
    requestedAt: world.tasks.now(),
    answeredAt: Infinity,
    isConfirmed: false,
  };
  userRequests.redeliveries.push(requested);
  const call = await ask(scene, user, {
    method: "POST",
    path: `/v1/webhook_deliveries/${deliveryId}/redeliver`,
  });
  requested.isConfirmed = isDone(call);
  requested.answeredAt = call.answeredAt;
}

interface Span {
  readonly since: string;
  readonly until?: string;
}

function anySpan({ world }: DeliveryScene): Span {
  const { random, tasks } = world;
  const now = tasks.now();
  const first = world.startsAt.getTime();
  const since = random.isHit(0.5) ? first : random.between(first, now - 1);
  const span = { since: new Date(since).toISOString() };
  if (random.isHit(0.7)) return span;
  return { ...span, until: new Date(random.between(since + 1, now)).toISOString() };
}

/** Returns the time span from the start of the seed until now. */
export const wholeSpan = ({ world }: DeliveryScene): Span => ({
  since: world.startsAt.toISOString(),
});

async function askSpan(
  scene: DeliveryScene,
  user: User,
  wanted: { readonly path: string; readonly body: Span; readonly endpointId: string | null },
): Promise<RequestedSpan> {
  const { path, body, endpointId } = wanted;
  const requested: RequestedSpan = {
    accountId: user.accountId,
    endpointId,
    since: body.since,
    until: body.until ?? "",
    requestedAt: scene.world.tasks.now(),
    isConfirmed: false,
  };
  const userRequests =
    endpointId === null ? scene.userRequests.backfills : scene.userRequests.recoveries;
  userRequests.push(requested);
  const call = await ask(scene, user, { method: "POST", path, body });
  if (!isDone(call)) return requested;
  requested.since = String(call.answer?.body?.["since"]);
  requested.until = String(call.answer?.body?.["until"]);
  requested.isConfirmed = true;
  return requested;
}

/**
 * Requests a recovery of the events that an endpoint missed in a time span, and records the
 * request.
 */
export async function askRecover(
  scene: DeliveryScene,
  user: User,
  { endpointId, body }: { readonly endpointId: string; readonly body: Span },
): Promise<void> {
  const path = `/v1/webhook_endpoints/${endpointId}/recover`;
  await askSpan(scene, user, { path, body, endpointId });
}

/** Requests a backfill of the exports of a time span, and records the request. */
export async function askBackfill(scene: DeliveryScene, user: User, body: Span): Promise<void> {
  await askSpan(scene, user, { path: "/v1/s3_destination/backfill", body, endpointId: null });
}

/** Replaces the user's S3 destination with a destination that has a new bucket. */
export async function putDestination(scene: DeliveryScene, user: User): Promise<void> {
  const { random } = scene.world;
  scene.bucketsMade += 1;
  const secret = `customer-secret-${scene.bucketsMade}-${random.between(1_000, 9_999)}`;
  scene.given.add(secret);
  const body = {
    bucket: `bucket-${scene.bucketsMade}`,
    region: "us-east-1",
    prefix: random.pick(["", "shop/"]),
    access_key_id: "customer",
    secret_access_key: secret,
    compression: random.pick(["gzip", "none"]),
    rows: scene.bucketsMade % 2 === 1,
    snapshot: scene.bucketsMade % 3 === 1 ? "run" : "none",
  };
  await askUntilAnswered(scene, user, { method: "PUT", path: "/v1/s3_destination", body });
}

/** Changes the compression of exports, and then backfills all runs. */
export async function changeFormat(
  scene: DeliveryScene,
  user: User,
  compression: Compression,
): Promise<void> {
  await patchDestination(scene, user, { compression });
  await askBackfill(scene, user, wholeSpan(scene));
}

async function patchDestination(
  scene: DeliveryScene,
  user: User,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  await ask(scene, user, { method: "PATCH", path: "/v1/s3_destination", body });
}
