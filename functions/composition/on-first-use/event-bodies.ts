/**
 * The store of event bodies in S3.
 * The client loads at the first call of the port, so that a cold start does not wait for it.
 */
import type { EventBodies } from "../../../shared/events/event-archive.ts";
import type { Needs } from "../../environment.ts";
import { once } from "../clients.ts";
import type { Overrides } from "../overrides.ts";
import { configuredVersions } from "../written-versions.ts";

/**
 * Creates the store of event bodies. Its S3 client loads at the first call.
 * @param overrides dependencies that tests replace
 */
export function eventBodies(
  environment: Needs<"EVENTS_BUCKET">,
  overrides: Overrides,
): EventBodies {
  const bodies = once(async () =>
    (await import("../event-bodies.ts")).eventBodies(environment, overrides),
  );
  return {
    writes: configuredVersions(),
    put: async (key, bytes) => (await bodies()).put(key, bytes),
    get: async (key, range) => (await bodies()).get(key, range),
  };
}
