import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { DueTargets } from "../../outbox/outbox.ts";
import { dueKeys } from "../table/due-keys.ts";

/** Creates the reader of due delivery targets, which uses the due index of the deliveries table. */
export function dynamoDueTargets(client: DynamoDBDocumentClient, tableName: string): DueTargets {
  return {
    async due(now, limit) {
      const keys = await dueKeys(client, tableName, { kind: "outbox", by: now, limit });
      return keys.map(({ pk, sk: targetId }) => {
        const [accountId = ""] = pk.split("#");
        return { accountId, targetId };
      });
    },
  };
}
