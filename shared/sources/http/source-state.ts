import type { RandomSource, Clock } from "../../base/clock.ts";
import { type Circuit, circuit } from "./circuit.ts";
import type { RateBudget } from "./rate-budget.ts";
import { type RetryTokens, retryTokens } from "./retry-tokens.ts";
import { type Slots, slots } from "./slots.ts";
import { adaptiveSpeed, type Speed } from "./speed.ts";
import { type Turns, turns } from "./turns.ts";

/** The limits of the calls to a source. */
export interface SourcePace {
  /** The source's name. All callers that use the same name share one rate, across all processes. */
  readonly name: string;
  readonly callsPerSecond: number;
  /** The number of calls that may start at the same time after a pause; at least 1. */
  readonly burst: number;
  readonly callsAtOnce: number;
  /**
   * True if the shared rate of a fast source is spread over several table rows. Use false for a
   * site that requires a pause after each call: each row limits only some of the calls, but the
   * pause must apply to all.
   * @default false
   */
  readonly isSpread?: boolean;
}

/** The state that all calls of this process to a source share. */
export interface SourceState {
  readonly slots: Slots;
  readonly turns: Turns;
  readonly speed: Speed;
  readonly circuit: Circuit;
  readonly retryTokens: RetryTokens;
  /**
   * The time until which the source has requested all its callers to wait, in milliseconds since
   * 1970.
   */
  pausedUntil: number;
  /** True after the first response, because idle connections may exist from then on. */
  hasAnswered: boolean;
}

/** Creates the initial state of a source: all slots free, full speed, circuit closed. */
export function sourceState(
  { name, callsPerSecond, burst, callsAtOnce, isSpread = false }: SourcePace,
  {
    budget,
    clock,
    random,
  }: { readonly budget: RateBudget; readonly clock: Clock; readonly random: RandomSource },
): SourceState {
  const speed = adaptiveSpeed(callsPerSecond);
  return {
    slots: slots(callsAtOnce),
    turns: turns({ source: name, burst, callsPerSecond, speed, budget, clock, random, isSpread }),
    speed,
    circuit: circuit(),
    retryTokens: retryTokens(),
    pausedUntil: 0,
    hasAnswered: false,
  };
}

/**
 * Returns the state of the source called `name`. Calls `make` only if the state does not exist yet.
 */
export type SourceStates = (name: string, make: () => SourceState) => SourceState;

/**
 * Creates an empty set of source states. Call this function once in each process, so that all
 * clients of a source share the limits of the source.
 */
export function sourceStates(): SourceStates {
  const known = new Map<string, SourceState>();
  return (name, make) => {
    const state = known.get(name) ?? make();
    known.set(name, state);
    return state;
  };
}
