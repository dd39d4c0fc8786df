import type { Mutant } from "./mutant-list.ts";

const ledger = "shared/aws/ledger-transactions.ts";

/** Mistakes with credits, holds and slots. */
export const callMutants: readonly Mutant[] = [
  {
    name: "sequence-one-behind",
    file: ledger,
    says: "sequence: before.sequence + entries.length,",
    instead: "sequence: before.sequence + 1,",
    scenario: "calls",
  },
  {
    name: "refund-left-out",
    file: ledger,
    says: "balance: before.balance + refund,",
    instead: "balance: before.balance,",
    scenario: "calls",
  },
  {
    name: "slot-not-given-back",
    file: ledger,
    says: "inFlight: before.inFlight - (hold.slot ? 1 : 0),",
    instead: "inFlight: before.inFlight,",
    scenario: "calls",
  },
  {
    name: "charge-rounded-down",
    file: "shared/credits/charge.ts",
    says: "Math.ceil(",
    instead: "Math.floor(",
    scenario: "calls",
  },
];
