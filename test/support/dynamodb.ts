import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import type { TestProject } from "vitest/node";
import { startTemporaryDynamo, type TemporaryDynamo } from "../../tools/local/temporary-dynamo.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The DynamoDB engine that all files of this test run share. */
    dynamodbEndpoint: string;
  }
}

const sharedMemory = "/dev/shm";

/** An engine in memory where there is a file system for it: disk writes cost time. */
export const startDynamoInMemory = (): Promise<TemporaryDynamo> =>
  startTemporaryDynamo(existsSync(sharedMemory) ? sharedMemory : tmpdir());

/** Global set-up: one engine for a whole test run. */
export default async function provideDynamodb(project: TestProject): Promise<() => Promise<void>> {
  const { endpoint, stop } = await startDynamoInMemory();
  project.provide("dynamodbEndpoint", endpoint);
  return stop;
}
