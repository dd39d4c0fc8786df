import { ServiceError } from "../../shared/base/errors.ts";
import { type EventType, type RunEvents, runEventTypes } from "../../shared/events/event.ts";
import { changeDestination } from "../../shared/exports/change-destination.ts";
import { deleteDestination } from "../../shared/exports/delete-destination.ts";
import { putDestination } from "../../shared/exports/put-destination.ts";
import { startBackfill } from "../../shared/exports/start-backfill.ts";
import { deleteEndpoint } from "../../shared/webhooks/delete-endpoint.ts";
import type { EndpointPatch } from "../../shared/webhooks/endpoint.ts";
import { startRecovery } from "../../shared/webhooks/recover.ts";
import { redeliver } from "../../shared/webhooks/redeliver.ts";
import { rotateSecret } from "../../shared/webhooks/rotate-secret.ts";
import { updateEndpoint } from "../../shared/webhooks/update-endpoint.ts";
import type { DeliveryUserAction } from "./delivery-faults-kinds.ts";
import type { DeliveryPorts } from "./delivery-faults-processes.ts";
import type { Random } from "./faulty-random.ts";

/** Something that a user asked for; `isSure` once it was answered well. Times in milliseconds. */
interface Asked {
  readonly accountId: string;
  readonly askedAt: number;
  isSure: boolean;
}
export interface AskedRedelivery extends Asked {
  readonly endpointId: string;
  readonly deliveryId: string;
}
export interface AskedSpan extends Asked {
  /** Of the endpoint; null for a backfill. */
  readonly endpointId: string | null;
  readonly since: string;
  readonly until: string;
}

/** True for a run of the span that was published for sure when somebody asked for the span. */
export function wasPublishedWithin(
  {
    run,
    publishes,
  }: {
    readonly run: RunEvents;
    readonly publishes: readonly { readonly endedAt: number | null }[];
  },
  { accountId, since, until, askedAt }: AskedSpan,
): boolean {
  const createdAt = run.events[0]?.createdAt ?? "";
  if (run.accountId !== accountId || createdAt < since || createdAt > until) return false;
  return publishes.some(({ endedAt }) => endedAt !== null && endedAt < askedAt);
}

export interface DeliveryDeeds {
  readonly redeliveries: AskedRedelivery[];
  readonly recoveries: AskedSpan[];
  readonly backfills: AskedSpan[];
}
export const noDeliveryDeeds = (): DeliveryDeeds => ({
  redeliveries: [],
  recoveries: [],
  backfills: [],
});

export interface DeliveryScene {
  readonly accountId: string;
  /** An endpoint of the account. */
  readonly endpointId: string;
  readonly startedAt: Date;
  readonly deeds: DeliveryDeeds;
  readonly random: Random;
  /** A name that no bucket has had. */
  readonly newBucket: () => string;
}

/** One call of a user; rejects as its process does, but not for what the service refuses. */
export async function actOnDelivery(
  action: DeliveryUserAction,
  scene: DeliveryScene,
  ports: DeliveryPorts,
): Promise<void> {
  try {
    await acts[action](scene, ports);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

type Act = (scene: DeliveryScene, ports: DeliveryPorts) => Promise<void>;

const acts: Readonly<Record<DeliveryUserAction, Act>> = {
  endpoint_disabled: (scene, ports) => patchEndpoint({ enabled: false }, scene, ports),
  endpoint_enabled: (scene, ports) => patchEndpoint({ enabled: true }, scene, ports),
  async endpoint_toggled(scene, ports) {
    await patchEndpoint({ enabled: false }, scene, ports);
    await patchEndpoint({ enabled: true }, scene, ports);
  },
  endpoint_deleted: (scene, ports) => deleteEndpoint(scene, ports.clock.now(), ports),
  filter_changed: (scene, ports) =>
    patchEndpoint({ events: anyFilter(scene.random) }, scene, ports),
  async secret_rotated({ accountId, endpointId, random }, ports) {
    const overlap = random.isHit(0.5);
    await rotateSecret({ accountId, endpointId, overlap, now: ports.clock.now() }, ports);
  },
  redelivery_asked: askRedelivery,
  recover_asked: (scene, ports) => askRecover(anySpan(scene, ports), scene, ports),
  async destination_replaced({ accountId, newBucket, random }, ports) {
    const wanted = {
      enabled: true,
      bucket: newBucket(),
      region: "us-east-1",
      endpoint: null,
      prefix: random.pick(["", "shop/"]),
      auth: "access_key" as const,
      access_key_id: "customer",
      secret_access_key: "customer-secret",
      compression: random.pick(["gzip", "none"] as const),
    };
    await putDestination({ accountId, wanted, now: ports.clock.now(), ownHost: null }, ports);
  },
  destination_disabled: (scene, ports) => enableDestination(false, scene, ports),
  destination_enabled: (scene, ports) => enableDestination(true, scene, ports),
  async destination_toggled(scene, ports) {
    await enableDestination(false, scene, ports);
    await enableDestination(true, scene, ports);
  },
  async destination_deleted({ accountId }, ports) {
    await deleteDestination(accountId, ports.clock.now(), ports);
  },
  backfill_asked: (scene, ports) => askBackfill(anySpan(scene, ports), scene, ports),
};

export const anyFilter = (random: Random): EventType[] | null =>
  random.isHit(0.3) ? null : random.some(runEventTypes, 0.6);

async function patchEndpoint(
  wanted: EndpointPatch,
  { accountId, endpointId }: DeliveryScene,
  ports: DeliveryPorts,
): Promise<void> {
  const now = ports.clock.now();
  await updateEndpoint({ accountId, endpointId, wanted, now, ownHost: null }, ports);
}

const enableDestination = async (
  enabled: boolean,
  { accountId }: DeliveryScene,
  ports: DeliveryPorts,
): Promise<void> => {
  const wanted = { enabled };
  await changeDestination({ accountId, wanted, now: ports.clock.now(), ownHost: null }, ports);
};

async function askRedelivery(
  { accountId, endpointId, deeds, random }: DeliveryScene,
  ports: DeliveryPorts,
): Promise<void> {
  const filter = { endpointId };
  const page = await ports.deliveries.list(accountId, { limit: 20, before: null, filter });
  if (page.deliveries.length === 0) return;
  const { id: deliveryId } = random.pick(page.deliveries);
  const now = ports.clock.now();
  const asked: AskedRedelivery = {
    accountId,
    endpointId,
    deliveryId,
    askedAt: now.getTime(),
    isSure: false,
  };
  deeds.redeliveries.push(asked);
  const { requestedAt } = await redeliver({ accountId, deliveryId, now }, ports);
  asked.isSure = requestedAt === now.toISOString();
}

interface Span {
  readonly since: string;
  readonly until: string;
}

function anySpan({ startedAt, random }: DeliveryScene, { clock }: DeliveryPorts): Span {
  const now = clock.now().getTime();
  const start = startedAt.getTime();
  const since = random.isHit(0.5) ? start : random.between(start, now - 1);
  const until = random.isHit(0.7) ? now : random.between(since + 1, now);
  return { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
}

export async function askRecover(
  span: Span,
  { accountId, endpointId, deeds }: DeliveryScene,
  ports: DeliveryPorts,
): Promise<void> {
  const now = ports.clock.now();
  const asked = { accountId, endpointId, ...span, askedAt: now.getTime(), isSure: false };
  deeds.recoveries.push(asked);
  await startRecovery({ accountId, endpointId, wanted: span, now }, ports);
  asked.isSure = true;
}

export async function askBackfill(
  span: Span,
  { accountId, deeds }: DeliveryScene,
  ports: DeliveryPorts,
): Promise<void> {
  const now = ports.clock.now();
  const asked = { accountId, endpointId: null, ...span, askedAt: now.getTime(), isSure: false };
  deeds.backfills.push(asked);
  await startBackfill({ accountId, wanted: span, now }, ports);
  asked.isSure = true;
}
