import { historyStoreContract } from "../../contracts/history-store.contract.ts";
import { memoryHistoryStore } from "../../fakes/memory-history-store.ts";

historyStoreContract("the in-memory history store", async () => {
  const store = memoryHistoryStore();
  let lists = 0;
  return {
    store,
    async create() {
      lists += 1;
      return { accountId: "acct_1", watchlistId: `wl_${lists}` };
    },
    async remove({ watchlistId }) {
      store.remove(watchlistId);
    },
  };
});
