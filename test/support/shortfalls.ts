/** A step that the balance did not cover, as the `error` of a run reports it. */
export interface ReportedShortfall {
  readonly step: string;
  readonly needed: number;
  readonly items: number;
  readonly balance: number;
}

const sentence =
  /Step '([\w-]+)' needed (\d+) credits? for (\d+) items?, but the balance was (\d+) credits?\./g;

/**
 * Parses the shortfalls in the `error` of a run, in order. Returns null if there is no error, or if
 * the error has another cause.
 */
export function shortfallsIn(error: unknown): readonly ReportedShortfall[] | null {
  if (typeof error !== "string") return null;
  const reported = [...error.matchAll(sentence)].map(([, step = "", needed, items, balance]) => ({
    step,
    needed: Number(needed),
    items: Number(items),
    balance: Number(balance),
  }));
  return reported.length === 0 ? null : reported;
}
