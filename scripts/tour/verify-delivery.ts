import { Webhook } from "standardwebhooks";
import Stripe from "stripe";

/** A delivery as the receiver stored it. */
export interface Delivery {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Verifies the signature of a delivery with two independent libraries. Returns for each library
 * whether it accepts the delivery. Neither library accepts a delivery that is more than five
 * minutes old.
 */
export function verifyDelivery(
  { headers, body }: Delivery,
  secret: string,
): { readonly stripe: boolean; readonly standardWebhooks: boolean } {
  return {
    stripe: accepts(() =>
      Stripe.webhooks.constructEvent(body, headers["service-signature"] ?? "", secret),
    ),
    standardWebhooks: accepts(() => new Webhook(secret).verify(body, { ...headers })),
  };
}

function accepts(verify: () => unknown): boolean {
  try {
    verify();
    return true;
  } catch {
    return false;
  }
}
