/** Creates the sender of webhooks. */
import type { Sender } from "../../shared/outgoing/sender.ts";
import { webhookSender } from "../../shared/outgoing/webhook-sender.ts";
import { type Overrides, addressPolicyOf, clock } from "./overrides.ts";

/**
 * Returns the webhook sender of the overrides; creates one if the overrides have none. The created
 * sender connects only to public addresses, and to loopback addresses if the overrides allow them.
 */
export const sender = (overrides: Overrides): Sender =>
  overrides.sender ??
  webhookSender({ policy: addressPolicyOf(overrides), clock: clock(overrides) });
