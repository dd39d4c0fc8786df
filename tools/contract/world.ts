import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { purchasePack } from "../credits/change-credits.ts";
import { dynamoCreditChanges } from "../credits/dynamo-credit-changes.ts";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import { startWorld, type World } from "../local/world.ts";
import { apiClient } from "../customer/api-client.ts";

/**
 * Starts a local world on a new data folder, which is deleted when the world stops. Its account has
 * more credits than a contract check can spend. If the start fails, deletes the folder and throws
 * the error.
 */
export async function startContractWorld(): Promise<World> {
  const dir = mkdtempSync(join(tmpdir(), "contract-"));
  const remove = (): void => rmSync(dir, { recursive: true, force: true });
  const world = await startWorld({ dir, port: 0, fresh: true }).catch((error: unknown) => {
    remove();
    throw error;
  });
  await buyCredits(world);
  return { ...world, stop: () => world.stop().finally(remove) };
}

async function buyCredits(world: World): Promise<void> {
  const account = await apiClient(world.baseUrl, world.apiKey).get("/account");
  const variables = world.environmentOf("products");
  const changes = dynamoCreditChanges(documentClient(), {
    accountsTable: variables["ACCOUNTS_TABLE"] ?? "",
    ledgerTable: variables["LEDGER_TABLE"] ?? "",
    clock: systemClock,
    random: systemRandom,
  });
  const accountId = String(account.body["id"]);
  await purchasePack(
    { accountId, changeId: "contract", packId: "volume" },
    { changes, clock: systemClock },
  );
}
