import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Publication, Publications } from "../../publishing/publications.ts";
import { appendRun, type FeedOptions, newestRun } from "../deliveries/event-feed.ts";
import { dynamoOutbox } from "../deliveries/outbox.ts";
import { additionWrites, type Write } from "../deliveries/outbox-writes.ts";
import { archiveWrite } from "../deliveries/small-archives.ts";
import { exportWrite } from "../exports/export-store.ts";

/**
 * Creates the store of publications in DynamoDB. A transaction has at most 29 rows: three of the
 * feed, the archive, the export, and two for each of at most twelve delivery targets.
 */
export function dynamoPublications(
  client: DynamoDBDocumentClient,
  options: FeedOptions,
): Publications {
  const { tableName } = options;
  const outbox = dynamoOutbox(client, options);
  return {
    position: (accountId) => newestRun({ client, tableName }, accountId),
    async add(publication, position) {
      const { accountId, run, additions } = publication;
      const others = writesOf(tableName, publication);
      const appended = await appendRun(client, options, {
        accountId,
        run,
        newest: position,
        others,
      });
      if (appended.outcome === "appended" || appended.hadOthers) return;
      // The previous release has added the run to the feed. It adds the outbox entries later, so
      // they may be missing.
      for (const { target, entry } of additions) await outbox.add(target, [entry]);
    },
  };
}

/** Builds the writes of a publication except those of the feed. */
function writesOf(
  tableName: string,
  { accountId, run, small, additions, exported }: Publication,
): readonly Write[] {
  const reference = { accountId, runId: run.runId, endedAt: run.createdAt };
  return [
    ...(small === null ? [] : [archiveWrite(tableName, reference, small)]),
    ...(exported === null ? [] : [exportWrite(tableName, accountId, exported)]),
    ...additions.flatMap(({ target, entry }) => additionWrites(tableName, target, [entry])),
  ];
}
