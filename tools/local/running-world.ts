import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { pointClientsAt } from "./aws-environment.ts";
import { readyFile } from "./ready-file.ts";

/** The address of the API and the names of the tables of a running local world. */
export interface RunningWorld {
  /** The address of the API, without a trailing slash. */
  readonly baseUrl: string;
  readonly tables: {
    readonly accounts: string;
    readonly ledger: string;
    readonly watchlists: string;
    readonly deliveries: string;
  };
}

const readyContent = v.object({
  base_url: v.string(),
  dynamodb_endpoint: v.string(),
  sqs_endpoint: v.string(),
  s3_endpoint: v.string(),
  scheduler_endpoint: v.string(),
  kms_endpoint: v.string(),
  accounts_table: v.string(),
  ledger_table: v.string(),
  watchlists_table: v.string(),
  deliveries_table: v.string(),
});

/**
 * Connects this process to the running local world that uses a data folder. After the call, all new
 * AWS clients of this process use the endpoints of this world.
 * @throws Error with instructions if no running world uses the folder
 */
export function connectToWorld(dataFolder: string): RunningWorld {
  const world = readWorld(dataFolder);
  pointClientsAt({
    dynamodb: world.dynamodb_endpoint,
    sqs: world.sqs_endpoint,
    s3: world.s3_endpoint,
    scheduler: world.scheduler_endpoint,
    kms: world.kms_endpoint,
  });
  return {
    baseUrl: world.base_url,
    tables: {
      accounts: world.accounts_table,
      ledger: world.ledger_table,
      watchlists: world.watchlists_table,
      deliveries: world.deliveries_table,
    },
  };
}

function readWorld(dataFolder: string): v.InferOutput<typeof readyContent> {
  const file = join(dataFolder, readyFile);
  try {
    return v.parse(readyContent, JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new Error(
      `No local world uses ${dataFolder}: ${file} cannot be read. Start one with npm start, ` +
        "set LOCAL_DIR to its folder, or pass a deployed stage with --stage.",
      { cause: error },
    );
  }
}
