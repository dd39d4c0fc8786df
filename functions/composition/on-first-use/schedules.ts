/**
 * The EventBridge schedules of watchlists.
 * The client loads at the first call of the port, so that a cold start does not wait for it.
 */
import type { Schedules } from "../../../shared/watchlists/schedules.ts";
import type { Needs } from "../../environment.ts";
import type { Overrides } from "../overrides.ts";
import { portOnFirstUse } from "./port-on-first-use.ts";

/**
 * Creates the manager of the EventBridge schedules of watchlists. Its client loads at the first
 * call.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function schedules(
  environment: Needs<"SCHEDULE_GROUP" | "RUNS_QUEUE_URL" | "SCHEDULE_ROLE_ARN">,
  overrides: Overrides,
): Schedules {
  return portOnFirstUse(
    async () => (await import("../schedules.ts")).schedules(environment, overrides),
    ["put", "remove"],
  );
}
