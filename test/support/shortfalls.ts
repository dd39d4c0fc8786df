/** A step that the credits did not cover, as the `error` of a run tells it. */
export interface ToldShortfall {
  readonly step: string;
  readonly needed: number;
  readonly items: number;
  readonly balance: number;
}

const sentence =
  /Step '([\w-]+)' needed (\d+) credits? for (\d+) items?, but the balance was (\d+) credits?\./g;

/** The shortfalls that an `error` tells, in its order; null for no error, and for one of another kind. */
export function shortfallsIn(error: unknown): readonly ToldShortfall[] | null {
  if (typeof error !== "string") return null;
  const told = [...error.matchAll(sentence)].map(([, step = "", needed, items, balance]) => ({
    step,
    needed: Number(needed),
    items: Number(items),
    balance: Number(balance),
  }));
  return told.length === 0 ? null : told;
}
