import type { Chance } from "../../shared/base/clock.ts";

/** Numbers that follow from a seed alone. */
export interface Random {
  /** In [0, 1). */
  fraction(): number;
  /** A whole number, both ends inclusive. */
  between(low: number, high: number): number;
  /** True as often as `share` says. */
  isHit(share: number): boolean;
  pick<T>(values: readonly T[]): T;
  /** Some of the values, in their order; each with the same share. */
  some<T>(values: readonly T[], share: number): T[];
  /** About half of them, and at least one less than all. */
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
      if (value === undefined) throw new Error("There is nothing to pick from");
      return value;
    },
    some,
    someNotAll(values) {
      const left = between(0, values.length - 1);
      return some(values, 0.5).filter((value) => value !== values[left]);
    },
  };
}

/** The service's chance, from a seed. */
export const seededChance = (random: Random): Chance => ({
  bytes: (length) => Uint8Array.from({ length }, () => random.between(0, 255)),
  fraction: () => random.fraction(),
});
