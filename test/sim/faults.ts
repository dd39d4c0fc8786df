import type { Random } from "./random.ts";

/** All kinds of faults, by family. */
export const faultFamilies = {
  "crash before a call": ["crash_before"],
  "crash after a call": ["crash_after"],
  "lost request": ["request_lost"],
  "lost answer": ["answer_lost"],
  "request hangs": ["request_hangs"],
  throttled: ["throttled"],
  "transaction conflict": ["transaction_conflict", "transaction_in_progress"],
  "partial batch": ["items_unprocessed", "keys_unprocessed", "messages_refused"],
  "stale read": ["read_stale", "index_lags"],
  "short page": ["page_short"],
  "duplicate message": ["message_twice", "message_after_done"],
  "messages out of order": ["message_overtakes"],
  "late message": ["message_late"],
  "message visible during handling": ["message_visible_early"],
  "batch failure": ["batch_lost", "message_dead"],
  "timeout or long pause": ["timed_out", "zombie"],
  "schedule fault": ["tick_twice", "tick_late", "tick_lost"],
  "clock error": ["clock_skewed", "clock_set_back"],
  "receiver failure": [
    "receiver_refuses",
    "receiver_slow",
    "receiver_5xx",
    "receiver_redirects",
    "receiver_resets",
    "receiver_takes_and_resets",
    "receiver_untrusted",
    "receiver_busy",
    "receiver_gone",
  ],
  "source failure": ["source_broken", "source_late", "source_unavailable"],
  "bucket or key failure": [
    "bucket_denied",
    "bucket_absent",
    "bucket_elsewhere",
    "bucket_slow_down",
    "bucket_answer_lost",
    "key_denied",
  ],
  "user action": ["user_acts"],
  "message of another version": ["message_of_other_version"],
} as const;
export type FaultKind = (typeof faultFamilies)[keyof typeof faultFamilies][number];
export const faultKinds: readonly FaultKind[] = Object.values(faultFamilies).flat();

/**
 * The profiles. Each favors some faults. In `contention`, DynamoDB's writes take time and conflict
 * if they overlap.
 */
export const profiles = ["crashes", "queues", "store", "contention"] as const;
export type Profile = (typeof profiles)[number];

const favored: Readonly<Record<Profile, readonly FaultKind[]>> = {
  crashes: ["crash_before", "crash_after", "timed_out", "zombie"],
  queues: [
    "message_twice",
    "message_after_done",
    "message_overtakes",
    "message_late",
    "message_visible_early",
    "batch_lost",
    "message_dead",
    "messages_refused",
    "tick_twice",
    "tick_late",
    "tick_lost",
  ],
  store: [
    "request_lost",
    "answer_lost",
    "request_hangs",
    "throttled",
    "transaction_conflict",
    "transaction_in_progress",
    "items_unprocessed",
    "keys_unprocessed",
    "read_stale",
    "index_lags",
    "page_short",
  ],
  contention: [],
};

/**
 * By profile: the faults that the rules of the profile cause. A seed with this profile therefore
 * injects none of them at random.
 */
const ruled: Readonly<Partial<Record<Profile, readonly FaultKind[]>>> = {
  contention: ["transaction_conflict"],
};

/** A fault that was injected. */
export interface InjectedFault {
  /** The number of the random draw that injected the fault; 0 for a planned fault. */
  readonly draw: number;
  readonly kind: FaultKind;
  /** False if the fault changed no result and no state. */
  hadEffect: boolean;
}

export interface Faults {
  /**
   * Draws a fault of one of the given kinds, and records it. In most cases, draws no fault and
   * returns undefined. The caller must inject the returned fault.
   */
  draw(...kinds: readonly FaultKind[]): FaultKind | undefined;
  /**
   * Records a fault that the caller wants to inject, as the next draw. Returns false if the caller
   * must not inject it: in a seed without random faults (`calm`), while faults are suspended or
   * stopped, and if `only` does not contain this draw.
   */
  force(kind: FaultKind): boolean;
  /** Records a fault that was planned, not drawn. */
  planned(kind: FaultKind): void;
  /** Raises the base rate of all faults to at least `least`, and then multiplies it by `times`. */
  raiseRates(rates: { readonly times: number; readonly least: number }): void;
  /**
   * Marks the last fault of a kind as without effect, and returns it; undefined if there is none.
   */
  hadNoEffect(kind: FaultKind): InjectedFault | undefined;
  /** Stops all faults until `resume`. */
  suspend(): void;
  resume(): void;
  /** Stops all faults permanently, and calls the listeners of `onStop`. */
  stop(): void;
  onStop(listener: () => void): void;
  isStopped(): boolean;
  isSuspended(): boolean;
  readonly fired: readonly InjectedFault[];
}

export interface FaultsOptions {
  readonly profile: Profile;
  /** True to inject no random faults. */
  readonly calm?: boolean;
  /**
   * The numbers of the random draws that may inject a fault. All other draws inject none.
   * @default all draws
   */
  readonly only?: ReadonlySet<number>;
}

/** Faults of calls that are infrequent. The rates of these faults are multiplied by `rareTimes`. */
const rare: ReadonlySet<FaultKind> = new Set([
  "items_unprocessed",
  "keys_unprocessed",
  "messages_refused",
  "index_lags",
  "read_stale",
  "message_twice",
  "message_late",
  "message_visible_early",
  "batch_lost",
  "message_dead",
  "clock_skewed",
  "clock_set_back",
  "source_broken",
  "source_late",
  "source_unavailable",
  "bucket_denied",
  "bucket_absent",
  "bucket_elsewhere",
  "bucket_slow_down",
  "bucket_answer_lost",
  "key_denied",
  "message_of_other_version",
]);
const rareTimes = 4;
/**
 * Faults of calls that occur even less often than the faults of `rare`. The rates of these faults
 * are multiplied by `rarestTimes`.
 */
const rarest: ReadonlySet<FaultKind> = new Set([
  "transaction_in_progress",
  "read_stale",
  "index_lags",
  "page_short",
  "messages_refused",
  "keys_unprocessed",
  "message_overtakes",
  "source_broken",
  "source_unavailable",
  "bucket_denied",
  "bucket_absent",
  "bucket_elsewhere",
  "bucket_slow_down",
  "bucket_answer_lost",
  "key_denied",
]);
const rarestTimes = 40;
/** Faults of schedule ticks. A seed has at most a few ticks. */
const ticks: ReadonlySet<FaultKind> = new Set(["tick_twice", "tick_late", "tick_lost"]);
const ticksTimes = 200;
const favoredTimes = 3;
/** Faults that usually have no effect. Nearly every seed includes them. */
const oftenWithoutEffect: ReadonlySet<FaultKind> = new Set([
  "index_lags",
  "read_stale",
  "page_short",
  "message_visible_early",
  "message_late",
  "message_of_other_version",
]);

const timesOf = (kind: FaultKind): number => {
  if (ticks.has(kind)) return ticksTimes;
  if (rarest.has(kind)) return rarestTimes;
  return rare.has(kind) ? rareTimes : 1;
};

/**
 * Returns the highest probability of a fault per draw. It is below 1, so that retries eventually
 * succeed.
 */
const maxRateOf = (kind: FaultKind): number => (ticks.has(kind) ? 0.85 : 0.6);

/**
 * Creates the faults of a seed: a random subset of the kinds of faults. The kinds that the profile
 * favors are more frequent.
 */
export function seededFaults(
  random: Random,
  { profile, only, calm = false }: FaultsOptions,
): Faults {
  const share = random.pick([0.25, 0.5, 0.8]);
  const favoredKinds = new Set<FaultKind>(favored[profile]);
  const shareOf = (kind: FaultKind): number => {
    if (ticks.has(kind) || oftenWithoutEffect.has(kind)) return 0.9;
    return favoredKinds.has(kind) ? Math.max(share, 0.6) : share;
  };
  const kinds = new Set(faultKinds.filter((kind) => random.isHit(shareOf(kind))));
  for (const kind of ruled[profile] ?? []) kinds.delete(kind);
  let rate = random.pick([0, 0.006, 0.01, 0.02, 0.02, 0.05]);
  const fired: InjectedFault[] = [];
  const listeners: (() => void)[] = [];
  let drawn = 0;
  let [suspended, stopped] = [false, false];
  const isOff = (): boolean => calm || suspended || stopped;
  const rateOf = (kind: FaultKind): number =>
    Math.min(maxRateOf(kind), rate * timesOf(kind) * (favoredKinds.has(kind) ? favoredTimes : 1));
  const inject = (kind: FaultKind): boolean => {
    if (only !== undefined && !only.has(drawn)) return false;
    fired.push({ draw: drawn, kind, hadEffect: true });
    return true;
  };
  return {
    draw(...wanted) {
      const possible = wanted.filter((kind) => kinds.has(kind));
      if (isOff() || possible.length === 0) return undefined;
      drawn += 1;
      const kind = random.pick(possible);
      return random.isHit(rateOf(kind)) && inject(kind) ? kind : undefined;
    },
    force(kind) {
      if (isOff()) return false;
      drawn += 1;
      return inject(kind);
    },
    planned(kind) {
      fired.push({ draw: 0, kind, hadEffect: true });
    },
    hadNoEffect(kind) {
      const last = fired.findLast((one) => one.kind === kind);
      if (last !== undefined) last.hadEffect = false;
      return last;
    },
    raiseRates({ times, least }) {
      rate = Math.max(rate, least) * times;
    },
    suspend() {
      suspended = true;
    },
    resume() {
      suspended = false;
    },
    stop() {
      if (stopped) return;
      stopped = true;
      for (const listener of listeners) listener();
    },
    onStop(listener) {
      listeners.push(listener);
    },
    isStopped: () => stopped,
    isSuspended: () => suspended,
    fired,
  };
}
