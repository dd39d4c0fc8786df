import type { RandomSource, Clock } from "../../base/clock.ts";
import { type Circuit, circuit } from "./circuit.ts";
import type { RateBudget } from "./rate-budget.ts";
import { type RetryTokens, retryTokens } from "./retry-tokens.ts";
import { type Slots, slots } from "./slots.ts";
import { adaptiveSpeed, type Speed } from "./speed.ts";
import { type Turns, turns } from "./turns.ts";

/** The rate limits of a source. */
export interface SourcePace {
  /** Users of the same name share the rate, in all processes. */
  readonly name: string;
  readonly callsPerSecond: number;
  /** Calls that may start at once after a pause; at least 1. */
  readonly burst: number;
  readonly callsAtOnce: number;
  /**
   * True spreads the shared rate of a fast source over several rows. Not for sites that require a pause
   * after each call: the pause applies to all calls, and each row has only its part of the calls.
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
  /** True after the first answer, when kept connections may exist. */
  hasAnswered: boolean;
}

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
    hasAnswered: false,
  };
}

/** Returns the state of the source with a name; the first caller creates it. */
export type SourceStates = (name: string, make: () => SourceState) => SourceState;

/**
 * Creates the states, once for each process, so that all clients of a source count as one caller.
 */
export function sourceStates(): SourceStates {
  const known = new Map<string, SourceState>();
  return (name, make) => {
    const state = known.get(name) ?? make();
    known.set(name, state);
    return state;
  };
}
