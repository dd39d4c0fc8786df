/**
 * Runs one worker Lambda in a separate process. It handles one event at a time, so that it measures
 * CPU time and memory of the function alone.
 */
import { subscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";
import type { Context, SQSEvent } from "aws-lambda";
import type { Overrides } from "../../functions/composition/overrides.ts";
import type { QueueHandler } from "../../functions/queue/batch-handler.ts";
import { answersOf } from "./runs-answers.ts";

/** The resources that a worker has used since it last returned these counts. */
export interface WorkerCounts {
  readonly invocations: number;
  /** The user and system CPU time of the process, in milliseconds. */
  readonly cpuMs: number;
  /** The elapsed time of the handler's invocations, in milliseconds. */
  readonly handlerMs: number;
  /** Requests that were sent to services of AWS. */
  readonly requests: number;
  /** Requests that were sent to all other hosts. */
  readonly requestsOutside: number;
  /** The peak memory of the process, including Node.js. */
  readonly peakMegabytes: number;
}

/** A message to the process of a worker. */
export interface WorkerRequest {
  /** A number that the worker's answer repeats. */
  readonly id: number;
  /** The event to handle. If it is absent, the worker only returns its `WorkerCounts`. */
  readonly event?: SQSEvent;
}

const invocationMs = 180_000;
const answersDir = process.env["BENCH_ANSWERS"] ?? "";
const never = (): never => {
  throw new Error(
    "The pipeline of this measurement must read only products, but it read offers. Use the default pipeline.",
  );
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

const { createHandler } = (await import(process.env["BENCH_HANDLER"] ?? "")) as {
  createHandler: (environment: unknown, overrides: Overrides) => QueueHandler;
};
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

function take(): WorkerCounts {
  const { user, system } = process.cpuUsage(cpuBefore);
  const counts = {
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
  return counts;
}

process.on("message", ({ id, event }: WorkerRequest) => {
  void (async () => {
    process.send?.({ id, result: event === undefined ? take() : await invoke(event) });
  })();
});
process.once("disconnect", () => process.exit(0));
process.send?.({ id: 0, result: "ready" });
