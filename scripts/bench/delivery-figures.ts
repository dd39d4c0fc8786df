import { limits } from "../../shared/base/limits.ts";
import { type DeliveryTask, runsOf, type Spent } from "./delivery-task.ts";
import { median } from "./median.ts";
import { printTable } from "../measure/print-table.ts";

export type Case = Pick<DeliveryTask, "to" | "runs" | "items" | "parallel">;

export interface Requests {
  readonly dynamo: number;
  readonly s3: number;
  readonly sqs: number;
}

/**
 * The measurements of one round: publishing, delivering, and the bare loop that runs after them.
 */
export interface Round {
  readonly publish: Spent;
  readonly deliver: Spent;
  readonly bare: Spent;
  readonly publishRequests: Requests;
  readonly deliverRequests: Requests;
}

/**
 * Returns the number of events of a case. Each run has one part for each 500 of its items, and one
 * completed event.
 */
export const eventsIn = ({ runs, items }: Case): number =>
  runs * (Math.ceil(items / limits.itemEventsMax) + 1);

const megabytesIn = (one: Case): number =>
  runsOf({ ...one, work: "bare", round: 0 })
    .flatMap(({ events }) => events)
    .reduce((sum, { body }) => sum + Buffer.byteLength(body) + 1, 0) / 1e6;

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

const sumOf = (one: Spent, other: Spent): Spent => ({
  wallMs: one.wallMs + other.wallMs,
  cpuMs: one.cpuMs + other.cpuMs,
  dynamoRequests: one.dynamoRequests + other.dynamoRequests,
});

const delivering = ({ deliver }: Round): Spent => deliver;
const withPublishing = ({ publish, deliver }: Round): Spent => sumOf(publish, deliver);

type Measured = readonly (readonly [string, Case, readonly Round[]])[];

/** Returns medians over the rounds. A ratio is calculated in each round, and then its median. */
export function deliveryTables(measured: Measured): Record<string, unknown> {
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
    figures: measured.flatMap(([name, one, rounds]) => {
      const events = eventsIn(one);
      const megabytes = megabytesIn(one);
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
        };
      }),
    ),
  };
}

/** Prints the measurements as tables, with an explanation of their columns. */
export function printDelivery(figures: Record<string, unknown>): void {
  for (const [title, rows] of Object.entries(figures)) printTable(title, rows as readonly object[]);
  process.stdout.write(`
  ratios: the bare loop's time and CPU time to the service's: 1 is as fast, less is slower.
  publish: bodies compressed and archived, feed and outbox written, messages sent.
  deliver: the target claimed, read back, signed, sent, logged; one message to a function.
  bare: the same bytes signed and posted over TLS connections that stay open, by node:https, one after
    the other for one run and four at once for many; for an export, compressed and put by the S3
    client, four at once.
  cpu: user and system time of the process, AWS clients included. The service, the loop and the
    receiver are processes of their own; so is DynamoDB; S3 and SQS are served by the bench.
  megabytes: of event lines, before compression. requests: to each service, the customer's S3 too.
`);
}
