import type { RandomSource, Clock } from "../../base/clock.ts";
import { type Circuit, circuit } from "./circuit.ts";
import type { RateBudget } from "./rate-budget.ts";
import { type RetryTokens, retryTokens } from "./retry-tokens.ts";
import { type Slots, slots } from "./slots.ts";
import { adaptiveSpeed, type Speed } from "./speed.ts";
import { type Turns, turns } from "./turns.ts";

/** How often a source may be called, and by whom this is counted. */
export interface SourcePace {
  /** Whoever uses the same name shares the rate, in every process. */
  readonly name: string;
  readonly callsPerSecond: number;
  /** Calls that may start at one moment after a rest; at least 1. */
  readonly burst: number;
  readonly callsAtOnce: number;
  /**
   * True spreads the shared rate of a fast source over several rows. Not for sites that require a pause
   * after each call: the pause applies to all calls, and each row has only its part of the calls.
   * @default false
   */
  readonly isSpread?: boolean;
}

/** What the calls to one source share within this process. */
export interface SourceState {
  readonly slots: Slots;
  readonly turns: Turns;
  readonly speed: Speed;
  readonly circuit: Circuit;
  readonly retryTokens: RetryTokens;
  /** True once there may be connections that are used again. */
  hasAnswered: boolean;
}

export function sourceState(
  { name, callsPerSecond, burst, callsAtOnce, isSpread = false }: SourcePace,
  {
    budget,
    clock,
    chance,
  }: { readonly budget: RateBudget; readonly clock: Clock; readonly chance: RandomSource },
): SourceState {
  const speed = adaptiveSpeed(callsPerSecond);
  return {
    slots: slots(callsAtOnce),
    turns: turns({ source: name, burst, callsPerSecond, speed, budget, clock, chance, isSpread }),
    speed,
    circuit: circuit(),
    retryTokens: retryTokens(),
    hasAnswered: false,
  };
}

/** The state of the source of that name; made by whoever asks for it first. */
export type SourceStates = (name: string, make: () => SourceState) => SourceState;

/** Made once in a process, so that all its clients of a source together are one to that source. */
export function sourceStates(): SourceStates {
  const known = new Map<string, SourceState>();
  return (name, make) => {
    const state = known.get(name) ?? make();
    known.set(name, state);
    return state;
  };
}
