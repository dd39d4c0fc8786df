import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { custom, object, parse } from "valibot";
import { limits } from "../../base/limits.ts";
import type { EventBodies, SmallArchive } from "../../events/event-archive.ts";
import { readRow } from "../table/row-reads.ts";
import { deliveryKeys, epochSeconds } from "../table/table.ts";
import type { Write } from "./outbox-writes.ts";

const bytes = custom<Uint8Array>((value) => value instanceof Uint8Array);
const archiveRow = object({ run_index: bytes, lines: bytes });

/**
 * Creates the reader of the archives of small runs. The reader returns the index of a run and the
 * lines of its events, both as gzip files. It returns null for a run without such an archive.
 */
export const smallArchives =
  (client: DynamoDBDocumentClient, tableName: string): NonNullable<EventBodies["small"]> =>
  async ({ accountId, runId }) => {
    const row = await readRow(client, tableName, deliveryKeys.runArchive(accountId, runId));
    if (row === undefined) return null;
    const { run_index: index, lines } = parse(archiveRow, row);
    return { index, lines };
  };

/**
 * Builds the write of a small archive. The row expires when the objects of larger runs do.
 * @param endedAt the end of the run (ISO 8601)
 */
export const archiveWrite = (
  TableName: string,
  run: { readonly accountId: string; readonly runId: string; readonly endedAt: string },
  { index, lines }: SmallArchive,
): Write => ({
  Put: {
    TableName,
    Item: {
      ...deliveryKeys.runArchive(run.accountId, run.runId),
      run_index: index,
      lines,
      ttl: epochSeconds(new Date(run.endedAt)) + limits.eventBodyDays * 24 * 60 * 60,
    },
  },
});
