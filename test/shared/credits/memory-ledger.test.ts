import { describe } from "vitest";
import { ledgerContract } from "../../contracts/ledger.contract.ts";
import { memoryLedger } from "../../fakes/memory-ledger.ts";

describe("memoryLedger", () => {
  ledgerContract(() => {
    const ledger = memoryLedger();
    let opened = 0;
    return {
      ledger: () => ledger,
      changes: ledger.changes,
      history: ledger.history,
      async open(signupCredits) {
        opened += 1;
        ledger.open(`acct_${opened}`, signupCredits);
        return `acct_${opened}`;
      },
      account: async (accountId) => ledger.account(accountId),
    };
  });
});
