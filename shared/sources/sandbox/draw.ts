/** A number in [0, 1) that depends on the item, the name of the draw and its steps, nothing else. */
export type Draw = (what: string, step?: number, place?: number) => number;

/** What makes two items of the sandbox different. */
export interface Drawn {
  readonly seed: string;
  readonly marketplace: string;
  readonly id: string;
}

const prime = 0x01000193;

const hashed = (start: number, text: string): number => {
  let hash = start;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), prime);
  return hash;
};

/** Draws of one item: FNV-1a over the parts, then mixed so that near ids are far apart. */
export function drawsOf({ seed, marketplace, id }: Drawn): Draw {
  const start = hashed(0x811c9dc5, `${seed}|${marketplace}|${id}|`);
  return (what, step = 0, place = 0) => {
    let hash = hashed(start, what);
    if (step !== 0) hash = Math.imul(mixed(hash) ^ step, prime);
    if (place !== 0) hash = Math.imul(mixed(hash) ^ place, prime);
    return (mixed(hash) >>> 0) / 2 ** 32;
  };
}

function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return mix ^ (mix >>> 16);
}

/** One of the values, by a number in [0, 1). */
export function pick<Value>(values: readonly Value[], drawn: number): Value {
  const value = values[Math.floor(drawn * values.length)];
  if (value === undefined) throw new Error("Nothing to pick from");
  return value;
}

/** A value of a table of `[share, value]`, whose shares add up to one. */
export function weighted<Value>(
  table: readonly (readonly [share: number, value: Value])[],
  drawn: number,
): Value {
  let left = drawn;
  for (const [share, value] of table) {
    left -= share;
    if (left < 0) return value;
  }
  const last = table.at(-1);
  if (last === undefined) throw new Error("Nothing to pick from");
  return last[1];
}

export const hourMs = 60 * 60 * 1_000;

/** Which step of its own rhythm something is in: `phase` in [0, 1) shifts where steps begin. */
export const stepOf = (at: Date, stepMs: number, phase: number): number =>
  Math.floor(at.getTime() / stepMs + phase);

export const cents = (amount: number): number => Math.round(amount * 100) / 100;
