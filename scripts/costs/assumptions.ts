/** Values that cannot be measured on this machine, with the options that set them. */
const inputs = {
  /** The duration of a request to DynamoDB, SQS, S3 or KMS from a Lambda function. */
  awsMs: { option: "aws-ms", value: 6, about: "ms that a request to another AWS service takes" },
  receiverMs: { option: "receiver-ms", value: 200, about: "ms until a webhook receiver responds" },
  /** The factor by which the read times of the specification are multiplied. */
  sourceTimes: {
    option: "source-times",
    value: 1,
    about: "a factor on the specified read times of sources",
  },
  /** The size of the lines START, END and REPORT, which Lambda logs for each invocation. */
  platformLogBytes: {
    option: "platform-log-bytes",
    value: 350,
    about: "bytes of the log lines that Lambda itself writes for an invocation",
  },
  /** Lambda polls each queue with five pollers, and each poll lasts 20 seconds. */
  idleReceivesPerMinute: {
    option: "idle-receives",
    value: 15,
    about: "receives per minute from each empty queue",
  },
} as const;

/** The values that cannot be measured on this machine, by name. */
export type Assumptions = Readonly<Record<keyof typeof inputs, number>>;

const entries = Object.entries(inputs) as [keyof Assumptions, (typeof inputs)[keyof Assumptions]][];

/** The command-line options that set the assumptions, by option name. Each option has a default. */
export const assumptionOptions = Object.fromEntries(
  entries.map(
    ([, { option, value, about }]) =>
      [option, { type: "string", value: "<number>", default: `${value}`, about }] as const,
  ),
);

/** The values of the options in a command line, by name. */
export type Texts = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Parses the options of the assumptions.
 * @throws Error if a value is not a number of 0 or more
 */
export function readAssumptions(texts: Texts): Assumptions {
  const read = entries.map(([name, { option, value }]) => {
    const text = texts[option] ?? value;
    const number = Number(text);
    if (!(Number.isFinite(number) && number >= 0)) {
      throw new Error(`--${option} must be a number of 0 or more (got "${text}").`);
    }
    return [name, number] as const;
  });
  return Object.fromEntries(read) as Assumptions;
}

/** Returns one line of text for each assumption: its option, value and meaning. */
export const assumptionLines = (assumptions: Assumptions): string[] =>
  entries.map(([name, { option, about }]) => `    --${option} ${assumptions[name]}: ${about}`);

/**
 * The read times of sources, from the specification (section "POST /v1/products", rule 7). Each
 * value is the middle of the stated range.
 */
const sourceSpeeds = {
  "retailer_a.pulse": { ids: 10_000, milliseconds: 15_000 },
  "retailer_a.lite": { ids: 2_000, milliseconds: 40_000 },
  "retailer_a.full": { ids: 2_000, milliseconds: 75_000 },
  "retailer_d.standard": { ids: 1_000, milliseconds: 12_500 },
} as const;
/** A scraper with a read time in the specification. */
export type Speed = keyof typeof sourceSpeeds;

const sourceMsMin = 1_000;

/**
 * Returns how long a source takes to read `ids` items, in milliseconds: a time proportional to the
 * number of items, but at least one second, multiplied by `sourceTimes`.
 */
export function sourceMs(scraper: Speed, ids: number, { sourceTimes }: Assumptions): number {
  const speed = sourceSpeeds[scraper];
  return Math.max(sourceMsMin, (ids / speed.ids) * speed.milliseconds) * sourceTimes;
}

/** The memory size at which Lambda assigns one CPU. Below it, the CPU share is proportional. */
const wholeCpuMegabytes = 1_769;

/** The work of an invocation: CPU work, requests to AWS and waits, one after another. */
export interface Work {
  /** CPU time in milliseconds, on a CPU as fast as the CPU of this machine. */
  readonly cpuMs: number;
  /** The number of requests to other AWS services, one after another. */
  readonly awsRequests: number;
  readonly waitsMs: number;
  readonly memoryMegabytes: number;
}

/** Returns the duration that Lambda bills for an invocation, in milliseconds. */
export const billedMs = (
  { cpuMs, awsRequests, waitsMs, memoryMegabytes }: Work,
  { awsMs }: Assumptions,
): number =>
  cpuMs * Math.max(1, wholeCpuMegabytes / memoryMegabytes) + awsRequests * awsMs + waitsMs;
