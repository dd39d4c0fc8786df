import type { Attempt, Delivery, Settlement } from "./delivery.ts";
import type { Claim, Lease } from "./work.ts";

/** Deliveries by id, kept for 30 days. */
export interface DeliveryStore {
  /** Keeps a new delivery, leased when a lease is given; false when it is there already. */
  open(accountId: string, delivery: Delivery, lease: Lease | null): Promise<boolean>;
  get(accountId: string, id: string): Promise<Delivery | null>;
  /** Takes a due delivery; false when somebody else has taken it or it is not due. */
  claim(accountId: string, id: string, claim: Claim): Promise<boolean>;
  /** Logs an attempt and what follows from it; false when the lease was lost. */
  settle(
    accountId: string,
    id: string,
    change: {
      readonly token: string;
      readonly attempts: readonly Attempt[];
      readonly settlement: Settlement;
    },
  ): Promise<boolean>;
}
