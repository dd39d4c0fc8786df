import type { Mutant } from "./mutant-list.ts";

const ledger = "shared/aws/ledger/process.ts";
const admission = "shared/aws/key-admission.ts";

/** Mistakes with keys, credits, holds and slots. */
export const callMutants: readonly Mutant[] = [
  {
    name: "revoked-key-limited",
    file: admission,
    says: "if (!isWorking(row)) {",
    instead: "if (row === undefined) {",
    scenario: "calls",
  },
  {
    name: "revoked-key-works-in-an-outage",
    file: admission,
    says: 'return isWorking(Item) ? ownerOf(Item) : "unknown";',
    instead: 'return Item === undefined ? "unknown" : ownerOf(Item);',
    scenario: "calls",
  },
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
  {
    name: "answer-fails-for-three-items",
    file: "shared/items/metered-read.ts",
    says: "const presented = read.map(",
    instead:
      'if (read.length > 2) throw new TypeError("too many");\n    const presented = read.map(',
    scenario: "calls",
  },
  {
    name: "slot-too-many",
    file: "shared/aws/ledger/ledger.ts",
    says: "inFlight >= concurrency",
    instead: "inFlight > concurrency",
    scenario: "calls",
  },
  {
    name: "hold-of-a-day",
    file: "shared/items/metered-read.ts",
    says: "const settleMilliseconds = 60_000;",
    instead: "const settleMilliseconds = 24 * 60 * 60_000;",
    scenario: "calls",
  },
  {
    name: "offers-priced-as-few",
    file: "shared/items/offer-prices.ts",
    says: "totalOffersOf(answer) > 1",
    instead: "totalOffersOf(answer) > 99",
    scenario: "calls",
  },
  {
    name: "offers-checked-twice",
    file: "shared/items/offer-check-request.ts",
    says: "unique.set(`${asin} ${offerListingId}`,",
    instead: "unique.set(at,",
    scenario: "calls",
  },
  {
    name: "unanswered-checks-charged",
    file: "shared/items/check-offers.ts",
    says: 'answers.filter(({ status }) => status === "ok").length',
    instead: "answers.length",
    scenario: "calls",
  },
  {
    name: "hold-expires-at-once",
    file: "shared/items/metered-read.ts",
    says: "expiresAt: new Date(deadline.getTime() + settleMilliseconds),",
    instead: "expiresAt: new Date(now.getTime()),",
    scenario: "calls",
  },
  {
    name: "late-answer-charged",
    file: "shared/items/metered-read.ts",
    says: "if (msToAnswer() > 0) return settled;",
    instead: "if (msToAnswer() > -Infinity) return settled;",
    scenario: "calls",
  },
  {
    name: "charge-not-taken-back",
    file: "shared/aws/ledger-resolve.ts",
    says: 'if (hold.charged === 0) return "done";',
    instead: 'return "done";',
    scenario: "calls",
  },
  {
    name: "unanswered-settlement-kept",
    file: "shared/items/metered-read.ts",
    says: "const isCancelled = await cancelLater(call, dependencies);",
    instead: "const isCancelled = true;",
    scenario: "calls",
  },
  {
    name: "taken-back-from-the-balance-alone",
    file: ledger,
    says: "spent: before.spent - charged,",
    instead: "spent: before.spent,",
    scenario: "calls",
  },
  {
    name: "dependency-failure-is-internal",
    file: "functions/http/error-response.ts",
    says: "if (isDependencyFailure(error)) return unavailable();",
    instead: "",
    scenario: "calls",
  },
];
