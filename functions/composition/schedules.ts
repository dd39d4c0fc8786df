import { SchedulerClient } from "@aws-sdk/client-scheduler";
import { clientSettings } from "../../shared/aws/sdk/client-settings.ts";
import { eventBridgeSchedules } from "../../shared/aws/watchlists/schedules.ts";
import type { Schedules } from "../../shared/watchlists/schedules.ts";
import { client } from "./clients.ts";
import type { Needs } from "../environment.ts";
import type { Overrides } from "./overrides.ts";

const scheduler = /* @__PURE__ */ client("scheduler", () => new SchedulerClient(clientSettings()));

/**
 * Creates the manager of the EventBridge schedules of watchlists.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const schedules = (
  environment: Needs<"SCHEDULE_GROUP" | "RUNS_QUEUE_URL" | "SCHEDULE_ROLE_ARN">,
  overrides: Overrides,
): Schedules =>
  eventBridgeSchedules(scheduler(overrides), {
    group: environment.SCHEDULE_GROUP,
    queueUrl: environment.RUNS_QUEUE_URL,
    roleArn: environment.SCHEDULE_ROLE_ARN,
  });
