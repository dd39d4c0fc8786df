import { TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, expect, it } from "vitest";
import { hashApiKey } from "../../../../shared/accounts/api-key.ts";
import { createAccount, createApiKey } from "../../../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../../../shared/aws/accounts/account-store.ts";
import { systemRandom, systemClock } from "../../../../shared/base/system.ts";
import { meteredRead } from "../../../../shared/items/metered-read.ts";
import { expectLedgerToBalance } from "../../../contracts/ledger.contract.ts";
import { type DynamoLedgerWorld, startLedgerWorld } from "../../../support/ledger-world.ts";
import { watchedClient } from "../../../support/watched-client.ts";

let world: DynamoLedgerWorld;
beforeAll(async () => {
  world = await startLedgerWorld();
});

it("an item call makes three requests to DynamoDB if its process has cached the account, with or without a refund", async () => {
  const sent: unknown[] = [];
  const client = watchedClient(world.client, (command, send) => {
    sent.push(command.constructor);
    return send();
  });
  const names = { accounts: world.accountsTable, ledger: world.ledgerTable };
  const deps = {
    accounts: dynamoAccountStore(client, names),
    clock: systemClock,
    random: systemRandom,
  };
  const ledger = world.ledgerThrough(client);
  const account = await createAccount({ name: "Test", email: "t@example.com" }, deps);
  const { key } = await createApiKey({ account, name: "server" }, deps);
  const call = async (requestId: string, charged: number): Promise<void> => {
    const now = systemClock.now();
    const admission = await deps.accounts.admit(hashApiKey(key), now);
    expect(admission.outcome).toBe("admitted");
    const deadline = new Date(now.getTime() + 10_000);
    const work = {
      param: "ids" as const,
      scraper: "retailer_d.standard" as const,
      items: 10,
      cap: {},
      reserved: 10,
      charge: () => charged,
      read: async () => [{ status: "ok" as const }],
      present: (answer: object) => answer,
    };
    const msToAnswer = (): number => 10_000;
    const endpoint = "POST /v1/products";
    const apiKeyId = "key_1";
    const made = {
      accountId: account.id,
      apiKeyId,
      requestId,
      endpoint,
      now,
      deadline,
      msToAnswer,
    };
    await meteredRead(made, work, {
      ...deps,
      ledger,
      cancels: { send: () => Promise.reject(new Error("The call must not be canceled")) },
    });
  };
  await call("req_cold", 10);

  for (const [n, charged] of [10, 4, 0].entries()) {
    sent.length = 0;
    await call(`req_${n}`, charged);
    // The account's eighth record is copied to a page while the call reads its source.
    const copies = n === 2 ? [TransactWriteCommand] : [];
    expect(sent).toEqual([UpdateCommand, UpdateCommand, ...copies, UpdateCommand]);
  }
  await expectLedgerToBalance(world, account.id);
});
