/**
 * The event bus of the deployment. The client loads at the first call of the port, so that a cold
 * start does not wait for it.
 */
import { clientSettings } from "../../../shared/aws/sdk/client-settings.ts";
import type { EventBus } from "../../../shared/event-bus/event-bus.ts";
import type { Needs } from "../../environment.ts";
import { once } from "../clients.ts";
import { hasBus } from "../has-bus.ts";
import type { Overrides } from "../overrides.ts";

/**
 * Creates the port to the event bus of the deployment; null if there is no bus. The EventBridge
 * client is loaded at the first call, so a deployment without a bus does not load it.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function eventBus(
  environment: Needs<"EVENT_BUS_NAME">,
  overrides: Overrides,
): EventBus | null {
  if (!hasBus(environment)) return null;
  const opened = once(async () => {
    const [{ EventBridgeClient }, { eventBridgeBus }] = await Promise.all([
      import("@aws-sdk/client-eventbridge"),
      import("../../../shared/aws/event-bus/event-bus.ts"),
    ]);
    const client = new EventBridgeClient(clientSettings());
    return eventBridgeBus(client, { busName: environment.EVENT_BUS_NAME });
  });
  return overrides.eventBus ?? { put: async (entries) => (await opened()).put(entries) };
}
