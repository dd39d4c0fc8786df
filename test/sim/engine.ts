import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand, DeleteTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { openDataFolder } from "../../tools/local/data-folder.ts";
import { startDynamo } from "../../tools/local/dynamo-server.ts";
import { tableDefinition } from "../../tools/local/table-definition.ts";
import { clientSettings } from "./sdk.ts";
import { useSmallBounds } from "./small-bounds.ts";
import type { Stage } from "./stage.ts";

export interface Engine {
  /** Creates a table for one seed; `end` drops it. */
  stage(): Promise<Stage & { end(): Promise<void> }>;
  stop(): Promise<void>;
}

/** In memory: the tables do not outlive the process, and disk writes cost time. */
const sharedMemory = "/dev/shm";

/** Starts a DynamoDB engine, on which one process runs its seeds in sequence. */
export async function startEngine(): Promise<Engine> {
  useSmallBounds();
  const dir = mkdtempSync(join(existsSync(sharedMemory) ? sharedMemory : tmpdir(), "sim-"));
  const folder = openDataFolder(dir, false);
  const { endpoint, stop } = await startDynamo(folder);
  const base = new DynamoDBClient({ ...clientSettings, endpoint });
  const client = DynamoDBDocumentClient.from(base, {
    marshallOptions: { removeUndefinedValues: true },
  });
  let made = 0;
  return {
    async stage() {
      made += 1;
      const table = `seed-${made}`;
      await base.send(new CreateTableCommand(tableDefinition(table)));
      return {
        endpoint,
        client,
        table,
        async end() {
          await base.send(new DeleteTableCommand({ TableName: table }));
        },
      };
    },
    async stop() {
      base.destroy();
      await stop();
      folder.release();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
