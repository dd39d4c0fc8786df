import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { deliveryKeys } from "../../../../shared/aws/table/table.ts";
import { dynamoTargetStates } from "../../../../shared/aws/deliveries/target-states.ts";
import { endpointTarget, type TargetStates } from "../../../../shared/outbox/outbox.ts";
import { openTables } from "../../../support/tables.ts";

const account = "acct_1";

const tables = openTables();
let tableName: string;
let states: TargetStates;
beforeEach(async () => {
  tableName = await tables.create();
  states = dynamoTargetStates(tables.client, tableName);
});

const keep = (accountId: string, targetId: string, state?: unknown) =>
  tables.client.send(
    new PutCommand({
      TableName: tableName,
      Item: {
        ...deliveryKeys.outbox({ accountId, targetId }),
        additions: 1,
        ...(state === undefined ? {} : { target_state: state }),
      },
    }),
  );

describe("the store of the states of delivery targets", () => {
  it("returns a target's state as it was stored, and undefined for a target without a state", async () => {
    const state = { failuresInRow: 2, lastError: null };
    await keep(account, "we_1", state);
    await keep(account, "we_2");

    expect(await states.get(endpointTarget(account, "we_1"))).toEqual(state);
    expect(await states.get(endpointTarget(account, "we_2"))).toBeUndefined();
    expect(await states.get(endpointTarget(account, "we_3"))).toBeUndefined();
  });

  it("lists the target states of one account, each with its target", async () => {
    await keep(account, "we_1", { failuresInRow: 1 });
    await keep(account, "we_2");
    await keep(account, "s3_destination", { failuresInRow: 0 });
    await keep("acct_2", "we_3", { failuresInRow: 9 });

    expect(await states.list(account)).toEqual(
      new Map([
        ["we_1", { failuresInRow: 1 }],
        ["s3_destination", { failuresInRow: 0 }],
      ]),
    );
    expect(await states.list("acct_3")).toEqual(new Map());
  });
});
