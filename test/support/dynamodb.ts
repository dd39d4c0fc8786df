import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { openDataFolder } from "../../tools/local/data-folder.ts";
import { startDynamo } from "../../tools/local/dynamo-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The DynamoDB engine that all files of this test run share. */
    dynamodbEndpoint: string;
  }
}

/** In memory: the tables do not outlive the process, and disk writes cost time. */
const sharedMemory = "/dev/shm";

export interface TemporaryDynamodb {
  readonly endpoint: string;
  readonly stop: () => Promise<void>;
}

/** A dynoxide without tables, whose data is deleted when it stops. */
export async function startTemporaryDynamodb(): Promise<TemporaryDynamodb> {
  const dir = mkdtempSync(join(existsSync(sharedMemory) ? sharedMemory : tmpdir(), "dynamodb-"));
  const folder = openDataFolder(dir, false);
  const server = await startDynamo(folder);
  return {
    endpoint: server.endpoint,
    async stop() {
      await server.stop();
      folder.release();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Global set-up: one dynoxide for a whole test run. */
export default async function provideDynamodb(project: TestProject): Promise<() => Promise<void>> {
  const { endpoint, stop } = await startTemporaryDynamodb();
  project.provide("dynamodbEndpoint", endpoint);
  return stop;
}
