import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { object, parse, string } from "valibot";
import { type DueKind, tableSchema } from "../base/table-schema.ts";
import type { DueTargets, Target } from "../outbox/outbox.ts";
import type { Row } from "./dynamo.ts";

/** The due index of the deliveries table. */
export function dynamoDueTargets(client: DynamoDBDocumentClient, tableName: string): DueTargets {
  const kind: DueKind = "outbox";
  return {
    async due(now, limit) {
      const targets: Target[] = [];
      let start: Row | undefined;
      do {
        const page = await client.send(
          new QueryCommand({
            TableName: tableName,
            IndexName: tableSchema.dueIndex.name,
            KeyConditionExpression: "due_kind = :kind AND due_at <= :now",
            ExpressionAttributeValues: { ":kind": kind, ":now": now.toISOString() },
            Limit: limit - targets.length,
            ...(start === undefined ? {} : { ExclusiveStartKey: start }),
          }),
        );
        targets.push(...(page.Items ?? []).map(targetOf));
        start = page.LastEvaluatedKey;
      } while (start !== undefined && targets.length < limit);
      return targets;
    },
  };
}

const keyRow = object({ pk: string(), sk: string() });

function targetOf(stored: Row): Target {
  const { pk, sk: targetId } = parse(keyRow, stored);
  const [accountId = ""] = pk.split("#");
  return { accountId, targetId };
}
