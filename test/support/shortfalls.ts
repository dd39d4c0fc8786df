/** A step that the balance or a credit limit did not cover, as the `error` of a run reports it. */
export interface ReportedShortfall {
  readonly step: string;
  readonly needed: number;
  readonly items: number;
  /** The balance; if `limit` is defined, the credits that this limit left. */
  readonly balance: number;
  /**
   * The owner and the name of the limit that did not cover the step; undefined if the balance was
   * too low.
   */
  readonly limit: string | undefined;
}

const sentence =
  /Step '([\w-]+)' needed (\d+) credits? for (\d+) items?, but (?:the balance was|the (\w+)'s (\w+) left) (-?\d+) credits?\./g;

/**
 * Parses the shortfalls in the `error` of a run, in order. Returns null if there is no error, or if
 * the error has another cause.
 */
export function shortfallsIn(error: unknown): readonly ReportedShortfall[] | null {
  if (typeof error !== "string") return null;
  const reported = [...error.matchAll(sentence)].map(
    ([, step = "", needed, items, owner, limit, credits]) => ({
      step,
      needed: Number(needed),
      items: Number(items),
      balance: Number(credits),
      limit: limit === undefined ? undefined : `${owner} ${limit}`,
    }),
  );
  return reported.length === 0 ? null : reported;
}
