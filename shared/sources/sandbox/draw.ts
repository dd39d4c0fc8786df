/**
 * Returns a pseudorandom number in [0, 1). It depends only on the item, the name of the draw
 * (`what`), the period, and the index of the offer in its listing.
 */
export type Draw = (what: string, period?: number, index?: number) => number;

/** The values that identify an item of the sandbox. */
export interface DrawSeed {
  readonly seed: string;
  readonly marketplace: string;
  readonly id: string;
}

const prime = 0x01000193;

const hashText = (start: number, text: string): number => {
  let hash = start;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), prime);
  return hash;
};

/**
 * Creates the pseudorandom function of one item: equal arguments always result in the same number
 * in [0, 1). The number is an FNV-1a hash of the item and the arguments, mixed so that similar IDs
 * produce unrelated numbers.
 */
export function drawsOf({ seed, marketplace, id }: DrawSeed): Draw {
  const start = hashText(0x811c9dc5, `${seed}|${marketplace}|${id}|`);
  return (what, period = 0, index = 0) => {
    let hash = hashText(start, what);
    if (period !== 0) hash = Math.imul(mix(hash) ^ period, prime);
    if (index !== 0) hash = Math.imul(mix(hash) ^ index, prime);
    return (mix(hash) >>> 0) / 2 ** 32;
  };
}

/** Mixes the bits of a 32-bit hash, so that similar hashes produce unrelated numbers. */
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/**
 * Returns one of the values.
 * @param fraction a number from 0 (inclusive) to 1 (exclusive) that selects the position
 * @throws Error if the array is empty
 */
export function pick<Value>(values: readonly Value[], fraction: number): Value {
  const value = values[Math.floor(fraction * values.length)];
  if (value === undefined) throw new Error("pick: the array is empty. Pass at least one value.");
  return value;
}

/**
 * Returns a value from a table of `[share, value]`, selected by a number in [0, 1). The shares must
 * add up to 1.
 * @throws Error if the table is empty
 */
export function pickWeighted<Value>(
  table: readonly (readonly [share: number, value: Value])[],
  fraction: number,
): Value {
  let left = fraction;
  for (const [share, value] of table) {
    left -= share;
    if (left < 0) return value;
  }
  const last = table.at(-1);
  if (last === undefined)
    throw new Error("pickWeighted: the table is empty. Pass at least one row.");
  return last[1];
}

export const hourMs = 60 * 60 * 1_000;

/**
 * Divides the time since 1970-01-01 UTC into periods of `periodMs` milliseconds, and returns the
 * number of the period that contains `at`.
 * @param phase fraction of a period, in [0, 1), by which every period starts earlier
 */
export const periodOf = (at: Date, periodMs: number, phase: number): number =>
  Math.floor(at.getTime() / periodMs + phase);

/** Rounds an amount of money to two decimals. */
export const cents = (amount: number): number => Math.round(amount * 100) / 100;
