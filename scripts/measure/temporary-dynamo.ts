import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDataFolder } from "../../tools/local/data-folder.ts";
import { startDynamo } from "../../tools/local/dynamo-server.ts";

/** A DynamoDB engine whose data is removed with it. */
export interface TemporaryDynamo {
  readonly endpoint: string;
  /** A folder for other data of the same measurement. */
  readonly dir: string;
  /** Stops the engine and removes the folder. */
  stop(): Promise<void>;
}

export async function startTemporaryDynamo(): Promise<TemporaryDynamo> {
  const dir = mkdtempSync(join(tmpdir(), "measure-"));
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
