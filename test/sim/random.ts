import type { RandomSource } from "../../shared/base/clock.ts";

/** Deterministic random numbers of a seed. */
export interface Random {
  /** In [0, 1). */
  fraction(): number;
  /** An integer, both bounds inclusive. */
  between(low: number, high: number): number;
  /** True with probability `share`. */
  isHit(share: number): boolean;
  pick<T>(values: readonly T[]): T;
  /** Selects each value with probability `share`; keeps their order. */
  some<T>(values: readonly T[], share: number): T[];
  /** Selects about half of the values, never all of them. */
  someNotAll<T>(values: readonly T[]): T[];
}

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
      if (value === undefined) throw new Error("Cannot pick from an empty list");
      return value;
    },
    some,
    someNotAll(values) {
      const left = between(0, values.length - 1);
      return some(values, 0.5).filter((value) => value !== values[left]);
    },
  };
}

/** The service's random source, driven by a seed. */
export const randomSourceOf = (random: Random): RandomSource => ({
  bytes: (length) => Uint8Array.from({ length }, () => random.between(0, 255)),
  fraction: () => random.fraction(),
});
