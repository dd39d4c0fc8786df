import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createBenchTable, withBenchDynamo } from "./bench-dynamo.ts";
import { number, readOptions } from "./bench-options.ts";
import { type KeyCase, type KeyFigures, measureKey } from "./key/measure.ts";
import { printTable } from "../measure/print-table.ts";
import { progressOf } from "../../tools/command-line/progress.ts";

export const keyUsage = `npm run bench -- key [options]
  --attempts 45,100,333,1000,2000,3000   calls of one key that are attempted in a second
  --environments 250                     Lambda environments that receive them
                                         (by default 100 up to 333 attempts a second, else 250)
  --seconds 30                           measured seconds of virtual time, after 5 s of warm-up
  --skew-ms 0                            clocks of environments differ from the true time by up to so much
  --seed 1                               of the latencies and arrivals
`;

/**
 * Measures the rate limit of one API key under load, in a model of DynamoDB's latency and limits.
 */
export async function benchKey(): Promise<Record<string, unknown>> {
  const cases = readCases();
  return withBenchDynamo(async (endpoint) => {
    const table = await createBenchTable(new DynamoDBClient({}), "accounts");
    const key: KeyFigures[] = [];
    const progress = progressOf(cases.length);
    for (const wanted of cases) {
      progress.begin(`${wanted.attempts} attempts a second`);
      key.push(await measureKey(wanted, { endpoint, table }));
      process.stderr.write(`${JSON.stringify(key.at(-1))}\n`);
    }
    return { key };
  });
}

/** Prints the measurements as a table. */
export function printKey({ key }: Record<string, unknown>): void {
  printTable("one key, figures per second", key as readonly object[]);
}

function readCases(): KeyCase[] {
  const values = readOptions({
    attempts: "45,100,333,1000,2000,3000",
    environments: "",
    seconds: "30",
    "skew-ms": "0",
    seed: "1",
  });
  const { environments } = values;
  return values.attempts.split(",").map((text) => {
    const attempts = number("attempts", text);
    return {
      attempts,
      environments:
        environments === "" ? environmentsFor(attempts) : number("environments", environments),
      seconds: number("seconds", values.seconds),
      skewMs: number("skew-ms", values["skew-ms"]),
      seed: number("seed", values.seed),
    };
  });
}

const environmentsFor = (attempts: number): number => (attempts <= 333 ? 100 : 250);
