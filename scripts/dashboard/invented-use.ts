import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { concurrencyFor } from "../../shared/accounts/account.ts";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { accountKeys, deliveryKeys } from "../../shared/aws/table/table.ts";
import type { RowKey } from "../../shared/aws/table/table.ts";
import type { World } from "../../tools/local/world.ts";
import { apiClient } from "../../tools/customer/api-client.ts";
import type { ApiAnswer, ApiClient } from "../../tools/customer/api-client.ts";
import { localCustomer } from "../../tools/customer/bucket.ts";
import { inventLists } from "./invented-lists.ts";

const dayMs = 86_400_000;
const days = 90;
/** All credits that the account received, including the signup grant. */
const lifetimeCredits = 80_000;

/**
 * Fills the account of a local world with data of several months: credits, daily usage, API keys, a
 * bucket, and one working and one failing receiver. Also creates watchlists with runs, changes,
 * deliveries and exports.
 */
export async function inventUse(world: World, api: ApiClient): Promise<void> {
  const accountId = String((await api.get("/account")).body["id"]);
  await inventUsage(world, accountId);
  for (const name of ["Storefront", "Nightly price job", "Notebook"]) {
    const { id, key } = await create(api, "/api_keys", { name });
    await apiClient(world.baseUrl, String(key)).get("/account");
    await moveCreation(accountsTable(world), accountKeys.key(accountId, String(id)));
  }
  const endpointUrl = `${world.receiverUrl}/hooks/pricing`;
  const deliveries = world.environmentOf("webhook-endpoints")["DELIVERIES_TABLE"] ?? "";
  for (const [url, description] of [
    [endpointUrl, "Pricing service"],
    // No server listens at this address, so its deliveries fail and are retried.
    ["http://127.0.0.1:9443/hooks/stock", "Warehouse, old stock feed"],
  ]) {
    const { id } = await create(api, "/webhook_endpoints", { url, description });
    await moveCreation(deliveries, deliveryKeys.endpoint(accountId, String(id)));
  }
  await api.send("PUT", "/s3_destination", {
    bucket: world.customerBucket,
    region: "us-east-1",
    endpoint: world.bucketEndpoint,
    force_path_style: true,
    prefix: "product-data/",
    auth: "access_key",
    access_key_id: localCustomer.accessKeyId,
    secret_access_key: localCustomer.secretAccessKey,
  });
  await inventLists(world, api, endpointUrl);
}

/**
 * Creates a resource and returns it.
 * @throws Error if the API refuses it
 */
async function create(api: ApiClient, path: string, body: unknown): Promise<ApiAnswer["body"]> {
  const answer = await api.send("POST", path, body);
  if (answer.status !== 201) {
    throw new Error(
      `POST ${path} returned HTTP ${answer.status} (expected 201): ${JSON.stringify(answer.body)}. Correct the body of the call in scripts/dashboard/invented-use.ts.`,
    );
  }
  return answer.body;
}

const accountsTable = (world: World): string =>
  world.environmentOf("account")["ACCOUNTS_TABLE"] ?? "";

/** Changes a row's creation time to the creation time of the account. */
async function moveCreation(TableName: string, Key: RowKey): Promise<void> {
  await documentClient().send(
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: "SET created_at = :then",
      ExpressionAttributeValues: { ":then": new Date(Date.now() - days * dayMs).toISOString() },
    }),
  );
}

/**
 * Writes usage rows in the format of the ledger, because calls cannot create usage of past days.
 */
async function inventUsage(world: World, accountId: string): Promise<void> {
  const TableName = accountsTable(world);
  const client = documentClient();
  const now = Date.now();
  let spent = 0;
  for (let ago = days - 1; ago > 0; ago -= 1) {
    const date = new Date(now - ago * dayMs);
    const isWeekend = date.getUTCDay() % 6 === 0;
    // The usage grows over the months and is lower at weekends. It is also slightly random.
    const requests = Math.round(
      (isWeekend ? 30 : 92) * (1.6 - ago / days) * (1 + Math.sin(ago * 7) / 4),
    );
    const failed = ago % 17 === 0 ? 1 : 0;
    const credits = requests * 4 + (ago % 5);
    spent += credits;
    const usage = { requests, successful: requests - failed, failed, credits };
    const key = accountKeys.usage(accountId, date.toISOString().slice(0, 10));
    await client.send(new PutCommand({ TableName, Item: { ...key, ...usage } }));
  }
  await client.send(
    new UpdateCommand({
      TableName,
      Key: accountKeys.account(accountId),
      UpdateExpression:
        "SET balance = :left, spent = :spent, lifetime = :ever, concurrency = :slots",
      ExpressionAttributeValues: {
        ":left": lifetimeCredits - spent,
        ":spent": spent,
        ":ever": lifetimeCredits,
        ":slots": concurrencyFor(lifetimeCredits),
      },
    }),
  );
}
