import { BatchGetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { rowsByKey } from "../../../../shared/aws/table/rows-by-key.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { openTables } from "../../../support/tables.ts";
import { watchedClient } from "../../../support/watched-client.ts";

const tables = openTables();

it("rowsByKey reads 101 rows with two requests of at most 100 keys each", async () => {
  const table = await tables.create();
  const rows = Array.from({ length: 101 }, (_, n) => ({ pk: "account#acct_1", sk: `row#${n}` }));
  for (const Item of rows) {
    await tables.client.send(new PutCommand({ TableName: table, Item }));
  }
  let requests = 0;
  const client = watchedClient(tables.client, (command, send) => {
    if (command instanceof BatchGetCommand) requests += 1;
    return send();
  });
  const clock = fixedClock("2026-03-01T00:00:00Z");
  const options = { table, clock, random: countingRandom() };

  const found = await rowsByKey(client, options, rows);
  expect(found).toHaveLength(101);
  expect(found).toEqual(expect.arrayContaining(rows));
  expect(requests).toBe(2);
});
