import { dollarsOf, type Usage } from "../measure/usage.ts";

/** What a run asked of the services behind it. */
export interface RunUsage {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly sqsRequests: number;
  /** Time in the handlers, summed over their invocations, each with its function's memory. */
  readonly gigabyteSeconds: number;
}

export interface RunCosts {
  readonly storage: number;
  readonly queues: number;
  readonly compute: number;
  readonly total: number;
}

/** Dollars of a run. */
export function costsOf(run: RunUsage): RunCosts {
  const usage: Usage = {
    dynamoReadUnit: run.readUnits,
    dynamoWriteUnit: run.writeUnits,
    sqsRequest: run.sqsRequests,
    lambdaGigabyteSecond: run.gigabyteSeconds,
  };
  return {
    storage: dollarsOf(usage, ["dynamoReadUnit", "dynamoWriteUnit"]),
    queues: dollarsOf(usage, ["sqsRequest"]),
    compute: dollarsOf(usage, ["lambdaGigabyteSecond"]),
    total: dollarsOf(usage),
  };
}
