import type { Ledger } from "../credits/ledger.ts";

/**
 * Creates a ledger for a run in memory (see `playRun`). The ledger stores and charges nothing.
 * @param reserve decides whether the credits cover a step
 */
export const memoryLedger = (reserve: Ledger["reserve"]): Ledger => ({
  reserve,
  settle: async ({ credits }) => ({ credits, balance: 0 }),
  release: async () => {},
  cancel: async () => {},
  accountsWithExpiredHolds: async () => [],
  releaseExpired: async () => 0,
});
