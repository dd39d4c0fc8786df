import type { Assumptions, Work } from "./assumptions.ts";
import { billedMs } from "./assumptions.ts";
import { dollarsOf, lambdaUsage } from "../measure/usage.ts";

/** The mean work of one invocation of a function, with the memory of the function in `prod`. */
export interface FunctionWork extends Work {
  /** The function and the measured work, for example "run-step, sweep". */
  readonly name: string;
  /** The number of measured invocations. */
  readonly invocations: number;
}

/**
 * The compared memory sizes, in megabytes. Lambda assigns one CPU at 1,769 MB. Memory beyond this
 * size shortens no invocation, because Node.js runs the code of a function on one CPU.
 */
const sizes = [256, 512, 1_024, 1_769, 3_008] as const;

const million = 1_000_000;

/**
 * Returns one table row for each kind of work, and one column for each memory size. A cell contains
 * the billed duration of an invocation in milliseconds, and the dollars of a million invocations
 * for Lambda alone. A star marks the size that the function has in `prod`.
 */
export const memoryRows = (
  works: readonly Omit<FunctionWork, "invocations">[],
  assumptions: Assumptions,
): object[] =>
  works.map((work) => ({
    "an invocation": work.name,
    ...Object.fromEntries(
      sizes.map((memoryMegabytes) => [
        `${memoryMegabytes} MB`,
        cellOf({ ...work, memoryMegabytes }, work.memoryMegabytes, assumptions),
      ]),
    ),
  }));

function cellOf(work: Work, configuredMegabytes: number, assumptions: Assumptions): string {
  const milliseconds = billedMs(work, assumptions);
  const { memoryMegabytes } = work;
  const usage = lambdaUsage({ invocations: 1, milliseconds, memoryMegabytes });
  const dollars = dollarsOf(usage) * million;
  const mark = memoryMegabytes === configuredMegabytes ? " *" : "";
  return `${Math.round(milliseconds)} ms $${dollars.toFixed(2)}${mark}`;
}
