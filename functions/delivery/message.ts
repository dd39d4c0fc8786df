import { type InferOutput, minLength, object, picklist, pipe, string } from "valibot";

const id = pipe(string(), minLength(1));

/** A message of the deliveries queue: which work to look at, and nothing else. */
export const deliveryMessage = object({
  kind: picklist(["run", "delivery", "export"]),
  account_id: id,
  id,
});
export type DeliveryMessage = InferOutput<typeof deliveryMessage>;
