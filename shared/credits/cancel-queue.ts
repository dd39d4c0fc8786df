/**
 * Takes over the hold of a call that is answered with an error, when the call cannot end it itself:
 * a worker cancels it (`Ledger.cancel`), and repeats that until the ledger answers.
 */
export interface CancelQueue {
  send(hold: { readonly accountId: string; readonly holdId: string }): Promise<void>;
}
