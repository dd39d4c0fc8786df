import type { Random } from "./faulty-random.ts";

/** Everything that goes wrong, or comes in between. */
export const faultKinds = [
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
  // Sources.
  "source_slow",
  "source_broken",
  // The receiver of events.
  "publish_refused",
  "publish_answer_lost",
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** What users do while a run is in progress. */
export const userActions = [
  "items_removed",
  "items_added",
  "items_swapped",
  "list_deleted",
  "credits_bought",
  "credits_taken",
  "pipeline_patched",
  "status_patched",
  "run_by_hand",
] as const;
export type UserAction = (typeof userActions)[number];

export interface Faults {
  /** One of the kinds, or mostly none. What is drawn has to happen. */
  draw(...kinds: readonly FaultKind[]): FaultKind | undefined;
  count(what: FaultKind | UserAction): void;
  /** From now on nothing goes wrong. */
  stop(): void;
  isStopped(): boolean;
}

/** Faults of calls that a run makes a few of only: drawn so many times as often. */
const rare: ReadonlySet<FaultKind> = new Set([
  "items_unprocessed",
  "index_lags",
  "source_slow",
  "source_broken",
  "publish_refused",
  "publish_answer_lost",
]);
const rareTimes = 4;

/** Each seed has its own few kinds of faults, some often and some rarely. */
export function seededFaults(random: Random, fired: Map<string, number>): Faults {
  const share = random.pick([0.2, 0.5, 0.8]);
  const kinds = new Set<FaultKind>(random.some(faultKinds, share));
  const rate = random.pick([0.01, 0.03, 0.06]);
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
