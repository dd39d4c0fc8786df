import { type InferOutput, minLength, object, pipe, string } from "valibot";

const id = pipe(string(), minLength(1));

/**
 * A message of the deliveries queue. It names the delivery target whose outbox the worker drains.
 */
export const deliveryMessage = object({ account_id: id, target_id: id });
export type DeliveryMessage = InferOutput<typeof deliveryMessage>;
