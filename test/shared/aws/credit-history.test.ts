import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accountKeys } from "../../../shared/aws/table.ts";
import { newId } from "../../../shared/base/ids.ts";
import { systemChance, systemClock } from "../../../shared/base/system.ts";
import { creditHistoryContract } from "../../contracts/credit-history.contract.ts";
import { type DynamoLedgerWorld, startLedgerWorld } from "../../support/ledger-world.ts";

let world: DynamoLedgerWorld;
let accountId: string;
beforeAll(async () => {
  world = await startLedgerWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  accountId = await world.open(5_000);
});

describe("dynamoCreditHistory", () => {
  creditHistoryContract(() => world);

  it("finds the refund of a charge that an earlier release took back", async () => {
    const now = systemClock.now();
    const holdId = newId("request", now, systemChance);
    const ledger = world.ledger();
    const hold = { accountId, holdId, now };
    const reservation = { ...hold, credits: 4, slot: false, expiresAt: new Date(now) };
    await ledger.reserve({ ...reservation, source: { requestId: holdId } });
    await ledger.settle({ ...hold, credits: 3, succeeded: true });
    await ledger.cancel(hold);
    await world.client.send(
      new UpdateCommand({
        TableName: world.accountsTable,
        Key: accountKeys.hold(accountId, holdId),
        UpdateExpression: "REMOVE cancelled_sequence",
      }),
    );

    const filter = { requestId: holdId };
    const page = await world.history.page(accountId, { limit: 100, before: undefined, filter });

    expect(page.transactions.map(({ sequence }) => sequence)).toEqual([5, 4, 3, 2]);
    expect(page.next).toBeNull();
  });
});
