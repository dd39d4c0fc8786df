import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDataFolder } from "./data-folder.ts";
import { startDynamo } from "./dynamo-server.ts";

/** A DynamoDB engine without tables, whose data is deleted when it stops. */
export interface TemporaryDynamo {
  readonly endpoint: string;
  /** A folder for other data, which is deleted with the engine's. */
  readonly dir: string;
  /** Stops the engine and deletes the folder. */
  readonly stop: () => Promise<void>;
}

/** Starts an engine whose data is in a new folder of the given one. */
export async function startTemporaryDynamo(parent = tmpdir()): Promise<TemporaryDynamo> {
  const dir = mkdtempSync(join(parent, "dynamo-"));
  const folder = openDataFolder(join(dir, "dynamo"), false);
  const dynamo = await startDynamo(folder);
  return {
    endpoint: dynamo.endpoint,
    dir,
    async stop() {
      await dynamo.stop();
      folder.release();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
