import { documentClient } from "../../../shared/aws/table/dynamo.ts";
import { readWholeAccount, sumsOf } from "../../../shared/aws/ledger/read-shards.ts";
import { systemRandom, systemClock } from "../../../shared/base/system.ts";

/**
 * Checks that the sums in an account's shards equal the charges of its calls and run steps. Call it
 * after all of them have ended.
 * @param charged The credits that all calls and run steps were charged.
 * @returns The sums as one line of text.
 * @throws Error if the sums differ, or if the account does not exist.
 */
export async function checkSums(
  accountsTable: string,
  accountId: string,
  charged: number,
): Promise<string> {
  const reader = {
    client: documentClient(),
    accountsTable,
    clock: systemClock,
    random: systemRandom,
  };
  const rows = await readWholeAccount(reader, accountId);
  if (rows === undefined)
    throw new Error(
      `The bench's account ${accountId} does not exist. Repeat the bench with empty tables.`,
    );
  const received = Number(rows.account["received"]);
  const sums = sumsOf(rows.shards);
  const expected = { balance: received - charged, held: 0, spent: charged, inFlight: 0 };
  const found = JSON.stringify(sums);
  if (found !== JSON.stringify(expected)) {
    throw new Error(
      `The shards of ${accountId} have the sums ${found} (expected ${JSON.stringify(expected)}). Find the lost or repeated charge in its ledger entries.`,
    );
  }
  return `${accountId}: ${rows.shards.length} shards, received ${received}, spent ${charged}, balance ${sums.balance}, held 0, in flight 0`;
}
