import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { TargetStates } from "../../outbox/outbox.ts";
import { queryRows } from "../table/query-rows.ts";
import { deliveryKeys } from "../table/table.ts";

/**
 * Creates the reader of session states. A session stores the state of its delivery target in the
 * `target_state` attribute of the target's row.
 */
export function dynamoTargetStates(
  client: DynamoDBDocumentClient,
  TableName: string,
): TargetStates {
  return {
    async get(target) {
      const Key = deliveryKeys.outbox(target);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item?.["target_state"];
    },
    async list(accountId) {
      const rows = queryRows(client, {
        TableName,
        KeyConditionExpression: "pk = :pk",
        FilterExpression: "attribute_exists(target_state)",
        ExpressionAttributeValues: { ":pk": deliveryKeys.outbox({ accountId, targetId: "" }).pk },
        ConsistentRead: true,
      });
      const states = new Map<string, unknown>();
      for await (const { sk, target_state: state } of rows) states.set(String(sk), state);
      return states;
    },
  };
}
