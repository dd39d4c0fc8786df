import { openShards } from "../../shared/aws/ledger/open-shards.ts";
import { ledgerProcess } from "../../shared/aws/ledger/process.ts";
import { dynamoLedgerReader } from "../../tools/reconcile/readers/ledger.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import type { Admin, Values, WorldCommand } from "./command.ts";
import { existingAccount } from "./existing.ts";

/**
 * Creates the shards of accounts from earlier releases, while calls continue. Running it again has
 * no effect.
 */
export const openShardsCommand: WorldCommand = {
  example: "--stage prod --region us-east-1",
  takes: ["account"],
  about:
    "Moves the credits of accounts from earlier releases to shards, for all accounts or for one. " +
    "Run it once after the upgrade. Running it again changes nothing.",
  changes: ({ account }) => `Move the credits of ${account ?? "all accounts"} to shards`,
  run: openAll,
};

async function openAll(values: Values, admin: Admin): Promise<unknown> {
  const { accounts: accountsTable, ledger: ledgerTable } = admin.target.tables;
  const tables = { accountsTable, ledgerTable };
  const time = { clock: systemClock, random: systemRandom };
  const process = ledgerProcess(admin.dynamo, { ...tables, ...time });
  const accountIds =
    values.account === undefined
      ? (await dynamoLedgerReader(admin.dynamo, tables).accounts()).map(({ id }) => id)
      : [(await existingAccount(values.account, admin)).id];
  const counts = { opened: 0, failed: 0 };
  const progress = admin.progress(accountIds.length);
  for (const accountId of accountIds) {
    progress.begin(accountId);
    try {
      counts.opened += (await openShards(process, accountId)) ? 1 : 0;
    } catch (error) {
      // Continues with the other accounts if one account has too many concurrent changes.
      counts.failed += 1;
      admin.warn(`${accountId}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const { opened, failed } = counts;
  if (failed > 0) admin.endWith(1);
  return {
    accounts: accountIds.length,
    opened,
    had_shards: accountIds.length - opened - failed,
    failed,
  };
}
