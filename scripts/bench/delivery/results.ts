import { limits } from "../../../shared/base/limits.ts";
import { type DeliveryTask, runsOf, type Spent } from "./task.ts";
import { median } from "../median.ts";
import { printTable } from "../../measure/print-table.ts";

/** A workload to measure: how many runs of which size, and where their events are sent. */
export type Case = Pick<DeliveryTask, "to" | "runs" | "items" | "parallel">;

/** The numbers of requests by AWS service. */
export interface Requests {
  readonly dynamo: number;
  readonly s3: number;
  readonly sqs: number;
  /** Requests to the customer's bucket. */
  readonly customer: number;
}

/**
 * The CPU time and the requests of the three parts of a round: publishing by the service,
 * delivering by the service, and sending the same bytes in a loop without the service.
 */
export interface Round {
  readonly publish: Spent;
  readonly deliver: Spent;
  readonly bare: Spent;
  readonly publishRequests: Requests;
  readonly deliverRequests: Requests;
}

/**
 * Returns the number of events that the runs of a case send. A run sends one event for every 500
 * changed items, rounded up, and one completed event.
 */
export const eventsIn = ({ runs, items }: Case): number =>
  runs * (Math.ceil(items / limits.itemEventsMax) + 1);

const megabytesIn = async (one: Case): Promise<number> =>
  (await runsOf({ ...one, work: "bare", round: 0 }))
    .flatMap(({ events }) => events)
    .reduce((sum, { body }) => sum + Buffer.byteLength(body) + 1, 0) / 1e6;

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

const sumOf = (one: Spent, other: Spent): Spent => ({
  wallMs: one.wallMs + other.wallMs,
  cpuMs: one.cpuMs + other.cpuMs,
  dynamoRequests: one.dynamoRequests + other.dynamoRequests,
  beganAt: one.beganAt,
});

const delivering = ({ deliver }: Round): Spent => deliver;
const withPublishing = ({ publish, deliver }: Round): Spent => sumOf(publish, deliver);

type Measured = readonly (readonly [string, Case, readonly Round[]])[];

/**
 * Returns the rows of each table of the bench, by the title of the table. Each value is the median
 * of all rounds, and each ratio is the median of the ratios of the rounds.
 * @param measured The measurements of all rounds.
 */
export async function deliveryTables(measured: Measured): Promise<Record<string, unknown>> {
  const megabytesOf = await Promise.all(measured.map(([, one]) => megabytesIn(one)));
  return {
    ratios: measured.map(([name, { to }, rounds]) => {
      const ratio = (figure: "wallMs" | "cpuMs", of: (round: Round) => Spent): number =>
        rounded(median(rounds.map((round) => round.bare[figure] / of(round)[figure])), 2);
      return {
        work: name,
        rate: ratio("wallMs", delivering),
        cpu: ratio("cpuMs", delivering),
        rateWithPublishing: ratio("wallMs", withPublishing),
        cpuWithPublishing: ratio("cpuMs", withPublishing),
        aim: to === "receiver" ? 0.6 : 0.7,
      };
    }),
    "per event": measured.flatMap(([name, one, rounds], n) => {
      const events = eventsIn(one);
      const megabytes = megabytesOf[n] ?? 0;
      return (["publish", "deliver", "bare"] as const).map((part) => {
        const wallMs = median(rounds.map((round) => round[part].wallMs));
        return {
          work: name,
          part,
          eventsPerSecond: Math.round((events / wallMs) * 1_000),
          megabytesPerSecond: rounded((megabytes / wallMs) * 1_000, 1),
          cpuMsPerEvent: rounded(median(rounds.map((round) => round[part].cpuMs)) / events, 3),
        };
      });
    }),
    requests: measured.flatMap(([name, one, rounds]) =>
      (["publishRequests", "deliverRequests"] as const).map((part) => {
        const of = (service: keyof Requests): number =>
          median(rounds.map((round) => round[part][service]));
        return {
          work: name,
          part: part === "publishRequests" ? "publish" : "deliver",
          events: eventsIn(one),
          dynamo: of("dynamo"),
          s3: of("s3"),
          sqs: of("sqs"),
          customer: of("customer"),
        };
      }),
    ),
  };
}

/**
 * Prints the result of `deliveryTables` to stdout as tables, then an explanation of their columns.
 * @param tables the rows of each table, by the title of the table
 */
export function printDelivery(tables: Record<string, unknown>): void {
  for (const [title, rows] of Object.entries(tables)) printTable(title, rows as readonly object[]);
  process.stdout.write(`
  ratios: the time and CPU time of the bare loop, divided by the time and CPU time of the service. At 1 the service is
    as fast as the loop, below 1 it is slower. The gate compares the inverse: service divided by loop.
  publish: compresses and archives the bodies, writes the feed and the outbox, and sends messages.
  deliver: claims the target, then reads, signs, sends and logs the events. One message per function.
  bare: for webhooks, signs the same bytes and posts them with node:https over TLS connections that
    stay open, one at a time for one run and four at a time for many. For an export, compresses the
    bytes and writes them with the S3 client, four at a time.
  cpu: user and system time of the process, including the AWS clients. The service, the loop, the
    receiver and DynamoDB are separate processes. The process of the bench serves S3 and SQS.
  megabytes: of event lines, before compression.
  requests: the requests to each service; customer: those to the customer's bucket.
  one run at a time: an account with an endpoint and a bucket. One run of 2 events ends, is published, delivered and
    exported before the next one ends. Small archives are rows with storedVersions=next, otherwise objects. receivedMs is
    the time from the start of the publication until the receiver has both events, with a new TLS connection for each
    run. The bare loop posts and puts the same bytes over connections that stay open.
`);
}
