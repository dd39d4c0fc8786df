import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { CreditHistory } from "../credits/credit-history.ts";
import { transactionOf } from "./ledger-entry.ts";
import { firstRows } from "./query-rows.ts";
import { ledgerKeys } from "./table.ts";

/** The ledger's entries in DynamoDB, which sort by their sequence. */
export function dynamoCreditHistory(
  client: DynamoDBDocumentClient,
  ledgerTable: string,
): CreditHistory {
  return {
    async page(accountId, { limit, before }) {
      const newest = before === undefined ? ledgerKeys.sequenceMax : before - 1;
      const query = {
        TableName: ledgerTable,
        ConsistentRead: true,
        ScanIndexForward: false,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :oldest AND :newest",
        ExpressionAttributeValues: {
          ":pk": ledgerKeys.entry(accountId, 1).pk,
          ":oldest": ledgerKeys.entry(accountId, 0).sk,
          ":newest": ledgerKeys.entry(accountId, Math.max(0, newest)).sk,
        },
      };
      // One more tells whether there are more.
      const rows = await firstRows(client, query, limit + 1);
      const transactions = rows.slice(0, limit).map(transactionOf);
      return { transactions, hasMore: rows.length > limit };
    },
  };
}
