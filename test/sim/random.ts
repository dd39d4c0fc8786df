import type { RandomSource } from "../../shared/base/clock.ts";

/** The deterministic random numbers of a seed. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  fraction(): number;
  /** Returns an integer from `low` to `high`, both inclusive. */
  between(low: number, high: number): number;
  /** Returns true with the probability `share`. */
  isHit(share: number): boolean;
  /**
   * Returns a random value of the list.
   * @throws Error if the list is empty
   */
  pick<T>(values: readonly T[]): T;
  /** Returns each value with the probability `share`. The values keep their order. */
  some<T>(values: readonly T[], share: number): T[];
  /** Returns about half of the values, but never all of them. */
  someNotAll<T>(values: readonly T[]): T[];
}

/** Creates random numbers that depend only on the seed and the purpose. */
export function seededRandom(seed: number, purpose: string): Random {
  let state = Buffer.from(`${seed} ${purpose}`).reduce(
    (hash, byte) => Math.imul(hash ^ byte, 0x01_00_01_93),
    0x81_1c_9d_c5 | 0,
  );
  const fraction = (): number => {
    state = (state + 0x9e_37_79_b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21_f0_aa_ad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x73_5a_2d_97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number =>
    low + Math.floor(fraction() * (high - low + 1));
  const isHit = (share: number): boolean => fraction() < share;
  const some = <T>(values: readonly T[], share: number): T[] => values.filter(() => isHit(share));
  return {
    fraction,
    between,
    isHit,
    pick: (values) => {
      const value = values[between(0, values.length - 1)];
      if (value === undefined)
        throw new Error("The list to pick from must have at least one entry.");
      return value;
    },
    some,
    someNotAll(values) {
      const left = between(0, values.length - 1);
      return some(values, 0.5).filter((value) => value !== values[left]);
    },
  };
}

/** Creates a random source for the service that returns the numbers of `random`. */
export const randomSourceOf = (random: Random): RandomSource => ({
  bytes: (length) => Uint8Array.from({ length }, () => random.between(0, 255)),
  fraction: () => random.fraction(),
});
