/** What the gate measures, by name. */
export interface GateValues {
  /** Requests and units, which must be equal. */
  readonly counts: Readonly<Record<string, number>>;
  /** CPU time divided by that of a floor in the same run, which may vary. */
  readonly ratios: Readonly<Record<string, number>>;
}

/** A value that is outside its limit, or that only one side has. */
export interface GateDifference {
  readonly name: string;
  /** The value in the committed file; `none` for a new name. */
  readonly committed: number | "none";
  /** The value of this run; `none` for a name that is no longer measured. */
  readonly measured: number | "none";
  readonly allowed: string;
}

/** How many times the committed ratio a measured ratio may be. */
export const ratioRoom = 1.25;

/**
 * Compares measured values with the committed ones. A count must be equal. A ratio may be up to
 * `ratioRoom` times the committed one, or lower.
 */
export function gateDifferences(committed: GateValues, measured: GateValues): GateDifference[] {
  return [
    ...differences(committed.counts, measured.counts, {
      allowed: (value) => `exactly ${value}`,
      isAllowed: (value, limit) => value === limit,
    }),
    ...differences(committed.ratios, measured.ratios, {
      allowed: (value) => `at most ${(value * ratioRoom).toFixed(2)}`,
      isAllowed: (value, limit) => value <= limit * ratioRoom,
    }),
  ];
}

function differences(
  committed: Readonly<Record<string, number>>,
  measured: Readonly<Record<string, number>>,
  limit: {
    readonly allowed: (committed: number) => string;
    readonly isAllowed: (measured: number, committed: number) => boolean;
  },
): GateDifference[] {
  const names = [...new Set([...Object.keys(committed), ...Object.keys(measured)])];
  return names.flatMap((name): GateDifference[] => {
    const [before, now] = [committed[name], measured[name]];
    if (before === undefined)
      return [{ name, committed: "none", measured: now ?? "none", allowed: "none" }];
    const allowed = limit.allowed(before);
    if (now === undefined) return [{ name, committed: before, measured: "none", allowed }];
    return limit.isAllowed(now, before)
      ? []
      : [{ name, committed: before, measured: now, allowed }];
  });
}
