import { MemoryRestoreCloud } from "./memory-restore-cloud.ts";
import { restoreCloudContract } from "./restore-cloud-contract.ts";

restoreCloudContract("the AWS account in memory", async () => {
  const cloud = new MemoryRestoreCloud();
  return {
    cloud,
    async createTable(name, row, settings) {
      cloud.addTable(name, row, settings);
    },
    rowOf: async (name) => cloud.contentOf(name),
    async createService() {
      cloud.service = "CREATE_COMPLETE";
    },
  };
});
