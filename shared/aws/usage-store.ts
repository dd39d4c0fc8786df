import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { UsageStore } from "../accounts/usage-store.ts";
import { queryRows } from "./query-rows.ts";
import { accountKeys } from "./table.ts";

/** Daily usage in DynamoDB, a row per day with work, written by the ledger's transactions. */
export function dynamoUsageStore(client: DynamoDBDocumentClient, table: string): UsageStore {
  return {
    async daily(accountId, { from, to }) {
      const rows = queryRows(client, {
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
        ExpressionAttributeValues: {
          ":pk": accountKeys.account(accountId).pk,
          ":from": accountKeys.usage(accountId, from).sk,
          ":to": accountKeys.usage(accountId, to).sk,
        },
      });
      return Array.fromAsync(rows, (row) => ({
        date: String(row["sk"]).slice(accountKeys.usage(accountId, "").sk.length),
        requests: Number(row["requests"]),
        successful: Number(row["successful"]),
        failed: Number(row["failed"]),
        credits: Number(row["credits"]),
      }));
    },
  };
}
