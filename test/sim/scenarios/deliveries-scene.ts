import type { RunEvents } from "../../../shared/events/event.ts";
import type { ApiAnswer, ApiRequest } from "../api.ts";
import type { DeliveryHistory } from "../checks/deliveries-history.ts";
import type { User, World } from "../world.ts";
import type { DeliveryWorkload } from "./deliveries-workload.ts";

/** An API call and its response. Times are in milliseconds of the virtual clock. */
export interface RecordedCall {
  readonly user: User;
  readonly request: Omit<ApiRequest, "key">;
  readonly requestedAt: number;
  readonly answeredAt: number;
  /** The response; undefined if there was none, so that the outcome is unknown. */
  readonly answer: ApiAnswer | undefined;
}

/**
 * An attempt of the finisher to publish the events of a run. Times are in milliseconds. `endedAt`
 * is null unless the attempt succeeded.
 */
export interface PublishAttempt {
  readonly begunAt: number;
  endedAt: number | null;
}
export interface PublishedRun {
  readonly run: RunEvents;
  readonly publishes: PublishAttempt[];
}

/** A request of a user. `isConfirmed` is true after a response that reports success. */
interface UserRequest {
  readonly accountId: string;
  readonly requestedAt: number;
  isConfirmed: boolean;
}
export interface RequestedRedelivery extends UserRequest {
  readonly endpointId: string;
  readonly deliveryId: string;
  answeredAt: number;
}
export interface RequestedSpan extends UserRequest {
  /** The ID of the endpoint; null for a backfill. */
  readonly endpointId: string | null;
  /** The start of the time span, as the response shows it. */
  since: string;
  until: string;
}

export interface UserRequests {
  readonly redeliveries: RequestedRedelivery[];
  readonly recoveries: RequestedSpan[];
  readonly backfills: RequestedSpan[];
}

/** The state of a seed: its users, and the facts that the checks need. */
export interface DeliveryScene {
  readonly world: World;
  readonly workload: DeliveryWorkload;
  readonly users: readonly User[];
  /** The IDs of the endpoints that users received in responses, by account. */
  readonly endpoints: Map<string, string[]>;
  readonly history: DeliveryHistory;
  readonly runs: Map<string, PublishedRun>;
  readonly userRequests: UserRequests;
  readonly recorded: RecordedCall[];
  /** The secrets that customers supplied. No response may contain them. */
  readonly given: Set<string>;
  bucketsMade: number;
}

/** Calls the API as a user, and records the call and its response. */
export async function ask(
  { world, recorded }: DeliveryScene,
  user: User,
  request: Omit<ApiRequest, "key">,
): Promise<RecordedCall> {
  const requestedAt = world.tasks.now();
  const answer = await world.call({ ...request, key: user.key });
  const one = { user, request, requestedAt, answeredAt: world.tasks.now(), answer };
  recorded.push(one);
  return one;
}

/**
 * Calls the API until a response has a status below 500, at most four times. Returns the last call.
 * Its `answer` is undefined if this call got no response.
 */
export async function askUntilAnswered(
  scene: DeliveryScene,
  user: User,
  request: Omit<ApiRequest, "key">,
): Promise<RecordedCall> {
  for (let tries = 1; ; tries += 1) {
    const call = await ask(scene, user, request);
    const { answer } = call;
    if (tries === triesMax || (answer !== undefined && answer.status < 500)) return call;
    await scene.world.pause(scene.world.random.pick([500, 5_000, 60_000]));
  }
}
const triesMax = 4;

/** Returns true if the call got a response with a status from 200 to 299. */
export const isDone = ({ answer }: RecordedCall): boolean =>
  answer !== undefined && answer.status >= 200 && answer.status < 300;

/**
 * Waits until a process sends a webhook request. Returns without one after at most 200 seconds of
 * virtual time.
 */
export async function untilSent({ world }: DeliveryScene): Promise<void> {
  const { receivers, random } = world;
  const before = receivers.sent.length;
  for (let left = 40; left > 0 && receivers.sent.length === before; left -= 1) {
    await world.pause(random.pick([20, 200, 5_000]));
  }
}
