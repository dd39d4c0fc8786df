import { adminCommands } from "../tour/admin-commands.ts";
import type { Narrator } from "../tour/narrator.ts";
import { runReconcileCommand } from "../tour/reconcile.ts";
import { runTour } from "../tour/run-tour.ts";
import type { TourTarget } from "../tour/runs.ts";
import { runUnreachableTour } from "../tour/unreachable-receiver.ts";
import {
  addressOf,
  checkDeadLetters,
  checkWarnings,
  createDeployment,
  eventBusOf,
  type Place,
  type Smoke,
  thisRelease,
  withDeployment,
} from "./deployment.ts";
import { checkBusEvents } from "./bus-events.ts";
import { publicAddress } from "./namespace.ts";
import { smokeStage } from "./stacks.ts";

/**
 * Sandbox items. The price of the first item changes with every read, and the prices of the other
 * items never change.
 */
export const sandboxIds = ["9000001", "9000000", "9000003", "9000007"] as const;

/**
 * Deploys the service, calls it as a customer does (the tour), and deletes the deployment, even
 * after a failure. First deletes what an interrupted smoke test left. Without `place.customer`, the
 * tour does not check the arrival of webhooks and exports.
 * @throws Error if a check fails, or if one of the stacks exists and no smoke test created it
 */
export function deploySmoke(place: Place, narrator: Narrator): Promise<void> {
  return withDeployment(place, narrator, async (smoke) => {
    await createDeployment(smoke, thisRelease);
    await callDeployment(smoke);
    await checkDeadLetters(smoke);
    await checkWarnings(smoke);
  });
}

async function callDeployment(smoke: Smoke): Promise<void> {
  const { place, narrator } = smoke;
  const { customer } = place;
  const baseUrl = await addressOf(smoke);
  narrator.note(`the API responds at ${baseUrl}`);
  const target: TourTarget = {
    baseUrl,
    admin: adminCommands(["--stage", smokeStage], {}),
    ids: sandboxIds,
    movePrice: () => {},
  };
  if (customer === null) {
    await runUnreachableTour(
      { ...target, unreachable: `https://[${publicAddress}]:8443` },
      narrator,
    );
  } else {
    await runTour({ ...target, ...customer }, narrator);
  }
  const busName = await eventBusOf(smoke);
  if (busName !== null) await checkBusEvents(busName, target, narrator);
  await runReconcileCommand(target, narrator);
}
