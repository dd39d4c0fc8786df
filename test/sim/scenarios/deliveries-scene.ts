import type { RunEvents } from "../../../shared/events/event.ts";
import type { ApiAnswer, ApiRequest } from "../api.ts";
import type { DeliveryHistory } from "../checks/deliveries-history.ts";
import type { User, World } from "../world.ts";
import type { DeliveryWorkload } from "./deliveries-workload.ts";

/** An API call and its response. Times of the virtual clock in milliseconds. */
export interface RecordedCall {
  readonly user: User;
  readonly request: Omit<ApiRequest, "key">;
  readonly requestedAt: number;
  readonly answeredAt: number;
  /** Undefined without a response: the outcome is unknown. */
  readonly answer: ApiAnswer | undefined;
}

/** One publication of a run by its finisher; `endedAt` is null unless it succeeded. Milliseconds. */
export interface PublishAttempt {
  readonly begunAt: number;
  endedAt: number | null;
}
export interface PublishedRun {
  readonly run: RunEvents;
  readonly publishes: PublishAttempt[];
}

/** A user's request; `isConfirmed` after a success response. */
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
  /** Null for a backfill. */
  readonly endpointId: string | null;
  /** The span as the response shows it. */
  since: string;
  until: string;
}

export interface UserRequests {
  readonly redeliveries: RequestedRedelivery[];
  readonly recoveries: RequestedSpan[];
  readonly backfills: RequestedSpan[];
}

/** The state of a seed: its users, and the recorded facts for the checks. */
export interface DeliveryScene {
  readonly world: World;
  readonly workload: DeliveryWorkload;
  readonly users: readonly User[];
  /** IDs of the endpoints that their users know, by account. */
  readonly endpoints: Map<string, string[]>;
  readonly history: DeliveryHistory;
  readonly runs: Map<string, PublishedRun>;
  readonly userRequests: UserRequests;
  readonly recorded: RecordedCall[];
  /** Customers' own secrets, which no response ever shows. */
  readonly given: Set<string>;
  bucketsMade: number;
}

/** Calls the API as a user, and records the response. */
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

/** Calls the API until a response below 500, at most four times. */
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

export const isDone = ({ answer }: RecordedCall): boolean =>
  answer !== undefined && answer.status >= 200 && answer.status < 300;

/** Waits until the next webhook request, for a limited time. */
export async function untilSent({ world }: DeliveryScene): Promise<void> {
  const { receivers, random } = world;
  const before = receivers.sent.length;
  for (let left = 40; left > 0 && receivers.sent.length === before; left -= 1) {
    await world.pause(random.pick([20, 200, 5_000]));
  }
}
