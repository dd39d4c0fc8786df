import { parseArgs } from "node:util";

/** What no measurement on this machine can tell: each with the option that says otherwise. */
const inputs = {
  /** How long a request to DynamoDB, SQS, S3 or KMS takes from within a Lambda function. */
  awsMs: { option: "aws-ms", value: 6, says: "ms for a request to another service of AWS" },
  receiverMs: { option: "receiver-ms", value: 200, says: "ms until a webhook receiver answers" },
  /** Of what the specification says about its speed. */
  sourceTimes: { option: "source-times", value: 1, says: "times as slow as specified is a source" },
  /** Its start, end and report. */
  platformLogBytes: {
    option: "platform-log-bytes",
    value: 350,
    says: "bytes that Lambda itself logs of an invocation",
  },
  /** Lambda asks with five pollers, 20 seconds each. */
  idleReceivesPerMinute: {
    option: "idle-receives",
    value: 15,
    says: "receives a minute from each queue that is empty",
  },
} as const;

export type Assumptions = Readonly<Record<keyof typeof inputs, number>>;

const entries = Object.entries(inputs) as [keyof Assumptions, (typeof inputs)[keyof Assumptions]][];

/** @throws Error for an option that there is not, or that is no number from 0 on */
export function readAssumptions(args: readonly string[]): Assumptions {
  const options = Object.fromEntries(
    entries.map(
      ([, { option, value }]) => [option, { type: "string", default: `${value}` }] as const,
    ),
  );
  const { values } = parseArgs({ args: [...args], options });
  const read = entries.map(([name, { option }]) => {
    const number = Number(values[option]);
    if (!(Number.isFinite(number) && number >= 0)) throw new Error(`--${option} takes a number`);
    return [name, number] as const;
  });
  return Object.fromEntries(read) as Assumptions;
}

/** What is assumed, for people. */
export const assumptionLines = (assumptions: Assumptions): string[] =>
  entries.map(([name, { option, says }]) => `    --${option} ${assumptions[name]}: ${says}`);

/**
 * How long a source takes (specification, section "POST /v1/products", rule 7): the middle of what it
 * says for so many ids, less ids in proportion, but a second at least.
 */
const sourceSpeeds = {
  "retailer_a.pulse": { ids: 10_000, milliseconds: 15_000 },
  "retailer_a.lite": { ids: 2_000, milliseconds: 40_000 },
  "retailer_a.full": { ids: 2_000, milliseconds: 75_000 },
  "retailer_d.standard": { ids: 1_000, milliseconds: 12_500 },
} as const;
export type Speed = keyof typeof sourceSpeeds;

const sourceMsMin = 1_000;

export function sourceMs(scraper: Speed, ids: number, { sourceTimes }: Assumptions): number {
  const speed = sourceSpeeds[scraper];
  return Math.max(sourceMsMin, (ids / speed.ids) * speed.milliseconds) * sourceTimes;
}

/** Lambda gives a function one whole CPU from this memory on, and less in proportion below it. */
const wholeCpuMegabytes = 1_769;

/** What an invocation is busy with, one after the other. */
export interface Work {
  /** On a whole CPU like one of this machine's. */
  readonly cpuMs: number;
  readonly awsRequests: number;
  readonly waitsMs: number;
  readonly memoryMegabytes: number;
}

/** How long a function is billed for a work. */
export const billedMs = (
  { cpuMs, awsRequests, waitsMs, memoryMegabytes }: Work,
  { awsMs }: Assumptions,
): number =>
  cpuMs * Math.max(1, wholeCpuMegabytes / memoryMegabytes) + awsRequests * awsMs + waitsMs;
