import { prices, type Unit } from "./prices.ts";

/** How many units of what has a price were used; what is left out was not used. */
export type Usage = Readonly<Partial<Record<Unit, number>>>;

const entriesOf = (usage: Usage): [Unit, number][] => Object.entries(usage) as [Unit, number][];

/** Dollars of what was used; of `units` alone when they are named. */
export function dollarsOf(usage: Usage, units?: readonly Unit[]): number {
  return entriesOf(usage)
    .filter(([unit]) => units === undefined || units.includes(unit))
    .reduce((sum, [unit, count]) => sum + count * prices[unit], 0);
}

/** The same work so many times. */
export const times = (usage: Usage, factor: number): Usage =>
  Object.fromEntries(entriesOf(usage).map(([unit, count]) => [unit, count * factor]));

/** All of it together. */
export function sumOf(usages: readonly Usage[]): Usage {
  const sum: Partial<Record<Unit, number>> = {};
  for (const usage of usages) {
    for (const [unit, count] of entriesOf(usage)) sum[unit] = (sum[unit] ?? 0) + count;
  }
  return sum;
}

export const bytesPerGigabyte = 2 ** 30;

/** Units of a Lambda function that was busy so long, over so many invocations. */
export const lambdaUsage = (work: {
  readonly invocations: number;
  readonly milliseconds: number;
  readonly memoryMegabytes: number;
}): Usage => ({
  lambdaRequest: work.invocations,
  lambdaGigabyteSecond: (work.milliseconds / 1_000) * (work.memoryMegabytes / 1_024),
});
