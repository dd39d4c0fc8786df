import type { SerializedEvent } from "../../../shared/events/event.ts";
import type { Delivery } from "../../../shared/webhooks/delivery.ts";
import type { SentRequest } from "../receivers.ts";
import type { DeliveryScene, PublishedRun } from "../scenarios/deliveries-scene.ts";
import type { EndpointHistory } from "./deliveries-history.ts";

/** A possible delivery: an event and an endpoint of the same account. */
export interface Meant {
  readonly run: PublishedRun;
  readonly event: SerializedEvent;
  readonly endpoint: EndpointHistory;
}

/** An endpoint, existing or deleted, with its requests and its log. */
export interface EndpointScene {
  readonly scene: DeliveryScene;
  readonly endpoint: EndpointHistory;
  readonly sent: readonly SentRequest[];
  readonly log: ReadonlyMap<string, Delivery>;
  /** All possible deliveries to the endpoint, by delivery ID. */
  readonly meant: ReadonlyMap<string, Meant>;
  readonly isTroubled: boolean;
}

/** True when all processes had the same time, so that leases and delays are exact. */
export const clocksAgree = ({ world }: DeliveryScene): boolean =>
  !world.faults.fired.some(({ kind }) => kind === "clock_skewed" || kind === "clock_set_back");

/** Maximum clock error of processes, in milliseconds. */
export const clockSlackMs = (scene: DeliveryScene): number =>
  clocksAgree(scene) ? 0 : 10 * 60_000;
