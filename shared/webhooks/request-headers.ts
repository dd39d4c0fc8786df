import type { Delivery } from "./delivery.ts";
import { unixSeconds } from "./signature.ts";
import type { RequestSignature } from "./signature.ts";

/** The values of a request that differ between the attempts of a delivery. */
export interface SignedRequest {
  /** Number of the request from 1, for the `Service-Attempt` header. */
  readonly number: number;
  readonly at: Date;
  readonly signature: RequestSignature;
}

/**
 * Returns the headers that the service sets on the request of a delivery attempt. The HTTP client
 * adds other headers, such as `Host`.
 */
export const requestHeaders = (
  delivery: Pick<Delivery, "id" | "eventId" | "eventType">,
  { number, at, signature }: SignedRequest,
): Readonly<Record<string, string>> => ({
  "Content-Type": "application/json",
  "User-Agent": "Service-Webhooks/1.0",
  "Service-Signature": signature.service,
  "Service-Event-Type": delivery.eventType,
  "Service-Delivery-Id": delivery.id,
  "Service-Attempt": String(number),
  "webhook-id": delivery.eventId,
  "webhook-timestamp": String(unixSeconds(at)),
  "webhook-signature": signature.standard,
});
