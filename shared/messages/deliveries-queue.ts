import * as v from "valibot";

const id = v.pipe(v.string(), v.minLength(1));

/**
 * Schema that parses a message of the deliveries queue. The message names the delivery target whose
 * outbox the worker drains.
 */
export const deliveryMessage = v.pipe(
  v.object({ account_id: id, target_id: id }),
  v.transform((message) => ({ accountId: message.account_id, targetId: message.target_id })),
);
export type DeliveryMessage = v.InferOutput<typeof deliveryMessage>;

/** Converts a message of the deliveries queue to the JSON value that is sent. */
export const toDeliveryMessage = ({
  accountId,
  targetId,
}: DeliveryMessage): v.InferInput<typeof deliveryMessage> => ({
  account_id: accountId,
  target_id: targetId,
});
