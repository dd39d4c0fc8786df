/**
 * Queue of the holds that a failed call could not cancel. A worker cancels each hold
 * (`Ledger.cancel`), and repeats this until the ledger responds.
 */
export interface CancelQueue {
  /** Adds a hold to the queue. @throws the error of the queue if it does not accept the message */
  send(hold: { readonly accountId: string; readonly holdId: string }): Promise<void>;
}
