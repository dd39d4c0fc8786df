import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createBenchTable, withBenchDynamo } from "./bench-dynamo.ts";
import { nonNegativeNumber } from "./bench-options.ts";
import { type KeyCase, type KeyMetrics, measureKey } from "./key/measure.ts";
import { printTable } from "../measure/print-table.ts";
import type { ValuesOf } from "../../tools/command-line/command-line.ts";
import { progressOf } from "../../tools/command-line/progress.ts";

export const keyOptions = {
  attempts: {
    type: "string",
    value: "<n,n,…>",
    default: "45,100,333,1000,2000,3000",
    about: "the number of calls of one key per second",
  },
  environments: {
    type: "string",
    value: "<n>",
    about:
      "the Lambda environments that receive them (default: 100 up to 333 attempts a second, 250 above)",
  },
  seconds: {
    type: "string",
    value: "<n>",
    default: "30",
    about: "the measured virtual time, after 5 s of warm-up",
  },
  "skew-ms": {
    type: "string",
    value: "<n>",
    default: "0",
    about: "the largest difference between an environment's clock and the true time",
  },
  seed: {
    type: "string",
    value: "<n>",
    default: "1",
    about: "the seed of the latencies and arrivals",
  },
} as const;
type KeyValues = ValuesOf<typeof keyOptions>;

/**
 * Measures the rate limit of one API key under load, with simulated latency and limits of DynamoDB.
 * Prints each measurement to stderr as JSON.
 * @returns An object whose property `key` is the array of all measurements.
 */
export async function benchKey(values: KeyValues): Promise<Record<string, unknown>> {
  const cases = casesFrom(values);
  return withBenchDynamo(async (endpoint) => {
    const table = await createBenchTable(new DynamoDBClient({}), "accounts");
    const key: KeyMetrics[] = [];
    const progress = progressOf(cases.length);
    for (const wanted of cases) {
      progress.begin(`${wanted.attempts} attempts per second`);
      key.push(await measureKey(wanted, { endpoint, table }));
      process.stderr.write(`${JSON.stringify(key.at(-1))}\n`);
    }
    return { key };
  });
}

/** Prints the result of `benchKey` to stdout as a table. */
export function printKey({ key }: Record<string, unknown>): void {
  printTable("one key, values per second", key as readonly object[]);
}

function casesFrom({ environments, ...values }: KeyValues): KeyCase[] {
  return values.attempts.split(",").map((text) => {
    const attempts = nonNegativeNumber("attempts", text);
    return {
      attempts,
      environments:
        environments === undefined
          ? environmentsFor(attempts)
          : nonNegativeNumber("environments", environments),
      seconds: nonNegativeNumber("seconds", values.seconds),
      skewMs: nonNegativeNumber("skew-ms", values["skew-ms"]),
      seed: nonNegativeNumber("seed", values.seed),
    };
  });
}

const environmentsFor = (attempts: number): number => (attempts <= 333 ? 100 : 250);
