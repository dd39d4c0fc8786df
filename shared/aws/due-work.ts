import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { object, parse, string } from "valibot";
import { type DueKind, tableSchema } from "../base/table-schema.ts";
import type { DueWork, WorkPointer } from "../webhooks/work.ts";
import type { Row } from "./dynamo.ts";

/** The due index of the deliveries table; a row's key says what kind of work it is. */
export function dynamoDueWork(client: DynamoDBDocumentClient, tableName: string): DueWork {
  const kind: DueKind = "delivery";
  return {
    async due(now, limit) {
      const pointers: WorkPointer[] = [];
      let start: Row | undefined;
      do {
        const page = await client.send(
          new QueryCommand({
            TableName: tableName,
            IndexName: tableSchema.dueIndex.name,
            KeyConditionExpression: "due_kind = :kind AND due_at <= :now",
            ExpressionAttributeValues: { ":kind": kind, ":now": now.toISOString() },
            Limit: limit - pointers.length,
            ...(start === undefined ? {} : { ExclusiveStartKey: start }),
          }),
        );
        pointers.push(...(page.Items ?? []).flatMap(pointerOf));
        start = page.LastEvaluatedKey;
      } while (start !== undefined && pointers.length < limit);
      return pointers;
    },
  };
}

const keyRow = object({ pk: string(), sk: string() });

function pointerOf(stored: Row): WorkPointer[] {
  const { pk, sk: id } = parse(keyRow, stored);
  const [accountId = "", kind] = pk.split("#");
  if (kind !== "run" && kind !== "delivery" && kind !== "export") return [];
  return [{ kind, accountId, id }];
}
