/**
 * One worker Lambda in a separate process, which handles one event at a time, so that its CPU time
 * and memory are those of the function alone.
 */
import { subscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";
import type { Context, SQSEvent } from "aws-lambda";
import type { Overrides } from "../../functions/composition/overrides.ts";
import type { QueueHandler } from "../../functions/queue/batch-handler.ts";
import { answersOf } from "./runs-answers.ts";

/** What a worker did since it was last asked. */
export interface WorkerFigures {
  readonly invocations: number;
  /** User and system time of the process. */
  readonly cpuMs: number;
  readonly handlerMs: number;
  /** Requests sent to the services of AWS, and to all other hosts. */
  readonly requests: number;
  readonly requestsOutside: number;
  /** The most memory that the process ever held, Node itself included. */
  readonly peakMegabytes: number;
}

export interface WorkerRequest {
  readonly id: number;
  /** Absent: only return the measurements. */
  readonly event?: SQSEvent;
}

const invocationMs = 180_000;
const answersDir = process.env["BENCH_ANSWERS"] ?? "";
const never = (): never => {
  throw new Error("The default pipeline reads no offers");
};
const overrides: Overrides = {
  allowLoopback: true,
  forcePathStyle: true,
  sources: {
    scraperFor: () => ({
      read: async ({ scraper, ids }) => answersOf(answersDir, scraper.split(".")[1] ?? "", ids),
    }),
    offerScraperFor: never,
    offerCheckerFor: never,
  },
};

const name = process.env["BENCH_WORKER"] ?? "";
const { createHandler } = (await import(
  new URL(`../../functions/${name}/handler.ts`, import.meta.url).href
)) as { createHandler: (environment: unknown, overrides: Overrides) => QueueHandler };
const handler = createHandler(JSON.parse(process.env["BENCH_ENVIRONMENT"] ?? "{}"), overrides);

let invocations = 0;
let handlerMs = 0;
let requests = 0;
let requestsOutside = 0;
let cpuBefore = process.cpuUsage();

subscribe("http.client.request.start", (message) => {
  const { request } = message as { request: ClientRequest };
  if (String(request.getHeader("authorization")).startsWith("AWS4-")) requests += 1;
  else requestsOutside += 1;
});

async function invoke(event: SQSEvent): Promise<unknown> {
  const began = performance.now();
  const context = {
    getRemainingTimeInMillis: () => invocationMs - (performance.now() - began),
  } as Context;
  const result = await handler(event, context);
  invocations += 1;
  handlerMs += performance.now() - began;
  return result;
}

function take(): WorkerFigures {
  const { user, system } = process.cpuUsage(cpuBefore);
  const figures = {
    invocations,
    cpuMs: (user + system) / 1_000,
    handlerMs,
    requests,
    requestsOutside,
    peakMegabytes: process.resourceUsage().maxRSS / 1_024,
  };
  invocations = 0;
  handlerMs = 0;
  requests = 0;
  requestsOutside = 0;
  cpuBefore = process.cpuUsage();
  return figures;
}

process.on("message", ({ id, event }: WorkerRequest) => {
  void (async () => {
    process.send?.({ id, result: event === undefined ? take() : await invoke(event) });
  })();
});
process.once("disconnect", () => process.exit(0));
process.send?.({ id: 0, result: "ready" });
