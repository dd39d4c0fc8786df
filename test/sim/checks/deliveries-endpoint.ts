import type { SerializedEvent } from "../../../shared/events/event.ts";
import type { Delivery } from "../../../shared/webhooks/delivery.ts";
import type { SentRequest } from "../receivers.ts";
import type { DeliveryScene, PublishedRun } from "../scenarios/deliveries-scene.ts";
import type { EndpointHistory } from "./deliveries-history.ts";

/** A delivery that may exist: an event and an endpoint of the same account. */
export interface Meant {
  readonly run: PublishedRun;
  readonly event: SerializedEvent;
  readonly endpoint: EndpointHistory;
}

/**
 * An endpoint, which may be deleted, with the requests to the endpoint and the deliveries to it in
 * the log.
 */
export interface EndpointScene {
  readonly scene: DeliveryScene;
  readonly endpoint: EndpointHistory;
  readonly sent: readonly SentRequest[];
  readonly log: ReadonlyMap<string, Delivery>;
  /** All deliveries to the endpoint that may exist, by delivery ID. */
  readonly meant: ReadonlyMap<string, Meant>;
  /**
   * True if a process that delivered to the endpoint crashed, paused or failed, so that first
   * attempts may be out of order.
   */
  readonly isTroubled: boolean;
}

/**
 * Returns true if all processes had the same time, so that leases and delays can be checked
 * exactly.
 */
export const clocksAgree = ({ world }: DeliveryScene): boolean =>
  !world.faults.fired.some(({ kind }) => kind === "clock_skewed" || kind === "clock_set_back");

/** Returns the largest clock error of a process, in milliseconds. */
export const clockSlackMs = (scene: DeliveryScene): number =>
  clocksAgree(scene) ? 0 : 10 * 60_000;
