import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it } from "vitest";
import { sharedRateBudget } from "../../../../shared/aws/sources/rate-budget.ts";
import type { RateBudget } from "../../../../shared/sources/http/rate-budget.ts";
import { rateBudgetContract } from "../../../contracts/rate-budget.contract.ts";
import { openTables } from "../../../support/tables.ts";
import { watchedClient } from "../../../support/watched-client.ts";

const tables = openTables();
let table: string;
beforeAll(async () => {
  table = await tables.create();
});

function fail(error: unknown): never {
  throw error;
}
const process = (): RateBudget => sharedRateBudget(tables.client, { table, onUnshared: fail });

rateBudgetContract("in a table", () => ({ process }));

const now = new Date("2026-03-01T12:00:00Z");
const ask = { permits: 20, perSecond: 10, burst: 1, until: new Date("2026-03-01T13:00:00Z") };

describe("a source's shared rate limit in DynamoDB", () => {
  it("grants many permits with one request to DynamoDB", async () => {
    let requests = 0;
    const client = watchedClient(tables.client, async (_command, send) => {
      requests += 1;
      return send();
    });
    const budget = sharedRateBudget(client, { table, onUnshared: fail });
    const first = await budget.take("frugal", ask, now);
    const second = await budget.take("frugal", ask, now);
    expect([first.permits, second.permits, requests]).toEqual([20, 20, 2]);
    expect(second.from.getTime() - first.from.getTime()).toBe(2_000);
  });

  it("is replaced by the process's local limit, with a warning, if DynamoDB does not respond", async () => {
    const errors: unknown[] = [];
    const throttle = Object.assign(new Error("slow down"), { name: "ThrottlingException" });
    const client = watchedClient(tables.client, async (command, send) => {
      if (command instanceof UpdateCommand) throw throttle;
      return send();
    });
    const budget = sharedRateBudget(client, { table, onUnshared: (error) => errors.push(error) });
    const first = await budget.take("throttled", ask, now);
    const second = await budget.take("throttled", ask, now);
    expect(first).toEqual({ from: now, permits: 20 });
    expect(second.from.getTime() - now.getTime()).toBe(2_000);
    expect(errors).toEqual([throttle, throttle]);
  });
});
