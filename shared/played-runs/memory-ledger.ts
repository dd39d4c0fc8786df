import type { Ledger } from "../credits/ledger.ts";

/** Creates a ledger that stores nothing. @param reserve decides which steps the credits cover */
export const memoryLedger = (reserve: Ledger["reserve"]): Ledger => ({
  reserve,
  settle: async ({ credits }) => ({ credits, balance: 0 }),
  release: async () => {},
  cancel: async () => {},
  accountsWithExpiredHolds: async () => [],
  releaseExpired: async () => 0,
});
