/**
 * Queue of the holds that a failed call could not cancel. A worker cancels each hold
 * (`Ledger.cancel`), and repeats this until the ledger responds.
 */
export interface CancelQueue {
  send(hold: { readonly accountId: string; readonly holdId: string }): Promise<void>;
}
