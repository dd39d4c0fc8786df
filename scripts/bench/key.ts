import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { openDataFolder } from "../local/data-folder.ts";
import { pointClientsAt } from "../local/aws-environment.ts";
import { startDynamo } from "../local/dynamo-server.ts";
import { createBenchTable } from "./bench-tables.ts";
import { type KeyCase, type KeyFigures, measureKey } from "./key/measure.ts";
import { printTable } from "./print-table.ts";

const usage = `npm run bench -- key [options]
  --attempts 45,100,333,1000,2000,3000   calls of one key that are attempted in a second
  --environments 250                     Lambda environments that receive them
                                         (by default 100 up to 333 attempts a second, else 250)
  --seconds 30                           measured seconds of virtual time, after 5 s of warm-up
  --skew-ms 0                            clocks of environments differ from the true time by up to so much
  --seed 1                               of the latencies and arrivals
`;

/** Measures the rate limit of one key under load, in a model of DynamoDB's latency and limits. */
export async function benchKey(): Promise<Record<string, unknown>> {
  const cases = readCases();
  const dir = mkdtempSync(join(tmpdir(), "bench-"));
  const folder = openDataFolder(dir, false);
  const dynamo = await startDynamo(folder);
  try {
    pointClientsAt({ dynamodb: dynamo.endpoint });
    const table = await createBenchTable(new DynamoDBClient({}), "accounts");
    const key: KeyFigures[] = [];
    for (const wanted of cases) {
      key.push(await measureKey(wanted, { endpoint: dynamo.endpoint, table }));
      process.stderr.write(`${JSON.stringify(key.at(-1))}\n`);
    }
    return { key };
  } finally {
    await dynamo.stop();
    folder.release();
    rmSync(dir, { recursive: true, force: true });
  }
}

export function printKey({ key }: Record<string, unknown>): void {
  printTable("one key, figures per second", key as readonly object[]);
}

function readCases(): KeyCase[] {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      attempts: { type: "string", default: "45,100,333,1000,2000,3000" },
      environments: { type: "string" },
      seconds: { type: "string", default: "30" },
      "skew-ms": { type: "string", default: "0" },
      seed: { type: "string", default: "1" },
    },
  });
  const { environments } = values;
  return values.attempts.split(",").map((text) => {
    const attempts = number("attempts", text);
    return {
      attempts,
      environments:
        environments === undefined
          ? environmentsFor(attempts)
          : number("environments", environments),
      seconds: number("seconds", values.seconds),
      skewMs: number("skew-ms", values["skew-ms"]),
      seed: number("seed", values.seed),
    };
  });
}

const environmentsFor = (attempts: number): number => (attempts <= 333 ? 100 : 250);

function number(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw new Error(`--${name} must be a number of 0 or more (got "${text}").\n${usage}`);
}
