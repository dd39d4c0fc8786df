/**
 * The values that the gate of the benchmarks measures, by name. The gate compares them with the
 * values in a committed file.
 */
export interface GateValues {
  /** Numbers of requests and of capacity units. A measured count must equal the committed count. */
  readonly counts: Readonly<Record<string, number>>;
  /**
   * The CPU time of the service, divided by the CPU time of a loop that does only the necessary
   * work in the same run. Ratios vary between runs.
   */
  readonly ratios: Readonly<Record<string, number>>;
}

/** A value that is outside its limit, or that only the committed file or only this run has. */
export interface GateDifference {
  readonly name: string;
  /** The value in the committed file; `none` for a new name. */
  readonly committed: number | "none";
  /** The value of this run; `none` for a name that is no longer measured. */
  readonly measured: number | "none";
  readonly allowed: string;
}

/**
 * A measured ratio may be up to this multiple of the committed ratio, because ratios vary with the
 * load of the machine.
 */
export const ratioFactorMax = 1.25;

/**
 * Returns the measured values that are outside their limits, and the values that only one of the
 * arguments contains. A count must equal the committed count. A ratio may be at most
 * `ratioFactorMax` times the committed ratio.
 */
export function gateDifferences(committed: GateValues, measured: GateValues): GateDifference[] {
  return [
    ...differences(committed.counts, measured.counts, {
      allowed: (value) => `exactly ${value}`,
      isAllowed: (value, limit) => value === limit,
    }),
    ...differences(committed.ratios, measured.ratios, {
      allowed: (value) => `at most ${(value * ratioFactorMax).toFixed(2)}`,
      isAllowed: (value, limit) => value <= limit * ratioFactorMax,
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
