import { describe } from "vitest";
import { creditHistoryContract } from "../../contracts/credit-history.contract.ts";
import { ledgerContract, type LedgerWorld } from "../../contracts/ledger.contract.ts";
import { memoryLedger } from "../../fakes/memory-ledger.ts";

function openWorld(): LedgerWorld {
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
}

describe("memoryLedger", () => {
  ledgerContract(openWorld);
  creditHistoryContract(openWorld);
});
