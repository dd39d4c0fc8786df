import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { limits } from "../../shared/base/limits.ts";
import type { ValuesOf } from "../../tools/command-line/command-line.ts";
import { progressOf } from "../../tools/command-line/progress.ts";
import { printTable } from "../measure/print-table.ts";
import { createBenchTable, withBenchDynamo } from "./bench-dynamo.ts";
import { nonNegativeNumber, positiveInteger } from "./bench-options.ts";
import { type EndpointMetrics, measureEndpoint } from "./endpoint/measure.ts";

const { default: usual, max } = limits.webhookRequestsAtOnce;

export const endpointOptions = {
  "at-once": {
    type: "string",
    value: "<n,n,…>",
    default: `${usual},25,100,${max}`,
    about: "the concurrent requests that the endpoint receives (set-endpoint-requests)",
  },
  "answer-ms": {
    type: "string",
    value: "<n>",
    default: "200",
    about: "the time that the receiver takes to respond",
  },
  runs: {
    type: "string",
    value: "<n>",
    default: "400",
    about: "the runs whose events are pending",
  },
  events: { type: "string", value: "<n>", default: "10", about: "the events of each run" },
  seed: { type: "string", value: "<n>", default: "1", about: "the seed of the latencies" },
} as const;

/**
 * Measures how fast the service sends all pending events of a busy webhook endpoint, with simulated
 * limits of DynamoDB.
 * @returns In `endpoint`, one table row for each value of the option `at-once`.
 * @throws Error if an option is invalid, or if the receiver did not get every event.
 */
export async function benchEndpoint(
  values: ValuesOf<typeof endpointOptions>,
): Promise<Record<string, unknown>> {
  const settings = values["at-once"].split(",").map((text) => positiveInteger("at-once", text));
  const load = {
    answerMs: nonNegativeNumber("answer-ms", values["answer-ms"]),
    runs: positiveInteger("runs", values.runs),
    events: positiveInteger("events", values.events),
    seed: nonNegativeNumber("seed", values.seed),
  };
  return withBenchDynamo(async (engine) => {
    const table = await createBenchTable(new DynamoDBClient({}), "deliveries");
    const endpoint: EndpointMetrics[] = [];
    const progress = progressOf(settings.length);
    for (const requestsAtOnce of settings) {
      progress.begin(`${requestsAtOnce} concurrent requests`);
      endpoint.push(
        await measureEndpoint({ ...load, requestsAtOnce }, { endpoint: engine, table }),
      );
    }
    return { endpoint };
  });
}

/** Prints the result of `benchEndpoint` to stdout as a table. */
export function printEndpoint({ endpoint }: Record<string, unknown>): void {
  printTable("one endpoint", endpoint as readonly object[]);
}
