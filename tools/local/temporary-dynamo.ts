import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDataFolder } from "./data-folder.ts";
import { startDynamo } from "./dynamo-server.ts";

/** A DynamoDB engine that starts without tables and deletes its data when it stops. */
export interface TemporaryDynamo {
  readonly endpoint: string;
  /** A folder for other data. It is deleted when the engine stops. */
  readonly dir: string;
  /** Stops the engine, and deletes the folder with all data. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a DynamoDB engine on a new folder in `parent`. If DYNAMODB_ENDPOINT is set, uses that
 * endpoint instead, like `startDynamo`. The data at that endpoint stays when the engine stops.
 */
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
