import type { Faults } from "./faulty-kinds.ts";
import type { Random } from "./faulty-random.ts";

/** Everything that goes wrong on the way of events to receivers and buckets. */
export const deliveryFaultKinds = [
  // Messages.
  "message_duplicated",
  "message_repeated_after_done",
  "message_lost",
  "message_delayed",
  "send_refused",
  "send_accepted_partly",
  // Processes.
  "died_before_call",
  "died_after_call",
  "paused",
  // DynamoDB.
  "throttled",
  "answer_lost",
  "sent_twice",
  "transaction_conflict",
  "items_unprocessed",
  "index_lags",
  // The store of event bodies.
  "bodies_refused",
  "bodies_answer_lost",
  // Customers' buckets.
  "bucket_fails",
  "bucket_answer_lost",
] as const;

/** What receivers do by themselves, whatever faults a seed has. */
export const receiverDeeds = [
  "receiver_fails",
  "receiver_is_gone",
  "receiver_is_busy",
  "receiver_is_slow",
  "receiver_times_out",
] as const;

/** What users do while events are on their way. */
export const deliveryUserActions = [
  "endpoint_disabled",
  "endpoint_enabled",
  "endpoint_toggled",
  "endpoint_deleted",
  "filter_changed",
  "secret_rotated",
  "redelivery_asked",
  "recover_asked",
  "destination_replaced",
  "destination_disabled",
  "destination_enabled",
  "destination_toggled",
  "destination_deleted",
  "backfill_asked",
] as const;
export type DeliveryUserAction = (typeof deliveryUserActions)[number];

export interface DeliveryFaults extends Faults {
  draw<Kind extends string>(...kinds: readonly Kind[]): Kind | undefined;
  count(what: string): void;
}

/** Faults of calls that are few: drawn so many times as often. */
const rare: ReadonlySet<string> = new Set([
  "items_unprocessed",
  "index_lags",
  "bodies_refused",
  "bodies_answer_lost",
  "bucket_fails",
  "bucket_answer_lost",
]);
const rareTimes = 4;

/** Each seed has its own few kinds of faults, some often and some rarely. */
export function seededDeliveryFaults(random: Random, fired: Map<string, number>): DeliveryFaults {
  const share = random.pick([0.2, 0.5, 0.8]);
  const kinds = new Set<string>(random.some(deliveryFaultKinds, share));
  const rate = random.pick([0.005, 0.02, 0.05]);
  let stopped = false;
  const count = (what: string): void => void fired.set(what, (fired.get(what) ?? 0) + 1);
  return {
    draw(...wanted) {
      const possible = wanted.filter((kind) => kinds.has(kind));
      if (stopped || possible.length === 0) return undefined;
      const kind = random.pick(possible);
      if (!random.isHit(rare.has(kind) ? rate * rareTimes : rate)) return undefined;
      count(kind);
      return kind;
    },
    count,
    stop() {
      stopped = true;
    },
    isStopped: () => stopped,
  };
}
