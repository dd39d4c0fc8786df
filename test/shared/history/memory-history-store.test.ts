import { historyStoreContract } from "../../contracts/history-store.contract.ts";
import { fixedClock } from "../../support/clock.ts";
import { memoryHistoryStore } from "../../fakes/memory-history-store.ts";

historyStoreContract("the in-memory history store", async () => {
  const clock = fixedClock("2026-03-01T00:00:00Z");
  const store = memoryHistoryStore(clock);
  let lists = 0;
  return {
    store,
    clock,
    async create() {
      lists += 1;
      return { accountId: "acct_1", watchlistId: `wl_${lists}` };
    },
    async remove({ watchlistId }) {
      store.remove(watchlistId);
    },
  };
});
