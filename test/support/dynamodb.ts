import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import type { TestProject } from "vitest/node";
import { startTemporaryDynamo, type TemporaryDynamo } from "../../tools/local/temporary-dynamo.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The endpoint of the DynamoDB engine that all files of a test run share. */
    dynamodbEndpoint: string;
  }
}

const sharedMemory = "/dev/shm";

/**
 * Starts a DynamoDB engine. Its files are in memory if the system has `/dev/shm`, because disk
 * writes are slow.
 */
export const startDynamoInMemory = (): Promise<TemporaryDynamo> =>
  startTemporaryDynamo(existsSync(sharedMemory) ? sharedMemory : tmpdir());

/**
 * Global set-up of vitest: starts one engine for the whole test run. Returns the function that
 * stops it.
 */
export default async function provideDynamodb(project: TestProject): Promise<() => Promise<void>> {
  const { endpoint, stop } = await startDynamoInMemory();
  project.provide("dynamodbEndpoint", endpoint);
  return stop;
}
