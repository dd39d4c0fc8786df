import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { limits } from "../base/limits.ts";
import type { EventFeed } from "../events/event-feed.ts";
import { deliveryKeys, epochSeconds } from "./table.ts";

const writesAtOnce = 10;
const retentionSeconds = limits.eventRetentionDays * 24 * 60 * 60;

/** The event feed in DynamoDB: one row an event, whose key and content a repeat makes again. */
export function dynamoEventFeed(client: DynamoDBDocumentClient, tableName: string): EventFeed {
  return {
    async append(accountId, entries) {
      for (let start = 0; start < entries.length; start += writesAtOnce) {
        const writes = entries.slice(start, start + writesAtOnce).map((entry) =>
          client.send(
            new PutCommand({
              TableName: tableName,
              Item: {
                ...deliveryKeys.event(accountId, entry),
                event_id: entry.eventId,
                event_type: entry.type,
                created_at: entry.createdAt,
                watchlist_id: entry.watchlistId,
                run_id: entry.runId,
                ttl: epochSeconds(new Date(entry.createdAt)) + retentionSeconds,
              },
            }),
          ),
        );
        await Promise.all(writes);
      }
    },
  };
}
