import { prices, type Unit } from "./prices.ts";

/** The number of used units of each priced resource. An absent resource was not used. */
export type Usage = Readonly<Partial<Record<Unit, number>>>;

const entriesOf = (usage: Usage): [Unit, number][] => Object.entries(usage) as [Unit, number][];

/**
 * Returns the price of a usage in US dollars.
 * @param units Only these units count.
 * @default all units
 */
export function dollarsOf(usage: Usage, units?: readonly Unit[]): number {
  return entriesOf(usage)
    .filter(([unit]) => units === undefined || units.includes(unit))
    .reduce((sum, [unit, count]) => sum + count * prices[unit], 0);
}

/** Returns the usage with all quantities multiplied by `factor`. */
export const times = (usage: Usage, factor: number): Usage =>
  Object.fromEntries(entriesOf(usage).map(([unit, count]) => [unit, count * factor]));

/** Returns the total of several usages. */
export function sumOf(usages: readonly Usage[]): Usage {
  const sum: Partial<Record<Unit, number>> = {};
  for (const usage of usages) {
    for (const [unit, count] of entriesOf(usage)) sum[unit] = (sum[unit] ?? 0) + count;
  }
  return sum;
}

export const bytesPerGigabyte = 2 ** 30;

/** Returns the usage of a Lambda function for its billed time and number of invocations. */
export const lambdaUsage = (work: {
  readonly invocations: number;
  readonly milliseconds: number;
  readonly memoryMegabytes: number;
}): Usage => ({
  lambdaRequest: work.invocations,
  lambdaGigabyteSecond: (work.milliseconds / 1_000) * (work.memoryMegabytes / 1_024),
});
