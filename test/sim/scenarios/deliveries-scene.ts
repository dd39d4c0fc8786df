import type { RunEvents } from "../../../shared/events/event.ts";
import type { ApiAnswer, ApiRequest } from "../api.ts";
import type { DeliveryHistory } from "../checks/deliveries-history.ts";
import type { User, World } from "../world.ts";
import type { DeliveryWorkload } from "./deliveries-workload.ts";

/** A call of the API and what came back; times in milliseconds of the world's clock. */
export interface HeardAnswer {
  readonly user: User;
  readonly request: Omit<ApiRequest, "key">;
  readonly askedAt: number;
  readonly answeredAt: number;
  /** Undefined when nothing came: nothing is known of what was done. */
  readonly answer: ApiAnswer | undefined;
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

/** Something that a user asked for; `isSure` once it was answered well. */
interface Asked {
  readonly accountId: string;
  readonly askedAt: number;
  isSure: boolean;
}
export interface AskedRedelivery extends Asked {
  readonly endpointId: string;
  readonly deliveryId: string;
  answeredAt: number;
}
export interface AskedSpan extends Asked {
  /** Null for a backfill. */
  readonly endpointId: string | null;
  /** As it was answered. */
  since: string;
  until: string;
}

export interface DeliveryDeeds {
  readonly redeliveries: AskedRedelivery[];
  readonly recoveries: AskedSpan[];
  readonly backfills: AskedSpan[];
}

/** Who takes part, and everything that is remembered of them. */
export interface DeliveryScene {
  readonly world: World;
  readonly workload: DeliveryWorkload;
  readonly users: readonly User[];
  /** Endpoints that their users know of, by account: their ids. */
  readonly endpoints: Map<string, string[]>;
  readonly history: DeliveryHistory;
  readonly runs: Map<string, PublishedRun>;
  readonly deeds: DeliveryDeeds;
  readonly heard: HeardAnswer[];
  /** Secrets of customers that no answer ever shows. */
  readonly given: Set<string>;
  bucketsMade: number;
}

/** A user calls the API. */
export async function ask(
  { world, heard }: DeliveryScene,
  user: User,
  request: Omit<ApiRequest, "key">,
): Promise<HeardAnswer> {
  const askedAt = world.turns.now();
  const answer = await world.call({ ...request, key: user.key });
  const one = { user, request, askedAt, answeredAt: world.turns.now(), answer };
  heard.push(one);
  return one;
}

/** Asks again until an answer says that it was done, or refuses it for good. */
export async function askUntilAnswered(
  scene: DeliveryScene,
  user: User,
  request: Omit<ApiRequest, "key">,
): Promise<HeardAnswer> {
  for (let tries = 1; ; tries += 1) {
    const heard = await ask(scene, user, request);
    const { answer } = heard;
    if (tries === triesMax || (answer !== undefined && answer.status < 500)) return heard;
    await scene.world.pause(scene.world.random.pick([500, 5_000, 60_000]));
  }
}
const triesMax = 4;

export const isDone = ({ answer }: HeardAnswer): boolean =>
  answer !== undefined && answer.status >= 200 && answer.status < 300;

/** Waits for the middle of a delivery, when there is one soon. */
export async function untilSent({ world }: DeliveryScene): Promise<void> {
  const { receivers, random } = world;
  const before = receivers.sent.length;
  for (let left = 40; left > 0 && receivers.sent.length === before; left -= 1) {
    await world.pause(random.pick([20, 200, 5_000]));
  }
}
