/**
 * The store of event bodies. With `storedVersions=next`, the bodies of a small run are a row of the
 * deliveries table. All other bodies are objects in S3. The S3 client loads at its first use, so
 * that a cold start does not wait for it.
 */
import { smallArchives } from "../../../shared/aws/deliveries/small-archives.ts";
import type { EventBodies } from "../../../shared/events/event-archive.ts";
import type { Needs } from "../../environment.ts";
import { once } from "../clients.ts";
import { dynamo } from "../process.ts";
import type { Overrides } from "../overrides.ts";
import { versionsToWrite } from "../written-versions.ts";

/**
 * Creates the store of event bodies: objects in S3, and rows of the deliveries table for small
 * runs. The S3 client loads at the first call of `put` or `get`.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function eventBodies(
  environment: Needs<"EVENTS_BUCKET" | "DELIVERIES_TABLE">,
  overrides: Overrides,
): EventBodies {
  const bodies = once(async () =>
    (await import("../bodies-in-s3.ts")).bodiesInS3(environment, overrides),
  );
  return {
    writes: versionsToWrite(overrides),
    small: smallArchives(dynamo(overrides), environment.DELIVERIES_TABLE),
    put: async (key, bytes) => (await bodies()).put(key, bytes),
    get: async (key, range) => (await bodies()).get(key, range),
  };
}
