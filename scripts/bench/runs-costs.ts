/** What a run asked of the services behind it. */
export interface RunUsage {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly sqsRequests: number;
  /** Time in the handlers, summed over their invocations. */
  readonly handlerMs: number;
}

/** Dollars on demand in us-east-1, from the public price lists. */
const prices = {
  readUnit: 0.125e-6,
  writeUnit: 0.625e-6,
  sqsRequest: 0.4e-6,
  /** Lambda on arm64. */
  gigabyteSecond: 0.000_013_333_4,
} as const;

export interface RunCosts {
  readonly storage: number;
  readonly queues: number;
  readonly compute: number;
  readonly total: number;
}

/** Dollars of a run; `memoryMegabytes` is what the workers are configured with. */
export function costsOf(usage: RunUsage, memoryMegabytes: number): RunCosts {
  const storage = usage.readUnits * prices.readUnit + usage.writeUnits * prices.writeUnit;
  const queues = usage.sqsRequests * prices.sqsRequest;
  const compute = (usage.handlerMs / 1_000) * (memoryMegabytes / 1_024) * prices.gigabyteSecond;
  return { storage, queues, compute, total: storage + queues + compute };
}
