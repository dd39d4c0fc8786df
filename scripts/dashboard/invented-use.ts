import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { documentClient } from "../../shared/aws/dynamo.ts";
import { accountKeys } from "../../shared/aws/table.ts";
import type { World } from "../local/world.ts";
import type { ApiClient } from "../tour/api-client.ts";

const dayMs = 86_400_000;
const days = 90;

/** Fills the local account as months of work would: usage of each day, keys, lists and an endpoint. */
export async function inventUse(world: World, api: ApiClient): Promise<void> {
  await inventUsage(world, String((await api.get("/account")).body["id"]));
  for (const name of ["Storefront", "Nightly price job", "Notebook"]) {
    await api.send("POST", "/api_keys", { name });
  }
  await api.send("POST", "/webhook_endpoints", {
    url: `${world.receiverUrl}/hooks`,
    description: "Pricing service",
  });
  await api.send("POST", "/watchlists", {
    name: "Espresso machines",
    platform: "retailer_d",
    ids: ["9000001", "9000003", "9000005", "9000006", "6505678", "6505679"],
    every: "15m",
  });
  await api.send("POST", "/watchlists", {
    name: "Headphones, noon in Berlin",
    platform: "retailer_a",
    ids: ["B0SANDBOX0", "B0SANDBOX1", "B0SANDBOX2"],
    cron: "0 12 * * MON-FRI",
    timezone: "Europe/Berlin",
  });
}

/** The past cannot be lived through by calls: it is written as the ledger would have. */
async function inventUsage(world: World, accountId: string): Promise<void> {
  const table = world.environmentOf("account")["ACCOUNTS_TABLE"] ?? "";
  const client = documentClient();
  const now = Date.now();
  for (let ago = days - 1; ago > 0; ago -= 1) {
    const date = new Date(now - ago * dayMs);
    const isWeekend = date.getUTCDay() % 6 === 0;
    // Grows over the months, with less at weekends and some unrest.
    const requests = Math.round(
      (isWeekend ? 9 : 24) * (1.6 - ago / days) * (1 + Math.sin(ago * 7) / 4),
    );
    const failed = ago % 17 === 0 ? 1 : 0;
    await client.send(
      new PutCommand({
        TableName: table,
        Item: {
          ...accountKeys.usage(accountId, date.toISOString().slice(0, 10)),
          requests,
          successful: requests - failed,
          failed,
          credits: requests * 4 + (ago % 5),
        },
      }),
    );
  }
}
